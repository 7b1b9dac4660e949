import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { modes } from '../../test/n8n/delivery/modes.mts';
import { installN8n, lines } from '../lib/n8n/install.mts';
import { packedPackage } from '../lib/packedPackage.mts';
import { root } from '../lib/paths.mts';
import { conclude, runTests, type Tally } from '../lib/tally.mts';
import { reliabilityPage } from './reliabilityPage.mts';

/** The parts, each a test file, the longest first. */
const FILES = {
	delivery: `the trigger while the service fails and n8n is killed, in ${modes.length} modes`,
	queue: 'queue mode with Redis, PostgreSQL and several workers',
	examples: 'the example workflows, also with an agent',
	browser: 'n8n’s editor, used in a browser',
	install: 'n8n’s own install of the package from a registry, its update and removal',
	safety: 'what n8n stores, logs and shows of errors',
};
const MODES = Object.fromEntries(
	modes.map(({ name, title }) => [name, `only this of delivery: ${title}`]),
);
const PARTS: Record<string, string> = { ...FILES, ...MODES };

const HELP = `npm run test:n8n [-- part ...]         tries the package in real n8n processes
npm run test:n8n -- --write            all parts; if they pass, writes docs/reliability.md

${Object.entries(PARTS)
	.map(([part, what]) => `  ${part.padEnd(13)}${what}`)
	.join('\n')}

N8N_NODE=<path> runs n8n on another Node than 24: 20, 22 or 24 for n8n 1.x.`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		write: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(HELP);
	process.exit();
}
const isUnknown = positionals.some((part) => !(part in PARTS));
if (isUnknown || (values.write && positionals.length > 0)) {
	console.error(HELP);
	process.exit(1);
}

const chosenModes = positionals.filter((part) => part in MODES);
const chosen = new Set(positionals.filter((part) => part in FILES));
if (chosenModes.length > 0) chosen.add('delivery');
const files = chosen.size > 0 ? [...chosen] : Object.keys(FILES);
const tally: Tally = { passed: 0, failed: 0 };

// before the tests, whose time it is not
const usesEachLine = files.some((part) => part === 'delivery' || part === 'install');
for (const line of usesEachLine ? lines : lines.slice(0, 1)) await installN8n(line);
await packedPackage();

const figures = await mkdtemp(join(tmpdir(), 'figures-'));
await runTests(tally, ['n8n'], {
	args: [...files.map((part) => `test/n8n/${part}.test.mts`), '--maxWorkers=2'],
	env: {
		FIGURES_FOLDER: figures,
		...(chosenModes.length > 0 && { DELIVERY_MODES: chosenModes.join(',') }),
	},
});
if (values.write && tally.failed === 0) {
	await writeFile(join(root, 'docs', 'reliability.md'), await reliabilityPage(figures));
}
await rm(figures, { recursive: true });
conclude(tally);
