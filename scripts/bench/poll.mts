import type { IDataObject } from 'n8n-workflow';
import { locator, n8nFor, time } from '../../test/integration/harness.mts';
import type { Table } from './main.mts';
import {
	formatCount,
	formatMegabytes,
	formatMs,
	measureProcessorTime,
	median,
	runInOwnProcess,
	startListServer,
} from './measure.mts';

const ROUNDS = 9;

type Measured = {
	bodyBytes: number;
	parseMs: number;
	pollMs: number;
	memoryBytes: number;
	stateBytes: number;
};

/** Polls a list of so many responses with the built trigger on n8n's own classes. */
async function measurePoll(size: number): Promise<Measured> {
	const server = await startListServer();
	const { runPoll } = n8nFor({ accessToken: 'bench', baseUrl: server.url });
	const options = { requestsPerDay: 1_000_000 };
	const parameters = { formId: locator('a'), events: ['responseCompleted'], options };
	let staticData: IDataObject = {};
	const poll = async (expected: number, workflowId = 'measured') => {
		const result = await runPoll(parameters, { staticData, workflowId });
		({ staticData } = result);
		const count = result.items?.length ?? 0;
		if (count !== expected) throw new Error(`${count} items came, not ${expected}`);
		// until the next poll is due
		await time.sleep(600_000);
	};

	await server.serve(1);
	await poll(0, 'first use');
	await server.serve(size);
	staticData = {};
	const memoryBefore = process.memoryUsage.rss();
	await poll(0);
	const memoryBytes = process.resourceUsage().maxRSS * 1024 - memoryBefore;
	const pollMs: number[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		await server.serve(size + round);
		pollMs.push(await measureProcessorTime(async () => await poll(1)));
	}
	const body = await (await fetch(server.url)).text();
	const parseMs: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		parseMs.push(await measureProcessorTime(() => JSON.parse(body) as unknown));
	}
	server.close();
	return {
		bodyBytes: body.length,
		parseMs: median(parseMs),
		pollMs: median(pollMs),
		memoryBytes,
		stateBytes: JSON.stringify(staticData).length / (size + ROUNDS),
	};
}

/** What a poll costs n8n's process and its database. */
export async function measurePolls(): Promise<Table> {
	const rows: string[][] = [];
	for (const size of [1_000, 10_000, 100_000]) {
		const measured = await runInOwnProcess<Measured>(import.meta.url, [`${size}`]);
		rows.push([
			formatCount(size),
			formatMegabytes(measured.bodyBytes),
			formatMs(measured.parseMs),
			formatMs(measured.pollMs),
			formatMegabytes(measured.memoryBytes),
			`${measured.stateBytes.toFixed(1)} bytes`,
		]);
	}
	return {
		title: 'A poll of the trigger',
		text: `The built trigger runs on n8n’s own classes and polls a form whose responses come on one page. Each poll finds one new response. Processor times include n8n’s, and are medians of ${ROUNDS} polls. The memory is the most that the first poll adds to the process. The state is what n8n saves in its database, for each response. Goals: at 100,000 responses, at most 2 s of processor time and 600 MB; at most 20 bytes of state per response.`,
		head: ['Responses', 'Body', 'JSON.parse alone', 'Poll', 'Memory', 'State per response'],
		rows,
	};
}

const size = Number(process.argv[2]);
if (process.send !== undefined && size > 0) process.send(await measurePoll(size));
