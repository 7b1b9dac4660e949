import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installChromium } from '../lib/chromium.mts';
import { installN8n } from '../lib/n8n/install.mts';
import { packedPackage } from '../lib/packedPackage.mts';
import { root } from '../lib/paths.mts';
import { conclude, runTests, type Tally } from '../lib/tally.mts';
import { reliabilityPage } from './reliabilityPage.mts';

const PARTS = {
	examples: 'the example workflows',
	browser: 'a form’s page and n8n’s editor, used in a browser',
	default: 'the trigger in n8n’s default mode, with failures and kills',
	durable: 'the same in n8n’s durable mode',
	v1: 'the same on n8n 1.x, shorter',
	safety: 'what n8n stores and logs, and n8n’s own protection',
	queue: 'queue mode with Redis, PostgreSQL and two workers',
};
type Part = keyof typeof PARTS;

const HELP = `npm run test:n8n [-- part ...]         tries the package in real n8n processes
npm run test:n8n -- --write            also writes the figures to docs/reliability.md

${Object.entries(PARTS)
	.map(([part, what]) => `  ${part.padEnd(10)}${what}`)
	.join('\n')}

SEED=<number> repeats the random choices of a run, though not n8n's own timing.`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		write: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});
const unknown = positionals.filter((part) => !(part in PARTS));

if (values.help || unknown.length > 0) {
	if (unknown.length > 0) console.error(`There is no part "${unknown.join('", "')}".\n`);
	console.log(HELP);
	process.exit(unknown.length > 0 ? 1 : 0);
}

const all = Object.keys(PARTS) as Part[];
const chosen = positionals.length > 0 ? (positionals as Part[]) : all;
const tally: Tally = { passed: 0, failed: 0 };

// before the tests, whose time it is not
if (chosen.some((part) => part !== 'v1')) await installN8n('2.x');
if (chosen.includes('v1')) await installN8n('1.x');
// without a browser its tests fail, and say how to get one
if (chosen.includes('browser')) {
	await installChromium().catch((error: Error) => console.log(error.message));
}
await packedPackage(join(root, '.demo', 'package'));

const figures = await mkdtemp(join(tmpdir(), 'figures-'));
await runTests(tally, ['n8n'], {
	files: [...chosen.map((part) => `test/n8n/${part}.test.mts`), 'test/n8n/delivery'],
	// two n8n at a time is what two cores can carry
	options: ['--maxWorkers=2'],
	env: { FIGURES_FOLDER: figures },
});
if (values.write) {
	await writeFile(join(root, 'docs', 'reliability.md'), await reliabilityPage(figures));
}
await rm(figures, { recursive: true });
conclude(tally);
