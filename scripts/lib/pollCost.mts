/** Measures what a poll of a long list costs, with the built trigger and n8n's classes. */
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { locator, n8nFor, time } from '../../test/integration/harness.mts';

const LABELS = ['Name', 'Email', 'Message', 'Phone', 'Comment'];

/** Times are processor time in milliseconds. */
export type PollCost = { bodyBytes: number; parseMs: number; pollMs: number; stateBytes: number };

function createResponse(number: number): object {
	const created_at = new Date(1_700_000_000_000 + number * 60_000).toISOString();
	const answers = LABELS.map((label) => {
		return { key: label, value: `${label} of respondent ${number}, in some words` };
	});
	const others = { referrer: null, webhook_sent: false, hubspot_sync: false };
	return { uuid: randomUUID(), number, created_at, responses: answers, ...others };
}

/** Returns the processor time of the fastest of some rounds, because other work of the machine slows the others. */
async function measure(
	rounds: number,
	work: () => unknown,
	prepare: () => unknown = () => {},
): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < rounds; round++) {
		await prepare();
		const before = process.cpuUsage();
		await work();
		const { user, system } = process.cpuUsage(before);
		times.push((user + system) / 1000);
	}
	return lodash.min(times)!;
}

/** Measures polls that find one new response each, if all responses are in one reply. */
export async function measurePolls(size: number, rounds: number): Promise<PollCost> {
	const responses = lodash.times(size, createResponse);
	let body = Buffer.alloc(0);
	const addResponse = () => {
		responses.push(createResponse(responses.length));
		body = Buffer.from(JSON.stringify({ success: true, data: responses }));
	};
	const server = fastify();
	server.get('*', async ({ url }, reply) => {
		reply.type('application/json');
		return url.endsWith('/forms') ? '{"data":[]}' : body;
	});
	const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
	const n8n = n8nFor({ accessToken: 'token', baseUrl });
	const staticData: IDataObject = {};
	const options = { requestsPerDay: 1_000_000 };
	const parameters = { formId: locator('form'), events: ['responseCompleted'], options };
	const poll = async (expected: number) => {
		const { items } = await n8n.runPoll(parameters, { staticData });
		const count = items?.length ?? 0;
		if (count !== expected) throw new Error(`${count} items came, not ${expected}`);
	};
	addResponse();
	await poll(0);
	const pollMs = await measure(
		rounds,
		async () => await poll(1),
		async () => {
			addResponse();
			// wait until the next poll is due
			await time.sleep(600_000);
		},
	);
	await server.close();
	const parseMs = await measure(rounds, () => JSON.parse(body.toString()) as unknown);
	const stateBytes = JSON.stringify(staticData).length / responses.length;
	return { bodyBytes: body.length, parseMs, pollMs, stateBytes };
}
