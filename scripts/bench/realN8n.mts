import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { readDatabase } from '../../test/n8n/delivery/database.mts';
import { TRIGGER, triggerWorkflow } from '../../test/n8n/delivery/submissions.mts';
import { type Service, startService } from '../../test/service/index.mts';
import { until } from '../lib/command.mts';
import { versionOf } from '../lib/n8n/install.mts';
import { executionReader, N8n } from '../lib/n8n/instance.mts';
import { type WorkflowFile, workflowNode } from '../lib/n8n/rest.mts';
import { pack } from '../lib/packedPackage.mts';
import { temporaryFolder } from '../lib/paths.mts';
import type { Table } from './main.mts';
import { formatCount, formatMinutes, median } from './measure.mts';

/** How much faster than in reality everything goes: polls, submissions and limits. */
const SCALE = 10;
const RUN_MS = 360_000;
const PER_DAY = 1_440;
/** n8n polls once a minute. */
const POLL_SECONDS = 60 / SCALE;
const EARLIER = 100;
const SUBMITTED = 12;

const REMOVE_DUPLICATES = 'Remove Duplicates';

/** A way to watch forms, with an account of its own. */
type Watcher = { name: string; node: string; token: string; formIds: string[]; workflowId: string };

/** Polls all responses of each form and removes those seen before. */
function createUsualAdvice(id: string, formIds: string[], baseUrl: string): WorkflowFile {
	const node = (name: string, type: string, typeVersion: number, parameters: INodeParameters) =>
		workflowNode(name, `n8n-nodes-base.${type}`, { typeVersion, parameters });
	const interval = [{ field: 'seconds', secondsInterval: POLL_SECONDS }];
	const nodes = [
		node('Schedule Trigger', 'scheduleTrigger', 1.3, { rule: { interval } }),
		node('Forms', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ formIds }) }),
		node('Each Form', 'splitOut', 1, { fieldToSplitOut: 'formIds' }),
		node('HTTP Request', 'httpRequest', 4.2, {
			url: `=${baseUrl}/responses/{{ $json.formIds }}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
		}),
		node('Each Response', 'splitOut', 1, { fieldToSplitOut: 'data' }),
		node(REMOVE_DUPLICATES, 'removeDuplicates', 2, {
			operation: 'removeItemsSeenInPreviousExecutions',
			dedupeValue: '={{ $json.uuid }}',
		}),
	];
	nodes[3].credentials = { httpHeaderAuth: { id, name: 'Header' } };
	const connections = nodes.slice(1).map(({ name }, index) => {
		const main = [[{ node: name, type: 'main' as const, index: 0 }]];
		return [nodes[index].name, { main }];
	});
	return { name: 'Usual advice', nodes, connections: Object.fromEntries(connections) };
}

/** The trigger of this package on these forms. */
function createTrigger(id: string, formIds: string[]): WorkflowFile {
	const workflow = triggerWorkflow({ id, name: 'Account' }, formIds[0]);
	// n8n takes no expression of a trigger that means several polls a minute, but several expressions
	const item = Array.from({ length: SCALE }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${index * POLL_SECONDS} * * * * *`,
	}));
	Object.assign(workflow.nodes[0].parameters, {
		pollTimes: { item },
		options: { requestsPerDay: 720 * SCALE },
		...(formIds.length > 1 && { watch: 'several', formIds }),
	});
	return workflow;
}

async function startWatcher(n8n: N8n, service: Service, forms: number, isOurs: boolean) {
	const name = isOurs ? 'This trigger' : 'Usual advice';
	const token = `${name} ${forms}`.replaceAll(' ', '-');
	const { store, baseUrl } = service;
	const { id: accountId } = store.addAccount({ tokens: [token] });
	const formIds = Array.from({ length: forms }, (_, index) => {
		const form = { accountId, name: `Form ${index + 1}`, fields: [{ label: 'Name' }] };
		const { id } = store.addForm(form);
		for (let count = 0; count < EARLIER; count++) store.addResponse(id);
		return id;
	});
	const account = isOurs
		? { type: 'formServiceApi', data: { accessToken: token, baseUrl } }
		: { type: 'httpHeaderAuth', data: { name: 'Authorization', value: `Bearer ${token}` } };
	const id = await n8n.rest.saveCredential({ name: token, ...account });
	const workflow = isOurs ? createTrigger(id, formIds) : createUsualAdvice(id, formIds, baseUrl);
	const workflowId = await n8n.rest.createWorkflow(workflow);
	await n8n.rest.activate(workflowId);
	await n8n.rest.published(workflowId);
	const hasBegun = () => service.requests.filter((one) => one.token === token).length >= forms;
	if (!(await until(hasBegun, 60_000))) throw new Error(`${token} has not polled all its forms.`);
	return { name, node: isOurs ? TRIGGER : REMOVE_DUPLICATES, token, formIds, workflowId };
}

