import { fork } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { IDataObject } from 'n8n-workflow';
import { compiledSources } from '../lib/compiled.mts';
import { root } from '../lib/paths.mts';
import { currentCall, followCalls, namesOf } from './calls.mts';
import { listingOf, startBodyServer, withOneMore } from './listing.mts';
import { count } from './measure.mts';
import type { Table } from './page.mts';

type Measured = {
	files: number;
	functions: number;
	/** The functions from n8n's call to the HTTP helper, the outermost first. */
	poll: string[];
	create: string[];
	getMany: string[];
};

/** The deepest chain of the package's functions that led to a request while some work was done. */
async function deepest(work: () => Promise<unknown>): Promise<string[]> {
	let found: string[] = [];
	const note = () => {
		const names = namesOf(currentCall());
		if (names.length > found.length) found = names;
	};
	subscribe('http.client.request.created', note);
	await work();
	return found;
}

/** The files and functions of the package that run while some work is done. */
async function executed(folder: string, work: () => Promise<unknown>) {
	const session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
	await session.post('Profiler.takePreciseCoverage');
	await work();
	const { result } = await session.post('Profiler.takePreciseCoverage');
	session.disconnect();
	const start = new Set([pathToFileURL(join(folder, 'nodes')).href, join(folder, 'nodes')]);
	const ran = result
		.filter(({ url }) => [...start].some((one) => url.startsWith(one)))
		.map(({ functions }) => functions.filter(({ ranges }) => ranges[0].count > 0).length)
		.filter((functions) => functions > 0);
	return { files: ran.length, functions: ran.reduce((sum, functions) => sum + functions, 0) };
}

async function measure(): Promise<Measured> {
	const folder = compiledSources();
	followCalls(folder);
	const { locator, n8nFor } = await import('../../test/integration/harness.mts');
	const server = await startBodyServer();
	const n8n = n8nFor({ accessToken: 'bench', baseUrl: server.url });
	const form = { __rl: true, mode: 'list', value: 'AbC123', cachedResultName: 'Contact' };
	const trigger = { formId: form, options: { requestsPerDay: 1_000_000 } };
	const listing = listingOf(10);
	const staticData: IDataObject = {};
	await server.serve(listing);
	await n8n.runPoll(trigger, { staticData });
	await n8n.runPoll(trigger, { staticData, budgetMs: 36_000 });
	await server.serve(withOneMore(listing, 10));
	let items: unknown;
	let ran = { files: 0, functions: 0 };
	const poll = await deepest(async () => {
		ran = await executed(folder, async () => {
			({ items } = await n8n.runPoll(trigger, { staticData, budgetMs: 36_000 }));
		});
	});
	if (!Array.isArray(items) || items.length !== 1) throw new Error('The poll gave no new response');

	const ofResponse = { resource: 'response', formId: locator('AbC123') };
	const getMany = await deepest(
		async () => await n8n.runNode({ ...ofResponse, operation: 'getAll', returnAll: true }),
	);
	await server.serve('{"success":true,"data":{"uuid":"a"}}');
	const answersJson = '{"9f1c2d3e-5b6a-4c7d-8e9f-000000000001":"Yes"}';
	const create = await deepest(
		async () =>
			await n8n.runNode({ ...ofResponse, operation: 'create', inputMode: 'json', answersJson }),
	);
	server.close();
	return { ...ran, poll, create, getMany };
}

/** The lines and files of TypeScript in folders. */
function sizeOf(pattern: string): string {
	const paths = globSync(pattern, { cwd: root });
	const lines = paths.map((path) => readFileSync(join(root, path), 'utf8').split('\n').length - 1);
	return `${count(lines.reduce((sum, one) => sum + one, 0))} in ${paths.length}`;
}

/** How much of the package one has to know to follow a poll, or an item. */
export async function path(): Promise<Table> {
	const child = fork(fileURLToPath(import.meta.url), ['--measure']);
	const [measured] = (await once(child, 'message')) as [Measured];
	child.kill();
	const { files, functions, poll, create, getMany } = measured;
	return {
		title: 'Following a poll or an item through the code',
		text: 'How much code someone has to read. A changed poll finds one new response on one page. The depth is the number of the package’s functions on the call stack, including asynchronous callers, when the package calls n8n’s HTTP helper.',
		head: ['', 'Figure'],
		rows: [
			['Files and functions that a changed poll executes', `${files}, ${functions}`],
			['Depth of a poll', String(poll.length)],
			['Depth of an item, Response: Create', String(create.length)],
			['Depth of an item, Response: Get Many', String(getMany.length)],
			[
				'Lines and files of TypeScript in `nodes` and `credentials`',
				sizeOf('{nodes,credentials}/**/*.ts'),
			],
			['Lines and files in `trigger`', sizeOf('nodes/FormService/trigger/*.ts')],
		],
	};
}

// --show prints the names of the functions
const [, , how] = process.argv;
if (how === '--measure') process.send?.(await measure());
if (how === '--show') {
	console.log(await measure());
	process.exit();
}
