/** Reads a real Form Service, and prints the shapes of its replies; see HELP. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { renderText } from './report.mts';

const HELP = `Reads a Form Service with at most ten GET requests, and prints shapes, never values.

  npm run probe                      asks for the address and the token, or takes them
                                     from FORM_SERVICE_URL and FORM_SERVICE_TOKEN
  npm run probe -- --pdf             also asks for the link to the PDF of a response
  npm run --silent probe -- --json   prints the same for machines

The exit code is 0 if everything is read as documented, else 1.`;

/** Ends the probe; what was entered is not repeated. */
function fail(message: string): never {
	console.error(message);
	process.exit(1);
}

function parseOptions() {
	const flag = { type: 'boolean', default: false } as const;
	const options = { pdf: flag, json: flag, help: flag };
	try {
		return parseArgs({ options }).values;
	} catch {
		return fail(`Address and token are not taken as arguments.\n\n${HELP}`);
	}
}

/** Asks on the terminal; what is typed can stay unseen. */
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

const { pdf, json, help } = parseOptions();
if (help) {
	console.log(HELP);
	process.exit();
}
const { FORM_SERVICE_URL, FORM_SERVICE_TOKEN } = process.env;
const baseUrl = FORM_SERVICE_URL || (await ask('Address of the Form Service: '));
const accessToken = FORM_SERVICE_TOKEN || (await ask('Access token (not shown): ', true));
// compiles the package and loads n8n's classes
const [{ connect }, { probe }] = [await import('./connect.mts'), await import('./probe.mts')];

try {
	const report = await probe(connect({ baseUrl, accessToken }), { pdf });
	console.log(json ? JSON.stringify(report, undefined, 2) : renderText(report));
	process.exit(report.isAsDocumented ? 0 : 1);
} catch (error) {
	// the package's own words for an address or a token that cannot be used
	fail((error as Error).message);
}
