import lodash from 'lodash';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../scripts/lib/command.mts';
import { executionReader, type N8n } from '../../../scripts/lib/n8n/instance.mts';
import type { Service } from '../../service/index.mts';
import { saveAccount, startInstance, startUnlimited } from '../instance.mts';
import { listDeliveries, readDatabase, type Stored } from './database.mts';
import type { Mode } from './modes.mts';
import { countPolls, failAThird, submitAll, TRIGGER, triggerWorkflow } from './submissions.mts';

/** A response that was lost or repeated. */
export type Finding = {
	uuid: string;
	what: 'lost' | 'repeated';
	/** the kill between n8n's two writes that explains it; without one, the trigger is at fault */
	kill?: number;
};

/** n8n's database a moment before a kill, and as the kill left it. */
type Kill = { before: Stored; after: Stored };

const DRAIN_TIMEOUT_MS = 600_000;
const BEGUN_WITHIN_MS = 120_000;
/** How long a kill that is aimed at a poll waits for one. */
const POLL_WITHIN_MS = 20_000;
/** How long after the beginning of a poll a kill falls, at most. */
const IN_A_POLL_MS = 300;
/** How long before a kill n8n's database is read: its two writes are milliseconds apart. */
const BEFORE_A_KILL_MS = 3_000;

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

	const read = () => readDatabase(folder, workflowId);
	const start = Date.now();
	const submitting = submitAll(service, { ...mode, formIds: [formId] });
	// with durable cursors n8n drops what the activation learned: a kill before the first poll begins anew
	await waitForPolls(service, 2);
	const counts = failAThird(service);
	const kills = await killRepeatedly(n8n, service, mode, read);
	await submitting;
	service.faults.clear();

	const parse = await executionReader(mode.line);
	const submitted = service.store.responses(formId).map(({ uuid }) => uuid);
	// what can still arrive, once or again, has arrived after some good polls
	const settled = countPolls(service);
	await until(() => countPolls(service) >= settled + 8, DRAIN_TIMEOUT_MS);
	await sleep(2_000);
	await n8n.stop();

	const stored = read();
	const deliveries = listDeliveries(stored, TRIGGER, parse);
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

/** Kills n8n at random times, or in a poll where it is aimed, and keeps what its database had before and after. */
async function killRepeatedly(
	n8n: N8n,
	service: Service,
	mode: Mode,
	read: () => Stored,
): Promise<Kill[]> {
	const start = Date.now();
	const kills: Kill[] = [];
	for (let number = 1; number <= mode.kills; number++) {
		const time = ((number - Math.random()) / mode.kills) * mode.durationMs;
		await sleep(Math.max(0, start + time - Date.now()));
		const before = read();
		if (mode.isAtomic && number % 2 === 1) {
			const seen = countPolls(service);
			await until(() => countPolls(service) > seen, POLL_WITHIN_MS);
			await sleep(Math.random() * IN_A_POLL_MS);
		} else {
			await sleep(BEFORE_A_KILL_MS);
		}
		await n8n.kill();
		kills.push({ before, after: read() });
		await n8n.start();
	}
	return kills;
}

/**
 * Compares what was delivered with what was submitted, and looks for the kill that fell between n8n's two
 * writes. In its default mode n8n saves the state of a trigger, then the execution that it starts: a kill in
 * between leaves a new state without a new execution, or a new execution with the old state.
 */
function findFaults(
	submitted: string[],
	deliveries: Map<string, string[]>,
	kills: Kill[],
): Finding[] {
	const findings: Finding[] = [];
	const add = (uuid: string, what: Finding['what'], isCause: (kill: Kill) => boolean) => {
		const index = kills.findIndex(isCause);
		findings.push({ uuid, what, ...(index >= 0 && { kill: index + 1 }) });
	};
	const isNewState = ({ before, after }: Kill) => before.state !== after.state;
	const countNew = ({ before, after }: Kill) => after.executions.length - before.executions.length;
	for (const uuid of submitted) {
		const ids = deliveries.get(uuid) ?? [];
		if (ids.length === 0) add(uuid, 'lost', (kill) => isNewState(kill) && countNew(kill) === 0);
		if (ids.length < 2) continue;
		const isHere = ({ after }: Kill) => after.executions.at(-1)?.id === ids[0];
		// one kill can cause one repetition
		add(uuid, 'repeated', (kill) => {
			return ids.length === 2 && isHere(kill) && countNew(kill) === 1 && !isNewState(kill);
		});
	}
	return findings;
}
