import { createHash } from 'node:crypto';
import type { IDataObject, INode } from 'n8n-workflow';
import { locator, n8nFor, time } from '../../test/integration/harness.mts';
import { createAdditionalData } from '../../test/integration/n8n/execution.mts';
import { core, workflow as n8n } from '../../test/integration/n8n/core.mts';
import { nodeTypes, typeOf } from '../../test/integration/n8n/package.mts';
import { listingOf, startBodyServer, withOneMore, type BodyServer } from './listing.mts';
import {
	count,
	duration,
	longestTurn,
	medians,
	megabytes,
	ms,
	processorTime,
	ratio,
} from './measure.mts';
import type { Table } from './page.mts';

const MINUTE_MS = 60_000;

/** By how many responses there are: the shorter a poll, the more of them. */
const ROUNDS: Record<number, number> = { 1_000: 31, 10_000: 15, 30_000: 11, 100_000: 5 };

/** A trigger in n8n, as it goes on from what n8n has saved. */
export function watching(url: string, name: string) {
	const { runPoll } = n8nFor({ accessToken: name, baseUrl: url });
	let staticData: IDataObject = {};
	const parameters = {
		formId: locator('a'),
		events: ['responseCompleted'],
		simplify: true,
		options: { requestsPerDay: 8_640_000_000 },
	};
	const poll = async (items: number) => {
		const result = await runPoll(parameters, { workflowId: name, staticData });
		({ staticData } = result);
		const given = result.items?.length ?? 0;
		if (given !== items) throw new Error(`${given} items came, not ${items}`);
	};
	return { poll, saved: () => staticData };
}

/** The least that a polling node can do in n8n: it reads the body's bytes and digests them. */
function reading(url: string) {
	const node: INode = {
		id: 'reading',
		name: 'Reading',
		type: typeOf('formServiceTrigger'),
		typeVersion: 1,
		position: [0, 0],
		credentials: { formServiceApi: { id: '1', name: 'Account' } },
		parameters: {},
	};
	return async () => {
		const workflow = new n8n.Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		const data = createAdditionalData({ accessToken: 'reading', baseUrl: url }, 'trigger');
		const context = new core.PollContext(workflow, node, data, 'trigger', 'activate');
		await workflow.expression.withIsolate(async () => {
			const body = (await context.helpers.httpRequestWithAuthentication.call(
				context,
				'formServiceApi',
				{ url, encoding: 'arraybuffer' },
			)) as Buffer;
			createHash('sha256').update(body).digest();
		});
	};
}

/** Measures polls of the built trigger, and beside them reading the body and JSON.parse. */
async function pollsOf(server: BodyServer, size: number): Promise<string[]> {
	const isLarge = size >= 10_000;
	let body = listingOf(size);
	let next = size;
	await server.serve(body);
	const { poll: unchanged } = watching(server.url, `unchanged-${size}`);
	const { poll: changed } = watching(server.url, `changed-${size}`);
	await unchanged(0);
	await changed(0);
	const measure = async (how: typeof duration) =>
		await medians(
			ROUNDS[size],
			how,
			{
				parse: () => JSON.parse(body),
				read: reading(server.url),
				changed: async () => await changed(1),
				unchanged: async () => await unchanged(0),
			},
			{
				isLarge,
				async before() {
					// a wait in the account's queue is not part of a poll
					await time.sleep(MINUTE_MS);
					body = withOneMore(body, next++);
					await server.serve(body);
					await unchanged(1);
				},
			},
		);
	const took = await measure(duration);
	const processor = isLarge ? await measure(processorTime) : undefined;
	// most of a turn of a few milliseconds is n8n's, not the trigger's
	const turn = isLarge ? await measure(longestTurn) : undefined;
	return [
		count(size),
		megabytes(body.length),
		ms(took.parse),
		ms(took.unchanged - took.read),
		ratio((took.changed - took.read - took.parse) / took.parse),
		processor === undefined ? '–' : ms(processor.changed),
		turn === undefined ? '–' : ms(turn.changed),
	];
}

export async function polls(): Promise<Table> {
	const server = await startBodyServer();
	const rows: string[][] = [];
	for (const size of Object.keys(ROUNDS).map(Number)) rows.push(await pollsOf(server, size));
	server.close();
	const rounds = Object.values(ROUNDS).join(', ');
	return {
		title: 'A poll of the trigger',
		text: `The built trigger runs on n8n’s own classes and polls a listing of one page, with responses of about 650 bytes. A changed poll finds one new response. The comparison is the least that any polling node does in n8n: it reads the body, hashes it (SHA-256) and, if the body has changed, calls JSON.parse. “Beyond” is the time that the trigger takes in addition. The longest turn is the longest time in which nothing else runs in n8n, and most of it is JSON.parse. Medians of ${rounds} polls; those of 1,000 responses vary most from run to run.`,
		head: [
			'Responses',
			'Body',
			'JSON.parse',
			'Unchanged poll, beyond hashing',
			'Changed poll, beyond JSON.parse',
			'Processor time of a changed poll',
			'Longest turn of a changed poll',
		],
		rows: [
			...rows,
			[
				'Goal',
				'',
				'',
				'1.5 ms at 1,000',
				'at most 1.5 times at 1,000 and 10,000',
				'at most 1.5 s at 100,000',
				'',
			],
		],
	};
}

/** The size of what n8n keeps of a trigger in its database: its static data, as JSON. */
export async function state(): Promise<Table> {
	const server = await startBodyServer();
	const rows: string[][] = [];
	for (const size of [100, 10_000, 100_000]) {
		await server.serve(listingOf(size));
		const { poll, saved } = watching(server.url, `state-${size}`);
		await poll(0);
		const bytes = JSON.stringify(saved()).length;
		rows.push([count(size), `${count(bytes)} bytes`, `${(bytes / size).toFixed(1)}`]);
	}
	server.close();
	return {
		title: 'State in n8n’s database',
		text: 'The size of the static data of a trigger that watches one form. Static data is what n8n saves for a node between polls.',
		head: ['Responses', 'Size', 'Bytes per response'],
		rows,
	};
}
