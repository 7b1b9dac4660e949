import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { computeFingerprint } from '../../../nodes/FormService/trigger/fingerprints.ts';

/** What n8n has stored about a workflow at one moment; `state` is the static data as text. */
export type Stored = {
	executions: Array<{ id: string; status: string; data: string }>;
	state: string;
};

const EXECUTIONS = `
	SELECT CAST(execution_entity.id AS TEXT) AS id, execution_entity.status, execution_data.data
	FROM execution_entity JOIN execution_data ON execution_data.executionId = execution_entity.id
	WHERE execution_entity.workflowId = ? ORDER BY execution_entity.id`;
const STATIC_DATA = 'SELECT staticData FROM workflow_entity WHERE id = ?';

/** Without a write-ahead log, as in 1.x, n8n locks readers out while it writes. */
const LOCK_TIMEOUT_MS = 30_000;

/** Reads the database of an n8n that runs or was killed, and changes nothing. */
export function readDatabase(folder: string, workflowId: string): Stored {
	const file = join(folder, '.n8n', 'database.sqlite');
	const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
	try {
		// not opened as read-only: what a kill has cut off has to be rolled back
		database.exec('PRAGMA query_only = ON; BEGIN');
		const executions = database.prepare(EXECUTIONS).all(workflowId);
		const workflow = database.prepare(STATIC_DATA).get(workflowId);
		return {
			executions: executions as Stored['executions'],
			state: JSON.stringify(workflow?.staticData ?? null),
		};
	} finally {
		database.close();
	}
}

/** What the trigger has put into an execution, whether or not any node has run on it. */
function listItems(data: IRunExecutionData, trigger: string): INodeExecutionData[] {
	const ran = data.resultData.runData[trigger]?.[0]?.data?.main;
	const stack = data.executionData?.nodeExecutionStack ?? [];
	const waiting = stack.find(({ node }) => node.name === trigger)?.data.main;
	return (ran ?? waiting ?? []).flatMap((items) => items ?? []);
}

/** The IDs of the executions that each response is in, by its UUID; an ID comes twice for one that does. */
export function listDeliveries(
	{ executions }: Stored,
	trigger: string,
	parse: (text: string) => IRunExecutionData,
): Map<string, string[]> {
	const delivered = new Map<string, string[]>();
	for (const { id, data } of executions) {
		for (const { json } of listItems(parse(data), trigger)) {
			// the execution of a reported failure has an empty item
			if (typeof json.uuid !== 'string') continue;
			delivered.set(json.uuid, [...(delivered.get(json.uuid) ?? []), id]);
		}
	}
	return delivered;
}

/** The responses that a kill between n8n's two writes has lost or will repeat, by their UUIDs. */
export type Torn = { lost: string[]; repeated: string[] };

/**
 * Finds the responses of which n8n has made only one of its two writes when it is killed. In its default mode, n8n
 * saves the state of a trigger and the execution one after the other. A seen response without an execution is
 * lost, and an unseen response with an execution comes once more. A response with neither has to arrive, once.
 *
 * @param deliveries see `listDeliveries`
 */
export function findTorn(
	{ state }: Stored,
	deliveries: ReadonlyMap<string, string[]>,
	uuids: readonly string[],
): Torn {
	const isSeen = (uuid: string) => state.includes(computeFingerprint(uuid));
	return {
		lost: uuids.filter((uuid) => isSeen(uuid) && !deliveries.has(uuid)),
		repeated: uuids.filter((uuid) => !isSeen(uuid) && deliveries.has(uuid)),
	};
}
