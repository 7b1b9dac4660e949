import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSqlite, sqliteFile } from '../../test/n8n/delivery/database.mts';
import { TRIGGER, until } from '../../test/n8n/delivery/submissions.mts';
import { type Service, startService } from '../../test/service/index.mts';
import { versionOf } from '../lib/n8n/install.mts';
import { executionReader, N8n } from '../lib/n8n/instance.mts';
import { pack } from '../lib/packedPackage.mts';
import { count, median, megabytes } from './measure.mts';
import type { Table } from './page.mts';
import { countSentBytes } from './sentBytes.mts';
import { addAccount, ownTrigger, REMOVE_DUPLICATES, submitAll, usualAdvice } from './watchers.mts';

/** How much faster than in reality all goes: ticks, submissions, and what the service and the trigger allow. */
const SCALE = 10;
const MINUTE_MS = 60_000 / SCALE;
/** n8n's tick of a minute. */
const TICK_MS = MINUTE_MS;
const PER_MINUTE = 60;
const PER_DAY = 1_440;
const REQUESTS_PER_DAY = 720;
const HOURS_A_DAY = 24;

/** Responses of each form: what is there before, and what comes in the first part of the run, so that it is polled. */
const EARLIER = 100;
const SUBMITTED = 12;
const SUBMITTING_SHARE = 2 / 3;
const FIRST_POLLS_WITHIN_MS = 60_000;

/** One of the two ways to watch, with an account of its own. */
type Watcher = {
	name: 'This trigger' | 'Usual advice';
	token: string;
	formIds: string[];
	/** where responses come out */
	node: string;
	workflowId: string;
};

type Submitted = ReadonlyMap<string, number>;

async function watch(n8n: N8n, service: Service, forms: number, isOurs: boolean): Promise<Watcher> {
	const name = isOurs ? 'This trigger' : 'Usual advice';
	const token = `${name} ${forms}`.replaceAll(' ', '-');
	const formIds = addAccount(service, token, { forms, responses: EARLIER });
	const { baseUrl } = service;
	const plan = { formIds, tickSeconds: TICK_MS / 1000 };
	const [type, data] = isOurs
		? ['formServiceApi', { accessToken: token, baseUrl }]
		: ['httpHeaderAuth', { name: 'Authorization', value: `Bearer ${token}` }];
	const id = await n8n.rest.saveCredential({ name: token, type, data });
	const credential = { id, name: token };
	const workflowId = await n8n.rest.createWorkflow(
		isOurs
			? ownTrigger(credential, { ...plan, requestsPerDay: REQUESTS_PER_DAY * SCALE })
			: usualAdvice(credential, { ...plan, baseUrl }),
	);
	await n8n.rest.activate(workflowId);
	await n8n.rest.published(workflowId);
	const hasBegun = () => requestsOf(service, token).length >= forms;
	if (!(await until(hasBegun, FIRST_POLLS_WITHIN_MS))) {
		throw new Error(`${token} has not polled each of its forms.`);
	}
	return { name, token, formIds, node: isOurs ? TRIGGER : REMOVE_DUPLICATES, workflowId };
}

const requestsOf = ({ requests }: Service, token: string) =>
	requests.filter((request) => request.token === token);

type Stored = Awaited<ReturnType<typeof executionReader>>;

/** What n8n's database tells of a workflow: how long each response took, and the size of what is kept. */
async function stored(file: string, watcher: Watcher, submitted: Submitted, parse: Stored) {
	const { workflowId, node } = watcher;
	const { executions, staticData } = await readSqlite(file)(workflowId);
	const delays = executions.flatMap(({ data }) => {
		const [run] = parse(data).resultData.runData[node] ?? [];
		return (run?.data?.main[0] ?? [])
			.map(({ json }) => submitted.get(String(json.uuid)))
			.filter((at) => at !== undefined)
			.map((at) => run.startTime + run.executionTime - at);
	});
	const database = new DatabaseSync(file, { readOnly: true });
	const rows = database
		.prepare('SELECT value FROM processed_data WHERE "workflowId" = ?')
		.all(workflowId);
	database.close();
	const state = rows.reduce(
		(sum, { value }) => sum + String(value).length,
		JSON.stringify(staticData).length,
	);
	return { delays, state };
}

