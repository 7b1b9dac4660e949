import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installN8n } from '../lib/n8n/install.mts';
import { pack } from '../lib/packedPackage.mts';
import { root } from '../lib/paths.mts';
import { median, ms } from './measure.mts';
import type { Table } from './page.mts';

/** Loads what n8n has already loaded and uses Intl once, then measures loading the given files. */
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

const ROUNDS = 5;

/** The processor time of loading node files, in milliseconds, as n8n in a folder loads them. */
function loading(cwd: string, files: string[]): number {
	const userFolder = mkdtempSync(join(tmpdir(), 'bench-'));
	const env = { ...process.env, N8N_USER_FOLDER: userFolder, N8N_LOG_LEVEL: 'silent' };
	const times = Array.from({ length: ROUNDS }, () => {
		const printed = execFileSync(process.execPath, ['-e', LOAD, ...files], { cwd, env });
		return Number(printed.toString().trim().split('\n').at(-1));
	});
	rmSync(userFolder, { recursive: true, force: true });
	return median(times);
}

const OURS = ['FormService', 'FormServiceTrigger'].map((name) =>
	join(root, `dist/nodes/FormService/${name}.node.js`),
);

/** Nodes of n8n's own that, like this package, have several resources and a polling trigger. */
const PEERS: Record<string, string[]> = {
	'n8n’s Google Sheets and its trigger': [
		'Google/Sheet/GoogleSheets.node.js',
		'Google/Sheet/GoogleSheetsTrigger.node.js',
	],
	'n8n’s Airtable and its trigger': [
		'Airtable/Airtable.node.js',
		'Airtable/AirtableTrigger.node.js',
	],
};

/** What n8n loads at its start, and what it downloads. */
export async function start(): Promise<Table> {
	const n8n = await installN8n();
	const peers = Object.entries(PEERS).map(([name, files]) => {
		const paths = files.map((file) => join(n8n, 'node_modules/n8n-nodes-base/dist/nodes', file));
		return [`Loading ${name}`, ms(loading(n8n, paths)), ''];
	});
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	const { size } = statSync(await pack(folder));
	rmSync(folder, { recursive: true, force: true });
	return {
		title: 'Start and size',
		text: `The processor time that n8n takes to load both nodes when it starts, beyond what n8n has loaded itself. Medians of ${ROUNDS} processes. Most of this time is Node’s own time per file; the package has one file for each source file, so that the installed code can be read. The package contains the code, the README and the license, and no pictures.`,
		head: ['', 'Measured', 'Goal'],
		rows: [
			['Loading both nodes of this package', ms(loading(root, OURS)), 'at most 18 ms'],
			...peers,
			['Package to download', `${(size / 1024).toFixed(0)} KB`, 'at most 85 KB'],
		],
	};
}
