import { parseArgs } from 'node:util';
import { startService } from './index.mts';

const HELP = `Starts a stand-in for Form Service, for tests and demos.

  --port <number>        default 4010
  --file <path>          keeps what is stored; default: in memory, gone at the end
  --per-minute <number>  default 60
  --per-day <number>     default 1440
  --token <text>         default demo-access-token
`;

const text = { type: 'string' } as const;
const options = { port: text, file: text, 'per-minute': text, 'per-day': text, token: text };
const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });

function readNumber(name: 'port' | 'per-minute' | 'per-day', fallback: number): number {
	const number = Number(values[name] ?? fallback);
	if (Number.isInteger(number) && number >= 0) return number;
	console.error(`--${name} must be a whole number.`);
	process.exit(1);
}

if (values.help) {
	console.log(HELP);
} else {
	const service = await startService({
		port: readNumber('port', 4010),
		perMinute: readNumber('per-minute', 60),
		perDay: readNumber('per-day', 1440),
		file: values.file,
		token: values.token,
	});
	console.log(`Form Service (a stand-in for tests and demos) is running
  Forms      ${service.url}/
  Base URL   ${service.baseUrl}
  Token      ${service.token}`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void service.close());
	}
}
