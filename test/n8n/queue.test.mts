import lodash from 'lodash';
import { afterAll, expect, it } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { startN8n } from '../../scripts/lib/n8n/instance.mts';
import { hasEnded, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms, type Service, slow, startService } from '../service/index.mts';
import { countPolls, submitAll, triggerWorkflow } from './delivery/submissions.mts';
import { startPostgres, startRedis } from './servers.mts';

const SUBMISSIONS = 120;
const SLOW_MS = 2_000;
const SUBMITTED_WITHIN_MS = 75_000;
const UPDATED_WITHIN_MS = 600_000;
const POLL_EVERY_S = 10;

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync(), 120_000);

/** n8n in queue mode: one main process and two workers on a Redis and a PostgreSQL of their own. */
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
	const tarball = await packedPackage();
	const start = async (role: 'main' | 'worker') => {
		const folder = await temporaryFolder('n8n-queue', cleanup);
		return await startN8n({ folder, tarball, role, env }, cleanup);
	};
	// the workers expect the tables that the main process makes
	const { rest } = await start('main');
	return { rest, workers: await Promise.all([start('worker'), start('worker')]) };
}

const listUpdates = ({ requests }: Service, status: number) =>
	requests.filter((one) => one.path.endsWith('/settings') && one.status === status);

it('in queue mode, polls in one process and updates once for each response on both workers', async () => {
	const service = await startService();
	cleanup.defer(service.close);
	// an execution takes longer than the time between two polls, so the other worker takes the next one
	service.faults.set({ fault: slow(SLOW_MS), match: { method: 'POST' } });
	const { rest, workers } = await startCluster();
	const credential = await rest.saveAccount(service);
	const workflow = triggerWorkflow(credential, demoForms.contact);
	workflow.nodes[1] = workflowNode('End', 'n8n-nodes-formservice.formService', {
		credentials: { formServiceApi: credential },
		parameters: {
			...{ resource: 'setting', operation: 'update', inputMode: 'fields' },
			formId: { __rl: true, mode: 'id', value: demoForms.survey },
			settings: { description: '={{ $json.uuid }}' },
		},
	});
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
	const listIds = () => service.store.responses(demoForms.contact).map(({ uuid }) => uuid);
	const existing = listIds();

	const start = Date.now();
	const plan = { submissions: SUBMISSIONS, durationMs: SUBMITTED_WITHIN_MS };
	await submitAll(service, demoForms.contact, plan);
	await until(async () => {
		const isUpdated = listUpdates(service, 200).length >= SUBMISSIONS;
		return isUpdated && (await rest.executions(id)).every(hasEnded);
	}, UPDATED_WITHIN_MS);
	const seconds = Math.round((Date.now() - start) / 1000);

	const executions = await rest.executions(id);
	const logs = await Promise.all(workers.map(async (worker) => await worker.log()));
	const runs = logs.map((log) => log.split('Worker started execution').length - 1);
	const updates = listUpdates(service, 200).map(({ body }) => lodash.get(body, 'description'));
	const refused = listUpdates(service, 429).length;
	const polls = countPolls({ requests: service.requests.filter(({ status }) => status === 200) });
	console.log('queue', { SUBMISSIONS, seconds, polls, updates: updates.length, refused, runs });
	expect(updates.sort()).toEqual(lodash.difference(listIds(), existing).sort());
	expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
	expect(Math.min(...runs)).toBeGreaterThan(0);
	expect(lodash.sum(runs)).toBe(executions.length);
	// two processes would poll twice as often
	expect(polls).toBeLessThanOrEqual(seconds / POLL_EVERY_S + 3);
	// each process finds out by itself that a minute is used up
	expect(refused).toBeLessThan(SUBMISSIONS / 4);
});
