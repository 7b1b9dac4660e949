/** Measures the time of a poll, and writes it into docs/benchmarks.md. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { locator, n8nFor, time } from '../test/integration/harness.mts';
import { formatMarkdown, renderTable, replaceSection } from './lib/markdown.mts';
import { root } from './lib/paths.mts';

const ROUNDS = 9;
const HEAD = ['Responses', 'Body', 'JSON.parse alone', 'Poll', 'State per response'];
const LABELS = ['Name', 'Email', 'Message', 'Phone', 'Comment'];

const formatMs = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

function createResponse(number: number): object {
	const created_at = new Date(1_700_000_000_000 + number * 60_000).toISOString();
	const answers = LABELS.map((label) => {
		return { key: label, value: `${label} of respondent ${number}, in some words` };
	});
	const others = { referrer: null, webhook_sent: false, hubspot_sync: false };
	return { uuid: randomUUID(), number, created_at, responses: answers, ...others };
}

/** Returns the median of the processor time of some rounds, in milliseconds. */
async function measure(work: () => unknown, prepare: () => unknown = () => {}): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		await prepare();
		const before = process.cpuUsage();
		await work();
		const { user, system } = process.cpuUsage(before);
		times.push((user + system) / 1000);
	}
	return lodash.sortBy(times)[ROUNDS >> 1];
}

/** Polls a list with the built trigger and n8n's classes. Returns a row of the table. */
async function measurePolls(size: number): Promise<string[]> {
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
		async () => await poll(1),
		async () => {
			addResponse();
			// wait until the next poll is due
			await time.sleep(600_000);
		},
	);
	await server.close();
	const parseMs = await measure(() => JSON.parse(body.toString()) as unknown);
	const stateBytes = JSON.stringify(staticData).length / responses.length;
	return [
		...[size.toLocaleString('en'), `${(body.length / 1e6).toFixed(1)} MB`],
		...[formatMs(parseMs), formatMs(pollMs), `${stateBytes.toFixed(1)} bytes`],
	];
}

const machine = `${cpus().length} processors (${cpus()[0].model.trim()}), Node ${process.versions.node}`;
const measured = `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}.`;
const rows: string[][] = [];
for (const size of [1_000, 10_000, 100_000]) rows.push(await measurePolls(size));
const path = join(root, 'docs', 'benchmarks.md');
const polls = `${measured}\n\n${renderTable(HEAD, rows)}`;
const page = replaceSection(await readFile(path, 'utf8'), 'polls', polls);
await writeFile(path, await formatMarkdown(page));
console.log(polls);
// the virtual time of the tests keeps timers open
process.exit();