const minutes = (milliseconds: number) => `${(milliseconds / MINUTE_MS).toFixed(1)} min`;

/**
 * Watching in a real n8n, beside the usual advice.
 *
 * @param runMs how long it is measured; the default stands for an hour
 */
export async function realN8n(runMs = 60 * MINUTE_MS): Promise<Table> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), 'bench-n8n-'));
	cleanup.defer(async () => await rm(folder, { recursive: true, force: true }));
	const limits = { perMinute: PER_MINUTE * SCALE, perDay: PER_DAY * SCALE };
	const sent = countSentBytes();
	const service = await startService({ ...limits, seed: false });
	cleanup.defer(async () => await service.close());
	const tarball = await pack(join(folder, 'packed'));
	const n8n = new N8n({ folder, tarball, env: { EXECUTIONS_DATA_PRUNE: 'false' } });
	cleanup.defer(async () => await n8n.stop());
	await n8n.start();
	const watchers: Watcher[] = [];
	for (const forms of [1, 5, 10]) {
		for (const isOurs of [true, false]) watchers.push(await watch(n8n, service, forms, isOurs));
	}

	// between two ticks, so that each run has the same number of them each time
	await sleep(1.5 * TICK_MS - (Date.now() % TICK_MS));
	service.requests.length = 0;
	const sentBefore = new Map(watchers.map(({ token }) => [token, sent.to(token)]));
	const end = sleep(runMs);
	const formIds = watchers.flatMap((watcher) => watcher.formIds);
	const submitted = await submitAll(service, formIds, {
		responses: SUBMITTED,
		withinMs: runMs * SUBMITTING_SHARE,
	});
	await end;
	sent.stop();
	const requests = [...service.requests];
	await n8n.stop();

	const parse = await executionReader();
	const perDay = (inRun: number) => (inRun * HOURS_A_DAY * 60 * MINUTE_MS) / runMs;
	const rows: string[][] = [];
	for (const watcher of watchers) {
		const { name, token } = watcher;
		const forms = watcher.formIds.length;
		const own = requestsOf({ ...service, requests }, token);
		const { delays, state } = await stored(sqliteFile(folder), watcher, submitted, parse);
		const aDay = perDay(own.length);
		rows.push([
			`${forms}`,
			name,
			count(Math.round(aDay)),
			aDay > PER_DAY ? `${((HOURS_A_DAY * PER_DAY) / aDay).toFixed(1)} hours` : 'all day',
			megabytes(perDay(sent.to(token) - sentBefore.get(token)!)),
			`${own.filter(({ status }) => status === 429).length}`,
			`${delays.length} of ${SUBMITTED * forms}`,
			delays.length > 0 ? minutes(median(delays)) : '–',
			delays.length > 0 ? minutes(Math.max(...delays)) : '–',
			`${count(state)} bytes`,
			`${(state / (forms * (EARLIER + SUBMITTED))).toFixed(1)} bytes`,
		]);
	}
	return {
		title: 'The same in a real n8n',
		text: `One n8n ${versionOf()} runs both ways for one, five and ten forms, each with its own account. Time passes ${SCALE} times as fast: n8n polls every ${TICK_MS / 1000} seconds instead of every minute, and all limits are ${SCALE} times as high. So ${runMs / 60_000} minutes stand for ${runMs / MINUTE_MS}, and the table shows scaled times. Requests and bytes are extrapolated from the run to a day. The run does not reach the daily limit; the table shows how long ${count(PER_DAY)} requests would last at the measured rate. Each form starts with ${EARLIER} responses on one page and gets ${SUBMITTED} more at random times in the first two thirds of the run. Remove Duplicates passes on all existing responses in its first run; these do not count. The state is what n8n’s database stores to recognize new responses: static data, or the history of Remove Duplicates. The trigger needs days to learn which forms are busy, so it polls all forms equally often here.`,
		head: [
			'Forms',
			'',
			'Requests a day',
			`${count(PER_DAY)} requests last`,
			'Bytes a day',
			'Refused',
			'Delivered',
			'Median delay',
			'Longest delay',
			'State',
			'State per response',
		],
		rows,
	};
}
