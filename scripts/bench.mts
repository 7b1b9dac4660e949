/** Measures the time and memory of the trigger, and writes them into docs/benchmarks.md. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { type Account, locator, n8nFor, time } from '../test/integration/harness.mts';
import { startService } from '../test/service/index.mts';
import { formatMarkdown, renderTable, replaceSection } from './lib/markdown.mts';
import { root } from './lib/paths.mts';

const ROUNDS = 9;
const HEAD = ['Responses', 'Body', 'JSON.parse alone', 'Poll', 'Memory', 'State per response'];
const LABELS = ['Name', 'Email', 'Message', 'Phone', 'Comment'];

type Task = { account: Account; formId: string; size: number };

const formatMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Returns the median of the processor time that a piece of work takes in this process, in milliseconds. */
async function measureRounds(work: () => unknown): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const before = process.cpuUsage();
		await work();
		const { user, system } = process.cpuUsage(before);
		times.push((user + system) / 1000);
	}
	return lodash.sortBy(times)[ROUNDS >> 1];
}

/** Polls a list with the built trigger and n8n's classes. Returns a row of the table. */
async function measurePoll({ account, formId, size }: Task): Promise<string[]> {
	const parameters = {
		...{ formId: locator(formId), events: ['responseCompleted'] },
		options: { requestsPerDay: 1_000_000 },
	};
	const poll = async (staticData: IDataObject, expected: number, workflowId = 'measured') => {
		const { items } = await n8nFor(account).runPoll(parameters, { staticData, workflowId });
		const count = items?.length ?? 0;
		if (count !== expected) throw new Error(`${count} items came, not ${expected}`);
		// wait until the next poll is due
		await time.sleep(600_000);
	};

	await poll({}, 0, 'first use');
	const staticData: IDataObject = {};
	const memoryBefore = process.memoryUsage.rss();
	await poll(staticData, 0);
	const memoryBytes = process.resourceUsage().maxRSS * 1024 - memoryBefore;
	const pollMs = await measureRounds(async () => await poll(staticData, 1));
	const headers = { accept: 'application/json', authorization: `Bearer ${account.accessToken}` };
	const body = await (await fetch(`${account.baseUrl}/responses/${formId}`, { headers })).text();
	const parseMs = await measureRounds(() => JSON.parse(body) as unknown);
	const stateBytes = JSON.stringify(staticData).length / (size + ROUNDS);
	return [
		...[size.toLocaleString('en'), formatMegabytes(body.length)],
		...[formatMs(parseMs), formatMs(pollMs), formatMegabytes(memoryBytes)],
		`${stateBytes.toFixed(1)} bytes`,
	];
}

/** Measures in a child process. The stand-in for the service runs in this process. */
async function measureApart(size: number): Promise<string[]> {
	const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
	const { store, faults, token, baseUrl, close } = await startService({ ...limits, seed: false });
	const fields = LABELS.map((label) => ({ label }));
	const { id: formId } = store.addForm({ name: 'Form', fields });
	const addResponse = (number: number) => {
		const texts = LABELS.map((label) => `${label} of respondent ${number}, in some words`);
		const createdAt = new Date(1_700_000_000_000 + number * 60_000).toISOString();
		store.addResponse(formId, { answers: lodash.zipObject(LABELS, texts), createdAt });
	};
	// from the second request on, the list has its full size, and each request adds a response
	const counts = [1, ...lodash.range(size, size + ROUNDS + 1)];
	const fill = () => {
		const before = store.responses(formId).length;
		for (const number of lodash.range(before, counts.shift() ?? before)) addResponse(number);
		return undefined;
	};
	faults.set({ fault: fill, match: { path: /^\/responses/ } });
	const child = fork(import.meta.filename, ['--measure']);
	const task: Task = { account: { accessToken: token, baseUrl }, formId, size };
	child.send(task);
	const ended = once(child, 'exit').then(() => [undefined]);
	const [row] = (await Promise.race([once(child, 'message'), ended])) as [string[] | undefined];
	child.kill();
	await close();
	if (row === undefined) throw new Error('The measurement ended early.');
	return row;
}

if (process.argv[2] === '--measure') {
	const [task] = (await once(process, 'message')) as [Task];
	process.send!(await measurePoll(task));
} else {
	const machine = `${cpus().length} processors (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
	const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`;
	const rows: string[][] = [];
	for (const size of [1_000, 10_000, 100_000]) rows.push(await measureApart(size));
	const path = join(root, 'docs', 'benchmarks.md');
	const polls = `${measured}\n\n${renderTable(HEAD, rows)}`;
	const page = replaceSection(await readFile(path, 'utf8'), 'polls', polls);
	await writeFile(path, await formatMarkdown(page));
	console.log(polls);
	// the virtual time of the tests keeps timers open
	process.exit();
}
