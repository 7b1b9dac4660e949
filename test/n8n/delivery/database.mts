import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { IRunExecutionData } from 'n8n-workflow';

/** What n8n has stored about a workflow at one moment. */
export type Stored = {
	/** In how many executions each response is, by its UUID. */
	deliveries: Map<string, number>;
	/** The static data as text. */
	state: string;
};

const EXECUTIONS = `
	SELECT execution_data.data
	FROM execution_entity JOIN execution_data ON execution_data.executionId = execution_entity.id
	WHERE execution_entity.workflowId = ?`;
const STATIC_DATA = 'SELECT staticData FROM workflow_entity WHERE id = ?';

/** Without a write-ahead log, as in 1.x, n8n locks readers out while it writes. */
const LOCK_TIMEOUT_MS = 30_000;

/**
 * Reads the database of an n8n that runs or was killed, and changes nothing.
 *
 * @param trigger the name of the node that delivers
 * @param parse n8n's parser of executions
 */
export function readDatabase(
	folder: string,
	workflowId: string,
	trigger: string,
	parse: (text: string) => IRunExecutionData,
): Stored {
	const file = join(folder, '.n8n', 'database.sqlite');
	const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
	try {
		// not opened as read-only: what a kill has cut off has to be rolled back
		database.exec('PRAGMA query_only = ON; BEGIN');
		const deliveries = new Map<string, number>();
		for (const { data } of database.prepare(EXECUTIONS).all(workflowId)) {
			for (const uuid of listUuids(parse(String(data)), trigger))
				deliveries.set(uuid, (deliveries.get(uuid) ?? 0) + 1);
		}
		const workflow = database.prepare(STATIC_DATA).get(workflowId);
		return { deliveries, state: JSON.stringify(workflow?.staticData ?? null) };
	} finally {
		database.close();
	}
}

/** What the trigger has put into an execution, whether or not any node has run on it. */
function listUuids(data: IRunExecutionData, trigger: string): string[] {
	const ran = data.resultData.runData[trigger]?.[0]?.data?.main;
	const stack = data.executionData?.nodeExecutionStack ?? [];
	const waiting = stack.find(({ node }) => node.name === trigger)?.data.main;
	const items = (ran ?? waiting ?? []).flatMap((output) => output ?? []);
	// the execution of a reported failure has an empty item
	return items.flatMap(({ json }) => (typeof json.uuid === 'string' ? [json.uuid] : []));
}
