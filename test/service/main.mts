import { parseArgs } from 'node:util';
import { startService } from './index.mts';

const HELP = `Starts a stand-in for Form Service, for tests and demos.

  --port <number>        default 4010
  --file <file>          default: in memory, gone at the end
  --per-minute <number>  default 60
  --per-day <number>     default 1440
  --token <text>         default demo-access-token
`;

/** A whole number above `min`, or a message that names the option. */
function numberOf(option: string, text: string | undefined, fallback: number, min: number): number {
	const number = text === undefined ? fallback : Number(text);
	if (!Number.isInteger(number) || number < min) {
		throw new Error(`--${option} must be a whole number from ${min} on`);
	}
	return number;
}

async function main() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string' },
			file: { type: 'string' },
			'per-minute': { type: 'string' },
			'per-day': { type: 'string' },
			token: { type: 'string' },
			help: { type: 'boolean' },
		},
	});
	if (values.help) {
		process.stdout.write(HELP);
		return;
	}

	const service = await startService({
		port: numberOf('port', values.port, 4010, 0),
		file: values.file,
		perMinute: numberOf('per-minute', values['per-minute'], 60, 1),
		perDay: numberOf('per-day', values['per-day'], 1440, 1),
		token: values.token,
	});
	process.stdout.write(
		`Form Service (a stand-in for tests and demos) is running\n` +
			`  Forms      ${service.url}/\n` +
			`  Base URL   ${service.baseUrl}\n` +
			`  Token      ${service.token}\n`,
	);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void service.close());
	}
}

try {
	await main();
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
