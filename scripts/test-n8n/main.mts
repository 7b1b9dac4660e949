import { parseArgs } from 'node:util';
import { modes } from '../../test/n8n/delivery/modes.mts';
import { installN8n, lines } from '../lib/n8n/install.mts';
import { packedPackage } from '../lib/packedPackage.mts';
import { conclude, runTests, type Tally } from '../lib/tally.mts';

const MODES = Object.fromEntries(
	modes.map(({ name, title }) => [name, `failures and kills: ${title}`]),
);

/** The parts, longest first: a mode of test/n8n/delivery.test.mts, or a file beside it. */
const PARTS: Record<string, string> = {
	...MODES,
	queue: 'queue mode with Redis, PostgreSQL and two workers',
	examples: 'the example workflows',
	browser: 'n8n’s editor, used in a browser',
	install: 'n8n’s own install of the package from a registry, and its removal',
};

const HELP = `npm run test:n8n [-- part ...]         tries the package in real n8n processes

${Object.entries(PARTS)
	.map(([part, description]) => `  ${part.padEnd(13)}${description}`)
	.join('\n')}

N8N_NODE=<path> runs n8n on another Node than 24: 20, 22 or 24 for n8n 1.x.`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { help: { type: 'boolean' } },
});
const isUnknown = positionals.some((part) => !(part in PARTS));
if (values.help || isUnknown) {
	console.log(HELP);
	process.exit(isUnknown ? 1 : 0);
}

// on an exit, vitest ends, and so does n8n
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

const chosen = positionals.length > 0 ? positionals : Object.keys(PARTS);
const files = new Set(chosen.map((part) => (part in MODES ? 'delivery' : part)));
const tally: Tally = { passed: 0, failed: 0 };

// the installation must not count as time of the tests
const usesEachLine = chosen.includes('install') || chosen.includes('v1');
for (const line of usesEachLine ? lines : lines.slice(0, 1)) await installN8n(line);
const tarball = await packedPackage();

await runTests(tally, ['n8n'], {
	args: [...[...files].map((part) => `test/n8n/${part}.test.mts`), '--maxWorkers=2'],
	env: { PACKED_PACKAGE: tarball, DELIVERY_MODES: chosen.join(',') },
});
conclude(tally);
