/** Compares the replies of a real Form Service with docs/contract.md; see HELP. */
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';

const HELP = `Reads a Form Service with at most ten GET requests, and prints which rows of
docs/contract.md it meets: names and types, never values.

  npm run probe   asks for the address and the token, or takes them
                  from FORM_SERVICE_URL and FORM_SERVICE_TOKEN

  npm run probe -- --save FILE
                  also writes the replies to a file, with every text, ID,
                  label, address and time replaced; read it before you share it

The exit code is 0 if the service fits the contract, else 1.`;

/** The message never repeats what was entered. */
function fail(message: string): never {
	console.error(message);
	process.exit(1);
}

/** Asks a question on the terminal. Hides the input of a secret. */
async function ask(question: string, isSecret = false): Promise<string> {
	if (!process.stdin.isTTY)
		fail('Set FORM_SERVICE_URL and FORM_SERVICE_TOKEN, or run the probe in a terminal.');
	process.stderr.write(question);
	const output = isSecret ? new Writable({ write: (_, __, done) => done() }) : process.stderr;
	const terminal = createInterface({ input: process.stdin, output, terminal: true });
	// Ctrl-D and Ctrl-C end the question
	const answer = await terminal.question('').catch(() => fail('\nNothing was entered.'));
	terminal.close();
	if (isSecret) process.stderr.write('\n');
	return answer;
}

function readArguments(): string | undefined {
	try {
		return parseArgs({ options: { save: { type: 'string' } } }).values.save;
	} catch {
		fail(`Address and token are not taken as arguments.\n\n${HELP}`);
	}
}

const savePath = readArguments();
const { FORM_SERVICE_URL, FORM_SERVICE_TOKEN } = process.env;
const baseUrl = FORM_SERVICE_URL || (await ask('Address of the Form Service: '));
const accessToken = FORM_SERVICE_TOKEN || (await ask('Access token (not shown): ', true));
// compiles the package and loads n8n's classes
const { connect } = await import('./connect.mts');
const { isFit, probe, renderRows } = await import('./probe.mts');
const { anonymize } = await import('./recording.mts');

try {
	const connection = connect({ baseUrl, accessToken });
	const rows = await probe(connection);
	if (savePath !== undefined) {
		const replies = anonymize(connection.replies);
		await writeFile(savePath, `${JSON.stringify({ replies }, null, '\t')}\n`);
		console.log(`Saved ${replies.length} replies to ${savePath}. Read it before you share it.`);
	}
	console.log(renderRows(rows));
	console.log(isFit(rows) ? '\nThe service fits the contract.' : '\nNot all rows are met.');
	process.exit(isFit(rows) ? 0 : 1);
} catch (error) {
	// the message about an unusable address or token comes from the package
	fail((error as Error).message);
}
