import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executionReader } from '../../scripts/lib/n8n/instance.mts';
import { type WorkflowFile, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { demoForms, type Service } from '../service/index.mts';
import { listDeliveries } from './delivery/database.mts';
import { countPolls, submitAll, TRIGGER, triggerWorkflow, until } from './delivery/submissions.mts';
import { type Cluster, startCluster } from './queue/cluster.mts';
import { type Credential, report, saveAccount, startUnlimited } from './instance.mts';

const SUBMISSIONS = 200;
const SUBMITTED_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 10_000;
const WORKERS = 4;
const UPDATES = 400;
const UPDATES_PER_EXECUTION = 5;
const PER_MINUTE = 60;
const UPDATED_WITHIN_MS = 900_000;
const WEBHOOK_WITHIN_MS = 20_000;
const START_TIMEOUT_MS = 900_000;

const FORM = demoForms.contact;
const WEBHOOK = 'update-descriptions';
const ended = (status: string) => !['new', 'running', 'waiting'].includes(status);

/** Takes `{texts: [...]}` by webhook and gives the form each text as its description, one after the other. */
const updateWorkflow = (credential: Credential): WorkflowFile => ({
	name: 'Updates',
	nodes: [
		workflowNode('Webhook', 'n8n-nodes-base.webhook', {
			typeVersion: 2,
			webhookId: WEBHOOK,
			parameters: { httpMethod: 'POST', path: WEBHOOK, responseMode: 'onReceived', options: {} },
		}),
		workflowNode('Split Out', 'n8n-nodes-base.splitOut', {
			parameters: { fieldToSplitOut: 'body.texts', options: { destinationFieldName: 'text' } },
		}),
		workflowNode('Update Settings', 'n8n-nodes-formservice.formService', {
			credentials: { formServiceApi: credential },
			parameters: {
				resource: 'settings',
				operation: 'update',
				formId: { __rl: true, mode: 'id', value: FORM },
				inputMode: 'fields',
				settings: { description: '={{ $json.text }}' },
			},
		}),
	],
	connections: {
		Webhook: { main: [[{ node: 'Split Out', type: 'main', index: 0 }]] },
		'Split Out': { main: [[{ node: 'Update Settings', type: 'main', index: 0 }]] },
	},
	settings: { executionOrder: 'v1' },
});

/** Calls the webhook, and gives whether n8n took it: at first it may not have registered it yet. */
async function calls(url: string, body: object): Promise<boolean> {
	const reply = await fetch(`${url}/webhook/${WEBHOOK}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!reply.ok && reply.status !== 404) throw new Error(`The webhook answered ${reply.status}.`);
	return reply.ok;
}

describe('in queue mode, with four workers', () => {
	const cleanup = new AsyncDisposableStack();
	let service: Service;
	let cluster: Cluster;
	let credential: Credential;

	beforeAll(async () => {
		service = await startUnlimited(cleanup);
		cluster = await startCluster(WORKERS, cleanup);
		credential = await saveAccount(cluster.main.rest, service);
	}, START_TIMEOUT_MS);
	afterAll(async () => await cleanup.disposeAsync(), 120_000);

	/** Executions that each worker has begun while some work was done. */
	async function byWorker(work: () => Promise<void>): Promise<number[]> {
		const before = await cluster.executionsByWorker();
		await work();
		const after = await cluster.executionsByWorker();
		return after.map((count, index) => count - before[index]);
	}

	it('polls in one process, runs on several workers, and loses and repeats nothing', async () => {
		const { rest } = cluster.main;
		const workflowId = await rest.createWorkflow(triggerWorkflow(credential, FORM));
		await rest.activate(workflowId);
		expect(await until(() => countPolls(service) > 0, 2 * POLL_EVERY_MS)).toBe(true);
		const listUuids = () => service.store.responses(FORM).map(({ uuid }) => uuid);
		const before = new Set(listUuids());
		const parse = await executionReader();
		const read = async () => await cluster.read(workflowId);
		const countExecutions = async () => {
			const deliveries = listDeliveries(await read(), TRIGGER, parse);
			const submitted = listUuids().filter((uuid) => !before.has(uuid));
			return submitted.map((uuid) => deliveries.get(uuid)?.length ?? 0);
		};

		const start = Date.now();
		const workers = await byWorker(async () => {
			const plan = { formIds: [FORM], submissions: SUBMISSIONS, durationMs: SUBMITTED_WITHIN_MS };
			await submitAll(service, plan, Math.random);
			await until(async () => !(await countExecutions()).includes(0), 3 * POLL_EVERY_MS);
			const hasEnded = async () => (await read()).executions.every(({ status }) => ended(status));
			await until(hasEnded, 30_000);
		});
		const pollTimes = Math.ceil((Date.now() - start) / POLL_EVERY_MS);
		await rest.deactivate(workflowId);

		const { executions } = await read();
		const counts = await countExecutions();
		const polls = countPolls(service);
		await report('queue: trigger', {
			...{ submitted: SUBMISSIONS, polls, pollTimes, executions: executions.length, workers },
			lost: counts.filter((count) => count === 0).length,
			repeated: counts.filter((count) => count > 1).length,
		});
		expect(counts).toEqual(Array(SUBMISSIONS).fill(1));
		expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
		// a dozen executions need not reach each of them
		expect(workers.filter((runs) => runs > 0).length).toBeGreaterThan(1);
		expect(polls).toBeLessThanOrEqual(pollTimes + 2);
	});

	it('applies each of many updates once, within the limits that all workers share', async () => {
		const { rest, url } = cluster.main;
		Object.assign(service.limits, { perMinute: PER_MINUTE, perDay: 1440 });
		const workflowId = await rest.createWorkflow(updateWorkflow(credential));
		await rest.activate(workflowId);
		const texts = Array.from({ length: UPDATES }, (_, index) => `Update ${index}`);
		const runs = UPDATES / UPDATES_PER_EXECUTION;

		const start = Date.now();
		const workers = await byWorker(async () => {
			for (let run = 0; run < runs; run++) {
				const first = run * UPDATES_PER_EXECUTION;
				const body = { texts: texts.slice(first, first + UPDATES_PER_EXECUTION) };
				expect(await until(async () => await calls(url, body), WEBHOOK_WITHIN_MS)).toBe(true);
			}
			await until(async () => {
				const { executions } = await cluster.read(workflowId);
				return executions.length === runs && executions.every(({ status }) => ended(status));
			}, UPDATED_WITHIN_MS);
		});

		const updates = service.requests.filter(({ path }) => path === `/forms/${FORM}/settings`);
		const applied = updates.filter(({ status }) => status === 200);
		const refused = updates.filter(({ status }) => status === 429);
		const { executions } = await cluster.read(workflowId);
		const failed = executions.filter(({ status }) => status !== 'success');
		await report('queue: updates', {
			updates: UPDATES,
			applied: applied.length,
			refused: refused.length,
			seconds: Math.round((Date.now() - start) / 1000),
			executions: executions.length,
			failedExecutions: failed.length,
			workers,
		});
		const descriptions = applied.map(({ body }) => (body as { description: string }).description);
		expect(descriptions.sort()).toEqual([...texts].sort());
		expect(failed).toEqual([]);
		expect(Math.min(...workers)).toBeGreaterThan(0);
		// each worker finds out by itself that a minute is used up
		expect(refused.length).toBeLessThan(UPDATES / 4);
	});
});
