import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import lodash from 'lodash';
import { it, vi } from 'vitest';
import { computeFingerprint } from '../../nodes/FormService/trigger/responseEvents.ts';
import { until } from '../../scripts/lib/command.mts';
import { type N8n, startN8n } from '../../scripts/lib/n8n/instance.mts';
import { packedPackage } from '../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { faultTable, type Service, startService } from '../service/index.mts';
import { type Mode, modes } from './delivery/modes.mts';
import { countPolls, submitAll, triggerWorkflow } from './delivery/submissions.mts';

// beside an n8n of another part, two cores cannot start more
vi.setConfig({ maxConcurrency: 3 });

const POLLED_WITHIN_MS = 600_000;
/** How long after the beginning of a poll a kill falls, at most. */
const IN_A_POLL_MS = 300;
/** Without a write-ahead log, as in 1.x, n8n locks readers out while it writes. */
const LOCK_TIMEOUT_MS = 30_000;

/** The daily limit would outlast the run, and the others take up to a minute each: little else would happen. */
const LONG = ['tooManyDay', 'silentBefore', 'silentAfter'];
const FAULTS = Object.values(lodash.omit(faultTable, LONG));

const chosen = process.env.DELIVERY_MODES?.split(',') ?? modes.map(({ name }) => name);

it.concurrent.for(modes.filter(({ name }) => chosen.includes(name)))(
	'While the service fails and n8n is killed, the trigger loses and repeats nothing that n8n itself has not: $title',
	async (mode, { expect }) => {
		const outcome = await deliver(mode);
		console.log(mode.title, outcome);
		// the run was as hard as it was meant to be
		expect(outcome).toMatchObject({ submitted: mode.submissions, kills: mode.kills });
		expect(outcome.requests).toBeGreaterThanOrEqual(mode.minRequests);
		const own = outcome.findings.filter(({ isByN8n }) => mode.isAtomic || !isByN8n);
		expect(own).toEqual([]);
	},
);

/**
 * Submits responses while the service fails and n8n is killed, waits until what can arrive has arrived, and
 * reads from n8n's database what did.
 */
async function deliver(mode: Mode) {
	await using cleanup = new AsyncDisposableStack();
	const service = await startService({ seed: false });
	cleanup.defer(service.close);
	const { id: formId } = service.store.addForm({ name: 'Form', fields: [{ label: 'Name' }] });
	const env = { EXECUTIONS_DATA_PRUNE: 'false', ...mode.env };
	const folder = await temporaryFolder('n8n-delivery', cleanup);
	const options = { line: mode.line, folder, tarball: await packedPackage(), env };
	const n8n = await startN8n(options, cleanup);
	const workflow = triggerWorkflow(await n8n.rest.saveAccount(service), formId);
	const workflowId = await n8n.rest.createWorkflow(workflow);
	await n8n.rest.activate(workflowId);

	const submitting = submitAll(service, formId, mode);
	// with durable cursors n8n drops what the activation learned: a kill before the first poll begins anew
	await waitForPolls(service, 2);
	const before = countPolls(service);
	const countRequests = () => countPolls(service) - before;
	const chooseFault = () => (countRequests() % 3 === 0 ? lodash.sample(FAULTS) : undefined);
	service.faults.set({ fault: chooseFault, match: { path: /^\/responses\// } });
	const kills = await killRepeatedly(n8n, service, mode, () => readDatabase(folder, workflowId));
	await submitting;
	// a busy machine starts n8n so slowly that it polls less in the same time
	await until(() => countRequests() >= mode.minRequests, POLLED_WITHIN_MS);
	const requests = countRequests();
	service.faults.clear();
	// what can still arrive, once or again, has arrived after some good polls
	await waitForPolls(service, 8);
	await n8n.stop();

	const submitted = service.store.responses(formId).map(({ uuid }) => uuid);
	const stored = readDatabase(folder, workflowId);
	return {
		submitted: submitted.length,
		requests,
		failedRequests: Math.floor(requests / 3),
		kills: kills.length,
		delivered: submitted.filter((uuid) => countDeliveries(stored, uuid) > 0).length,
		findings: findFaults(submitted, stored, kills),
	};
}

/** Waits for so many further polls, and until the reply to the last one has arrived. */
async function waitForPolls(service: Service, times: number): Promise<void> {
	const polls = countPolls(service) + times;
	await until(() => countPolls(service) >= polls, POLLED_WITHIN_MS);
	await sleep(2_000);
}

/** Kills n8n in polls, after random times. Returns what n8n had stored at each kill. */
async function killRepeatedly(n8n: N8n, service: Service, mode: Mode, read: () => Stored) {
	const start = Date.now();
	const kills: Stored[] = [];
	for (let number = 1; number <= mode.kills; number++) {
		const time = ((number - Math.random()) / mode.kills) * mode.durationMs;
		await sleep(Math.max(0, start + time - Date.now()));
		const seen = countPolls(service);
		await until(() => countPolls(service) > seen, 20_000);
		await sleep(Math.random() * IN_A_POLL_MS);
		await n8n.kill();
		kills.push(read());
		await n8n.start();
	}
	return kills;
}

const EXECUTIONS = `
	SELECT data AS text FROM execution_data
	WHERE executionId IN (SELECT id FROM execution_entity WHERE workflowId = ?)`;
const STATIC_DATA = 'SELECT staticData AS text FROM workflow_entity WHERE id = ?';

/** What n8n has stored about a workflow: the data of its executions, which have UUIDs, and its static data. */
type Stored = { executions: string[]; state: string };

/** Reads the database of an n8n that was killed or has ended, and changes nothing. */
function readDatabase(folder: string, workflowId: string): Stored {
	const file = join(folder, '.n8n', 'database.sqlite');
	using database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
	// not opened as read-only: what a kill has cut off has to be rolled back
	database.exec('PRAGMA query_only = ON');
	const list = (query: string) =>
		Array.from(database.prepare(query).iterate(workflowId), ({ text }) => String(text));
	return { executions: list(EXECUTIONS), state: list(STATIC_DATA).join() };
}

const countDeliveries = ({ executions }: Stored, uuid: string): number =>
	executions.filter((data) => data.includes(uuid)).length;

/**
 * Lists the responses that were lost or repeated. In its default mode, n8n saves the state of a trigger and the
 * execution one after the other. If a kill falls between, a seen response without an execution is lost, and an
 * unseen response with an execution comes once more: then n8n is at fault, and not the trigger.
 */
function findFaults(submitted: string[], stored: Stored, kills: Stored[]) {
	return submitted.flatMap((uuid) => {
		const count = countDeliveries(stored, uuid);
		if (count === 1) return [];
		const isByN8n = kills.some((kill) => {
			const isSeen = kill.state.includes(computeFingerprint(uuid));
			const wasDelivered = countDeliveries(kill, uuid) > 0;
			return count <= 2 && isSeen === (count === 0) && wasDelivered === count > 0;
		});
		return [{ uuid, count, isByN8n }];
	});
}
