import type { IDataObject } from 'n8n-workflow';
import { locator, n8nFor, time } from '../../test/integration/harness.mts';
import { World } from '../../test/model/world.mts';
import type { Table } from './main.mts';
import {
	formatCount,
	formatMegabytes,
	formatMs,
	measureProcessorTime,
	median,
	runInOwnProcess,
	serveForm,
} from './measure.mts';

const ROUNDS = 9;

type Measured = {
	bodyBytes: number;
	parseMs: number;
	pollMs: number;
	memoryBytes: number;
	stateBytes: number;
};

/** Polls a list of so many responses for these events with the built trigger on n8n's own classes. */
async function measurePoll(size: number, events: string[]): Promise<Measured> {
	const { account, formId, fill, close } = await serveForm();
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
	const pollMs: number[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		await fill(size + round);
		pollMs.push(await measureProcessorTime(async () => await poll(1)));
	}
	const headers = { accept: 'application/json', authorization: `Bearer ${account.accessToken}` };
	const url = `${account.baseUrl}/responses/${formId}`;
	const body = await (await fetch(url, { headers })).text();
	const parseMs: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		parseMs.push(await measureProcessorTime(() => JSON.parse(body) as unknown));
	}
	close();
	return {
		bodyBytes: body.length,
		parseMs: median(parseMs),
		pollMs: median(pollMs),
		memoryBytes,
		stateBytes: JSON.stringify(staticData).length / (size + ROUNDS),
	};
}

/** Milliseconds of processor time of a poll that finds none of so many forms due. */
async function measureIdlePoll(forms: number): Promise<number> {
	const world = new World(Array.from({ length: forms }, (_, index) => `F${index}`));
	// the code is compiled by then
	await world.beginAndRun(ROUNDS);
	// until each form was read once
	for (let sent = 0; sent < world.service.sent.length; await world.run(1))
		sent = world.service.sent.length;
	return (await measureProcessorTime(async () => await world.run(ROUNDS))) / ROUNDS;
}

/** What a poll costs n8n's process and its database. */
export async function measurePolls(): Promise<Table> {
	const rows: string[][] = [];
	const idle = [await measureIdlePoll(500), await measureIdlePoll(2_000)].map(formatMs);
	for (const size of [1_000, 10_000, 100_000]) {
		const measure = async (...events: string[]) =>
			await runInOwnProcess<Measured>(import.meta.url, [`${size}`, ...events]);
		const measured = await measure('responseCompleted');
		const updates = await measure('responseCompleted', 'responseUpdated');
		rows.push([
			formatCount(size),
			formatMegabytes(measured.bodyBytes),
			formatMs(measured.parseMs),
			formatMs(measured.pollMs),
			formatMs(updates.pollMs),
			formatMegabytes(measured.memoryBytes),
			`${measured.stateBytes.toFixed(1)} bytes`,
		]);
	}
	return {
		title: 'A poll of the trigger',
		text: `The built trigger polls a form on n8n’s own classes. The responses come on one page, and each poll finds a new one. Processor times include n8n’s and are medians of ${ROUNDS} polls. The memory is what the first poll adds to the process. The state is what n8n saves. Goals: at 100,000 responses, at most 2 s of processor time, 600 MB, and 20 bytes of state per response; with Response Updated, at most twice the time of a poll, and 30 bytes. A poll that finds none of 500 forms due takes ${idle[0]} of processor time, and with 2,000 forms ${idle[1]} (goals: 5 and 20 ms).`,
		head: [
			'Responses',
			'Body',
			'JSON.parse alone',
			'Poll',
			'With updates',
			'Memory',
			'State per response',
		],
		rows,
	};
}

const [size, ...events] = process.argv.slice(2);
if (process.send !== undefined && events.length > 0)
	process.send(await measurePoll(Number(size), events));