/** Submits responses at random times in the first two thirds of the run; returns the times by UUID. */
async function submitResponses({ store }: Service, formIds: string[]) {
	const start = Date.now();
	const plan = formIds
		.flatMap((formId) => Array<string>(SUBMITTED).fill(formId))
		.map((formId) => ({ formId, atMs: start + (Math.random() * RUN_MS * 2) / 3 }))
		.sort((one, other) => one.atMs - other.atMs);
	const submittedMs = new Map<string, number>();
	for (const { formId, atMs } of plan) {
		await sleep(Math.max(0, atMs - Date.now()));
		submittedMs.set(store.addResponse(formId).uuid, Date.now());
	}
	return submittedMs;
}

/** Watching forms in a real n8n, beside the usual advice. */
export async function measureInN8n(): Promise<Table> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await temporaryFolder('bench-n8n', cleanup);
	const limits = { perMinute: 60 * SCALE, perDay: PER_DAY * SCALE };
	const service = await startService({ ...limits, seed: false });
	cleanup.defer(async () => await service.close());
	const tarball = await pack(join(folder, 'packed'));
	const n8n = new N8n({ folder, tarball, env: { EXECUTIONS_DATA_PRUNE: 'false' } });
	cleanup.defer(async () => await n8n.stop());
	await n8n.start();
	const watchers: Watcher[] = [];
	for (const forms of [1, 10]) {
		for (const isOurs of [true, false]) {
			watchers.push(await startWatcher(n8n, service, forms, isOurs));
		}
	}
	service.requests.length = 0;
	const end = sleep(RUN_MS);
	const formIds = watchers.flatMap((watcher) => watcher.formIds);
	const submittedMs = await submitResponses(service, formIds);
	await end;
	const requests = [...service.requests];
	await n8n.stop();

	const parse = await executionReader();
	const rows: string[][] = [];
	for (const { name, node, token, formIds: own, workflowId } of watchers) {
		const { executions } = readDatabase(folder, workflowId);
		const delays = executions.flatMap(({ data }) => {
			const [run] = parse(data).resultData.runData[node] ?? [];
			return (run?.data?.main[0] ?? [])
				.map(({ json }) => submittedMs.get(String(json.uuid)))
				.filter((atMs) => atMs !== undefined)
				.map((atMs) => (run.startTime + run.executionTime - atMs) * SCALE);
		});
		const sent = requests.filter((request) => request.token === token);
		const aDay = (sent.length * 86_400_000) / (RUN_MS * SCALE);
		rows.push([
			`${own.length}`,
			name,
			formatCount(Math.round(aDay)),
			aDay > PER_DAY ? `${((24 * PER_DAY) / aDay).toFixed(1)} hours` : 'all day',
			`${delays.length} of ${SUBMITTED * own.length}`,
			delays.length > 0 ? formatMinutes(median(delays)) : '–',
			delays.length > 0 ? formatMinutes(Math.max(...delays)) : '–',
		]);
	}
	return {
		title: 'Watching forms in a real n8n',
		text: `One n8n ${versionOf()} watches forms with this trigger, and in the usual way: with a Schedule Trigger, an HTTP Request and Remove Duplicates. Each has its own accounts. Time passes ${SCALE} times as fast, and the table shows scaled times: ${RUN_MS / 60_000} minutes stand for an hour. Requests are extrapolated to a day; the fourth column says how long the daily limit would last. The trigger needs days to learn which forms are busy, so here it polls all equally often. Responses are submitted in the first two thirds of the hour; one that still waits for a poll when the hour ends is not lost, but counts as not delivered.`,
		head: [
			'Forms',
			'',
			'Requests a day',
			'The daily limit lasts',
			'Delivered',
			'Median delay',
			'Longest delay',
		],
		rows,
	};
}
