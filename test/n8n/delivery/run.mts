import lodash from 'lodash';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../scripts/lib/command.mts';
import { executionReader, type N8n } from '../../../scripts/lib/n8n/instance.mts';
import type { Service } from '../../service/index.mts';
import { saveAccount, startInstance, startUnlimited } from '../instance.mts';
import { findTorn, listDeliveries, readDatabase, type Torn } from './database.mts';
import type { Mode } from './modes.mts';
import { countPolls, failAThird, submitAll, TRIGGER, triggerWorkflow } from './submissions.mts';

/** A response that was lost or repeated. */
export type Finding = {
	uuid: string;
	what: 'lost' | 'repeated';
	/** the kill between n8n's two writes that explains it; without one, the trigger is at fault */
	kill?: number;
};

const DRAIN_TIMEOUT_MS = 600_000;
const BEGUN_WITHIN_MS = 120_000;
/** How long a kill that is aimed at a poll waits for one. */
const POLL_WITHIN_MS = 20_000;
/** How long after the beginning of a poll a kill falls, at most. */
const IN_A_POLL_MS = 300;

/**
 * Submits responses while the service fails and n8n is killed, waits until what can arrive has arrived, and
 * reads from n8n's database what did.
 */
export async function deliver(mode: Mode) {
	await using cleanup = new AsyncDisposableStack();
	const service = await startUnlimited(cleanup, { seed: false });
	const fields = ['Name', 'Email', 'Message'].map((label) => ({ label }));
	const { id: formId } = service.store.addForm({ name: 'Form', fields });
	const env = { EXECUTIONS_DATA_PRUNE: 'false', ...mode.env };
	const { n8n, rest, folder } = await startInstance(cleanup, { line: mode.line, env });
	const workflow = triggerWorkflow(await saveAccount(rest, service), formId);
	const workflowId = await rest.createWorkflow(workflow);
	await rest.activate(workflowId);
	await waitForPolls(service, 1);

	const parse = await executionReader(mode.line);
	const listSubmitted = () => service.store.responses(formId).map(({ uuid }) => uuid);
	const read = () => {
		const stored = readDatabase(folder, workflowId);
		return { stored, deliveries: listDeliveries(stored, TRIGGER, parse) };
	};
	const findTornNow = () => {
		const { stored, deliveries } = read();
		return findTorn(stored, deliveries, listSubmitted());
	};
	const start = Date.now();
	const submitting = submitAll(service, { ...mode, formIds: [formId] });
	// with durable cursors n8n drops what the activation learned: a kill before the first poll begins anew
	await waitForPolls(service, 2);
	const counts = failAThird(service);
	const kills = await killRepeatedly(n8n, service, mode, findTornNow);
	await submitting;
	service.faults.clear();

	const submitted = listSubmitted();
	// what can still arrive, once or again, has arrived after some good polls
	const settled = countPolls(service);
	await until(() => countPolls(service) >= settled + 8, DRAIN_TIMEOUT_MS);
	await sleep(2_000);
	await n8n.stop();

	const { stored, deliveries } = read();
	return {
		seconds: Math.round((Date.now() - start) / 1000),
		submitted: submitted.length,
		...counts,
		kills: kills.length,
		executions: lodash.countBy(stored.executions, 'status'),
		delivered: deliveries.size,
		findings: findFaults(submitted, deliveries, kills),
	};
}

async function waitForPolls(service: Service, times: number): Promise<void> {
	if (!(await until(() => countPolls(service) >= times, BEGUN_WITHIN_MS))) {
		throw new Error(`The trigger has polled ${countPolls(service)} times, and not ${times}.`);
	}
	// the reply has to arrive too
	await sleep(1_000);
}

/**
 * Kills n8n at random times, or in a poll where it is aimed. Returns which responses each kill has torn.
 *
 * @param findTornNow reads n8n's database as a kill has left it
 */
async function killRepeatedly(
	n8n: N8n,
	service: Service,
	mode: Mode,
	findTornNow: () => Torn,
): Promise<Torn[]> {
	const start = Date.now();
	const kills: Torn[] = [];
	for (let number = 1; number <= mode.kills; number++) {
		const time = ((number - Math.random()) / mode.kills) * mode.durationMs;
		await sleep(Math.max(0, start + time - Date.now()));
		if (mode.isAtomic && number % 2 === 1) {
			const seen = countPolls(service);
			await until(() => countPolls(service) > seen, POLL_WITHIN_MS);
			await sleep(Math.random() * IN_A_POLL_MS);
		}
		await n8n.kill();
		kills.push(findTornNow());
		await n8n.start();
	}
	return kills;
}

/** Compares what was delivered with what was submitted, and looks for the kill that explains a difference. */
function findFaults(
	submitted: string[],
	deliveries: Map<string, string[]>,
	kills: Torn[],
): Finding[] {
	return submitted.flatMap((uuid) => {
		const { length } = deliveries.get(uuid) ?? [];
		if (length === 1) return [];
		const what = length === 0 ? 'lost' : 'repeated';
		// one kill can cause one repetition
		const index = length > 2 ? -1 : kills.findIndex((torn) => torn[what].includes(uuid));
		return [{ uuid, what, ...(index >= 0 && { kill: index + 1 }) }];
	});
}
