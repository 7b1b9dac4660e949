import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../lib/pack.mts';
import { root } from '../lib/paths.mts';
import { median, ms } from './measure.mts';
import type { Table } from './page.mts';

/** Loads what n8n has loaded itself before, and uses Intl once; then the files that are given. */
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

const NODES = ['FormService', 'FormServiceTrigger'].map((name) =>
	join(root, `dist/nodes/FormService/${name}.node.js`),
);

/** What n8n loads at its start, and what it downloads. */
export async function start(): Promise<Table> {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent' };
	const times = Array.from({ length: 5 }, () =>
		Number(
			execFileSync(process.execPath, ['-e', LOAD, ...NODES], { cwd: root, env })
				.toString()
				.trim()
				.split('\n')
				.at(-1),
		),
	);
	const { size } = statSync(await pack(join(folder, 'packed')));
	rmSync(folder, { recursive: true, force: true });
	return {
		title: 'Start and size',
		text: 'Loading both nodes, beyond what n8n has loaded itself and once Intl is in use: processor time, median of five. They use no Intl themselves (`test/package/loading.test.mts`). Both goals are missed: most of the time is Node’s own for each of some hundred files, which are the source files, compiled one by one. They are also the size of the package, in which no picture and no page of docs but the README is. To bundle and minify them would mend both, and nobody could read what is installed.',
		head: ['', 'Measured', 'Goal'],
		rows: [
			['Loading both nodes', ms(median(times)), 'at most 15 ms'],
			['Package to download', `${(size / 1024).toFixed(0)} KB`, 'at most 80 KB'],
		],
	};
}
