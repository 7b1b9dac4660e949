/** Reads a real Form Service, and prints the shapes of its replies; see HELP. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { renderText } from './report.mts';

const HELP = `Reads a Form Service with at most ten GET requests, and prints shapes, never values.

  npm run probe   asks for the address and the token, or takes them
                  from FORM_SERVICE_URL and FORM_SERVICE_TOKEN

The exit code is 0 if everything is read as documented, else 1.`;

/** Ends the probe; what was entered is not repeated. */
function fail(message: string): never {
	console.error(message);
	process.exit(1);
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

if (process.argv.length > 2) fail(`Address and token are not taken as arguments.\n\n${HELP}`);
const { FORM_SERVICE_URL, FORM_SERVICE_TOKEN } = process.env;
const baseUrl = FORM_SERVICE_URL || (await ask('Address of the Form Service: '));
const accessToken = FORM_SERVICE_TOKEN || (await ask('Access token (not shown): ', true));
// compiles the package and loads n8n's classes
const [{ connect }, { probe }] = [await import('./connect.mts'), await import('./probe.mts')];

try {
	const report = await probe(connect({ baseUrl, accessToken }));
	console.log(renderText(report));
	process.exit(report.isAsDocumented ? 0 : 1);
} catch (error) {
	// the package's own words for an address or a token that cannot be used
	fail((error as Error).message);
}
