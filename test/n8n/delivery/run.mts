import { setTimeout as sleep } from 'node:timers/promises';
import { computeFingerprint } from '../../../nodes/FormService/trigger/responseEvents.ts';
import { until } from '../../../scripts/lib/command.mts';
import { type N8n, startN8n } from '../../../scripts/lib/n8n/instance.mts';
import { packedPackage } from '../../../scripts/lib/packedPackage.mts';
import { temporaryFolder } from '../../../scripts/lib/paths.mts';
import { type Service, startService } from '../../service/index.mts';
import { readDatabase, type Stored } from './database.mts';
import type { Mode } from './modes.mts';
import { countPolls, failAThird, submitAll, triggerWorkflow } from './submissions.mts';

const POLLED_WITHIN_MS = 600_000;
/** How long after the beginning of a poll a kill falls, at most. */
const IN_A_POLL_MS = 300;

/**
 * Submits responses while the service fails and n8n is killed, waits until what can arrive has arrived, and
 * reads from n8n's database what did.
 */
export async function deliver(mode: Mode) {
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

	const read = () => readDatabase(folder, workflowId);
	const submitting = submitAll(service, formId, mode);
	// with durable cursors n8n drops what the activation learned: a kill before the first poll begins anew
	await waitForPolls(service, 2);
	const countRequests = failAThird(service);
	const kills = await killRepeatedly(n8n, service, mode, read);
	await submitting;
	// a busy machine starts n8n so slowly that it polls less in the same time
	await until(() => countRequests() >= mode.minRequests, POLLED_WITHIN_MS);
	service.faults.clear();
	// what can still arrive, once or again, has arrived after some good polls
	await waitForPolls(service, 8);
	await n8n.stop();

	const submitted = service.store.responses(formId).map(({ uuid }) => uuid);
	const stored = read();
	return {
		submitted: submitted.length,
		requests: countRequests(),
		failedRequests: Math.floor(countRequests() / 3),
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
async function killRepeatedly(
	n8n: N8n,
	service: Service,
	mode: Mode,
	read: () => Stored,
): Promise<Stored[]> {
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
