import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { type Account, locator, n8nFor, time } from '../../test/integration/harness.mts';
import { World } from '../../test/model/world.mts';
import { startService } from '../../test/service/index.mts';
import type { Section } from './main.mts';

const ROUNDS = 9;
const LABELS = ['Name', 'Email', 'Message', 'Phone', 'Comment'];

/** What a measuring process gets to know. */
type Task = { account: Account; formId: string; size: number; events: string[] };

/** Milliseconds of processor time, and bytes. */
type Measured = {
	bodyBytes: number;
	parseMs: number;
	pollMs: number;
	memoryBytes: number;
	stateBytes: number;
};

const formatMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const findMedian = (numbers: number[]) => lodash.sortBy(numbers)[numbers.length >> 1];

/** Milliseconds of all processors that a piece of work takes in this process. */
async function measureProcessorTime(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Polls a list with the built trigger on n8n's own classes. `fill` adds responses up to a count. */
async function measurePoll(task: Task, fill: (count: number) => Promise<void>): Promise<Measured> {
	const { account, formId, size, events } = task;
	const { runPoll } = n8nFor(account);
	const options = { requestsPerDay: 1_000_000 };
	const parameters = { formId: locator(formId), events, options };
	let staticData: IDataObject = {};
	const poll = async (expected: number, workflowId = 'measured') => {
		const result = await runPoll(parameters, { staticData, workflowId });
		({ staticData } = result);
		const count = result.items?.length ?? 0;
		if (count !== expected) throw new Error(`${count} items came, not ${expected}`);
		// until the next poll is due
		await time.sleep(600_000);
	};

	await fill(1);
	await poll(0, 'first use');
	await fill(size);
	staticData = {};
	const memoryBefore = process.memoryUsage.rss();
	await poll(0);
	const memoryBytes = process.resourceUsage().maxRSS * 1024 - memoryBefore;
	const [pollMs, parseMs]: number[][] = [[], []];
	for (let round = 1; round <= ROUNDS; round++) {
		await fill(size + round);
		pollMs.push(await measureProcessorTime(async () => await poll(1)));
	}
	const headers = { accept: 'application/json', authorization: `Bearer ${account.accessToken}` };
	const reply = await fetch(`${account.baseUrl}/responses/${formId}`, { headers });
	const body = await reply.text();
	for (let round = 1; round <= ROUNDS; round++) {
		parseMs.push(await measureProcessorTime(() => JSON.parse(body) as unknown));
	}
	return {
		...{ bodyBytes: body.length, memoryBytes },
		...{ parseMs: findMedian(parseMs), pollMs: findMedian(pollMs) },
		stateBytes: JSON.stringify(staticData).length / (size + ROUNDS),
	};
}

/** Measures in a process of its own, with the stand-in for the service in this one. */
async function measureApart(size: number, events: string[]): Promise<Measured> {
	const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
	const { store, token, baseUrl, close } = await startService({ ...limits, seed: false });
	const fields = LABELS.map((label) => ({ label }));
	const { id: formId } = store.addForm({ name: 'Form', fields });
	let number = 0;
	const fill = (count: number) => {
		for (; number < count; number++) {
			const texts = LABELS.map((label) => `${label} of respondent ${number}, in some words`);
			const createdAt = new Date(1_700_000_000_000 + number * 60_000).toISOString();
			store.addResponse(formId, { answers: lodash.zipObject(LABELS, texts), createdAt });
		}
	};
	const child = fork(fileURLToPath(import.meta.url), ['--measure']);
	const ended = once(child, 'exit').then(([code]) => {
		throw new Error(`The measurement ended early with ${code}.`);
	});
	const task: Task = { account: { accessToken: token, baseUrl }, formId, size, events };
	child.send(task);
	for (;;) {
		const [message] = (await Promise.race([once(child, 'message'), ended])) as [number | Measured];
		if (typeof message === 'object') {
			ended.catch(() => {});
			child.kill();
			await close();
			return message;
		}
		fill(message);
		child.send('filled');
	}
}

/** Milliseconds of processor time of a poll that finds none of so many forms due. */
async function measureIdlePoll(forms: number): Promise<number> {
	const world = new World(lodash.times(forms, (index) => `F${index}`));
	// the code is compiled by then
	await world.beginAndRun(ROUNDS);
	// until each form was read once
	for (let sent = 0; sent < world.service.sent.length; await world.run(1))
		sent = world.service.sent.length;
	return (await measureProcessorTime(async () => await world.run(ROUNDS))) / ROUNDS;
}

/** What a poll costs n8n's process and its database. */
export async function measurePolls(): Promise<Section> {
	const rows: string[][] = [];
	const idle = [await measureIdlePoll(500), await measureIdlePoll(2_000)].map(formatMs);
	for (const size of [1_000, 10_000, 100_000]) {
		const measured = await measureApart(size, ['responseCompleted']);
		const updates = await measureApart(size, ['responseCompleted', 'responseUpdated']);
		rows.push([
			...[size.toLocaleString('en'), formatMegabytes(measured.bodyBytes)],
			...[measured.parseMs, measured.pollMs, updates.pollMs].map(formatMs),
			...[formatMegabytes(measured.memoryBytes), `${measured.stateBytes.toFixed(1)} bytes`],
		]);
	}
	return {
		title: 'A poll of the trigger',
		text: `The built trigger polls a form on n8n’s own classes. The responses come on one page, and each poll finds a new one. Processor times include n8n’s and are medians of ${ROUNDS} polls. The memory is what the first poll adds to the process. The state is what n8n saves. A poll that finds none of 500 forms due takes ${idle[0]} of processor time, and with 2,000 forms ${idle[1]}.`,
		head: 'Responses,Body,JSON.parse alone,Poll,With Response Updated,Memory,State per response'.split(
			',',
		),
		rows,
	};
}

if (process.argv[2] === '--measure') {
	const fill = async (count: number) => {
		process.send!(count);
		await once(process, 'message');
	};
	const [task] = (await once(process, 'message')) as [Task];
	process.send!(await measurePoll(task, fill));
}
