import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { installN8n } from '../lib/n8n/install.mts';
import { pack } from '../lib/packedPackage.mts';
import { root, temporaryFolder } from '../lib/paths.mts';
import type { Table } from './main.mts';
import { formatMs, median } from './measure.mts';

const ROUNDS = 5;

/** Loads what n8n has already loaded and uses Intl once; then measures loading the given files. */
const LOAD = `
for (const name of ['n8n-core', 'n8n-workflow', 'luxon', 'lodash', 'zod', 'crypto']) require(name);
'a'.localeCompare('b'); (1000).toLocaleString();
const start = process.cpuUsage();
for (const file of process.argv.slice(1)) {
	const [name] = require('node:path').basename(file).split('.');
	new (require(file)[name])();
}
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1000);`;

/** Nodes of n8n's own that, like this package, have several resources and a polling trigger. */
const PEERS = ['GoogleSheets', 'GoogleSheetsTrigger'].map((name) => `Google/Sheet/${name}.node.js`);

/** What n8n loads when it starts, and what it downloads. */
export async function measureStart(): Promise<Table> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await temporaryFolder('bench', cleanup);
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent' };
	const measureLoading = (cwd: string, files: string[]) => {
		const load = () => execFileSync(process.execPath, ['-e', LOAD, ...files], { cwd, env });
		const times = Array.from({ length: ROUNDS }, () =>
			Number(load().toString().split('\n').at(-2)),
		);
		return formatMs(median(times));
	};
	const ours = ['FormService', 'FormServiceTrigger'].map((name) =>
		join(root, `dist/nodes/FormService/${name}.node.js`),
	);
	const n8n = await installN8n();
	const peers = PEERS.map((path) => join(n8n, 'node_modules/n8n-nodes-base/dist/nodes', path));
	const { size } = statSync(await pack(join(folder, 'packed')));
	return {
		title: 'Start and size',
		text: `The processor time of loading the nodes when n8n starts. Medians of ${ROUNDS} processes.`,
		head: ['', 'Measured'],
		rows: [
			['Loading both nodes of this package', measureLoading(root, ours)],
			['Loading n8n’s Google Sheets and its trigger', measureLoading(n8n, peers)],
			['Package to download', `${Math.round(size / 1024)} KB`],
		],
	};
}
