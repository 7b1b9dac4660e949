import lodash from 'lodash';
import { afterAll, expect, it } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { type Execution, hasEnded, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { demoForms, slow } from '../service/index.mts';
import { submitAll, triggerWorkflow } from './delivery/submissions.mts';
import { type Credential, saveAccount, startInstance, startUnlimited } from './instance.mts';
import { startPostgres, startRedis } from './servers.mts';

const WORKERS = 2;
const FORMS = [demoForms.contact, demoForms.newsletter];
const SUBMISSIONS = 120;
const SLOW_MS = 2_000;
const SUBMITTED_WITHIN_MS = 75_000;
const UPDATED_WITHIN_MS = 600_000;
const POLL_EVERY_S = 10;

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync(), 120_000);

/** n8n in queue mode: one main process and some workers on a Redis and a PostgreSQL of their own. */
async function startCluster() {
	const env = {
		EXECUTIONS_MODE: 'queue',
		EXECUTIONS_DATA_PRUNE: 'false',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: await startRedis(cleanup),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: await startPostgres(cleanup),
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

/** A workflow that updates a form once for each new response of another form. */
function updatingWorkflow(formServiceApi: Credential, formId: string) {
	const credentials = { formServiceApi };
	const workflow = triggerWorkflow(formServiceApi, formId);
	const parameters = {
		...{ resource: 'setting', operation: 'update', inputMode: 'fields' },
		formId: { __rl: true, mode: 'id', value: demoForms.survey },
		settings: { description: '={{ $json.uuid }}' },
	};
	const type = 'n8n-nodes-formservice.formService';
	workflow.nodes[1] = workflowNode('End', type, { credentials, parameters });
	return workflow;
}

it('in queue mode, polls in one process and updates once for each response on both workers', async () => {
	const service = await startUnlimited(cleanup, { perMinute: 60 });
	// both forms are polled at once: while one worker waits, only the other one can take the next execution
	service.faults.set({ fault: slow(SLOW_MS), match: { method: 'POST' } });
	const { rest, workers } = await startCluster();
	const credential = await saveAccount(rest, service);
	const listResponses = () => FORMS.flatMap((id) => service.store.responses(id));
	const known = new Set(listResponses().map(({ uuid }) => uuid));
	const workflowIds: string[] = [];
	for (const formId of FORMS) {
		const id = await rest.createWorkflow(updatingWorkflow(credential, formId));
		await rest.activate(id);
		workflowIds.push(id);
	}

	const start = Date.now();
	const plan = { submissions: SUBMISSIONS, durationMs: SUBMITTED_WITHIN_MS };
	await submitAll(service, { ...plan, formIds: FORMS });
	let executions: Execution[] = [];
	const listUpdates = (status: number) =>
		service.requests.filter((one) => one.path.endsWith('/settings') && one.status === status);
	await until(async () => {
		if (listUpdates(200).length < SUBMISSIONS) return false;
		executions = (await Promise.all(workflowIds.map((id) => rest.executions(id)))).flat();
		return executions.every(hasEnded);
	}, UPDATED_WITHIN_MS);
	const seconds = Math.round((Date.now() - start) / 1000);

	const logs = await Promise.all(workers.map(async (worker) => await worker.log()));
	const runs = logs.map((log) => log.split('Worker started execution').length - 1);
	const refused = listUpdates(429).length;
	const polls = service.requests.filter(
		({ path, status }) => path.startsWith('/responses/') && status === 200,
	).length;
	const counts = { submitted: SUBMISSIONS, seconds, polls, updates: listUpdates(200).length };
	console.log('queue', { ...counts, refused, executions: executions.length, runs });
	const updated = listUpdates(200).map(({ body }) => (body as { description: string }).description);
	const submitted = listResponses().filter(({ uuid }) => !known.has(uuid));
	expect(updated.sort()).toEqual(submitted.map(({ uuid }) => uuid).sort());
	expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
	expect(Math.min(...runs)).toBeGreaterThan(0);
	expect(lodash.sum(runs)).toBe(executions.length);
	// two processes would poll twice as often
	expect(polls).toBeLessThanOrEqual(FORMS.length * (seconds / POLL_EVERY_S + 3));
	// each process finds out by itself that a minute is used up
	expect(refused).toBeLessThan(SUBMISSIONS / 4);
});
