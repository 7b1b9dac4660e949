import { afterAll, expect, it } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { type Execution, hasEnded, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { demoForms } from '../service/index.mts';
import { countPolls, submitAll, triggerWorkflow } from './delivery/submissions.mts';
import { report, saveAccount, startInstance, startUnlimited } from './instance.mts';
import { startPostgres, startRedis } from './servers.mts';

const WORKERS = 2;
const SUBMISSIONS = 120;
const SUBMITTED_WITHIN_MS = 75_000;
const UPDATED_WITHIN_MS = 600_000;
const POLL_EVERY_MS = 10_000;

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync(), 120_000);

/** n8n in queue mode: one main process and some workers on a Redis and a PostgreSQL of their own. */
async function startCluster() {
	const env = {
		EXECUTIONS_MODE: 'queue',
		EXECUTIONS_DATA_PRUNE: 'false',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(await startRedis(cleanup)),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(await startPostgres(cleanup)),
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'postgres',
		DB_POSTGRESDB_PASSWORD: 'unused',
	};
	// the workers expect the tables that the main process makes
	const { rest } = await startInstance(cleanup, { env });
	const workers = Array.from({ length: WORKERS }, async () => {
		return (await startInstance(cleanup, { env, role: 'worker' })).n8n;
	});
	return { rest, workers: await Promise.all(workers) };
}

it('in queue mode, polls in one process and updates once for each response on the workers', async () => {
	const service = await startUnlimited(cleanup, { perMinute: 60 });
	const { rest, workers } = await startCluster();
	const credential = await saveAccount(rest, service);
	const workflow = triggerWorkflow(credential, demoForms.contact);
	workflow.nodes[1] = workflowNode('End', 'n8n-nodes-formservice.formService', {
		credentials: { formServiceApi: credential },
		parameters: {
			...{ resource: 'setting', operation: 'update', inputMode: 'fields' },
			formId: { __rl: true, mode: 'id', value: demoForms.survey },
			settings: { description: '={{ $json.uuid }}' },
		},
	});
	const workflowId = await rest.createWorkflow(workflow);
	await rest.activate(workflowId);
	await rest.published(workflowId);
	expect(countPolls(service)).toBeGreaterThan(0);
	const known = service.store.responses(demoForms.contact).length;

	const start = Date.now();
	const plan = { submissions: SUBMISSIONS, durationMs: SUBMITTED_WITHIN_MS };
	await submitAll(service, { ...plan, formIds: [demoForms.contact] });
	let executions: Execution[] = [];
	const listUpdates = (status: number) =>
		service.requests.filter((one) => one.path.endsWith('/settings') && one.status === status);
	await until(async () => {
		if (listUpdates(200).length < SUBMISSIONS) return false;
		executions = await rest.executions(workflowId);
		return executions.every(hasEnded);
	}, UPDATED_WITHIN_MS);
	const pollTimes = Math.ceil((Date.now() - start) / POLL_EVERY_MS);
	await rest.deactivate(workflowId);

	const logs = await Promise.all(workers.map(async (worker) => await worker.log()));
	const runs = logs.map((log) => log.split('Worker started execution').length - 1);
	const refused = listUpdates(429).length;
	await report('queue', {
		...{ submitted: SUBMISSIONS, seconds: Math.round((Date.now() - start) / 1000) },
		...{ polls: countPolls(service), pollTimes, executions: executions.length, workers: runs },
		...{ updates: listUpdates(200).length, refused },
	});
	const updated = listUpdates(200).map(({ body }) => (body as { description: string }).description);
	const submitted = service.store.responses(demoForms.contact).slice(known);
	expect(updated.sort()).toEqual(submitted.map(({ uuid }) => uuid).sort());
	expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
	// which of the workers takes an execution is up to them
	expect(runs[0] + runs[1]).toBe(executions.length);
	// what is refused is sent again
	const polls = service.requests.filter(({ path, status }) => {
		return path.startsWith('/responses/') && status === 200;
	});
	expect(polls.length).toBeLessThanOrEqual(pollTimes + 2);
	// each process finds out by itself that a minute is used up
	expect(refused).toBeLessThan(SUBMISSIONS / 4);
});
