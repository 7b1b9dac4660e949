import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What n8n has stored about a workflow at one moment. */
export type Stored = {
	/** The data of each execution, which have the UUIDs of its responses, as text. */
	executions: string[];
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
			executions: executions.map(({ data }) => String(data)),
			state: JSON.stringify(workflow?.staticData ?? null),
		};
	} finally {
		database.close();
	}
}
