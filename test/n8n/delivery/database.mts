import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { type Delivery, triggered } from './ledger.mts';

/** What n8n has stored about a workflow. */
export type Stored = {
	executions: Array<{ id: string; status: string; data: string }>;
	staticData: IDataObject;
};
export type ReadStored = (workflowId: string) => Stored | Promise<Stored>;

const EXECUTIONS = `
	SELECT execution_entity.id, execution_entity.status, execution_data.data
	FROM execution_entity JOIN execution_data ON execution_data."executionId" = execution_entity.id
	WHERE execution_entity."workflowId" = $1 ORDER BY execution_entity.id`;
const STATIC_DATA = 'SELECT "staticData" FROM workflow_entity WHERE id = $1';

/** Static data as the database gives it: text, or JSON already read. */
const parsed = (value: unknown) =>
	(typeof value === 'string' ? JSON.parse(value) : (value ?? {})) as IDataObject;

/** How long a reader waits for n8n to finish a write: without write-ahead log, as in 1.x, a write locks it out. */
const LOCK_TIMEOUT_MS = 30_000;

/**
 * Reads n8n's own database, which may belong to a running or a killed n8n. Executions and static data are
 * of the same moment. A running n8n is not held up: reading takes milliseconds, and writes nothing.
 */
export const readSqlite =
	(file: string): ReadStored =>
	(workflowId) => {
		const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
		try {
			// not opened as read-only: what a kill has cut off has to be rolled back
			database.exec('PRAGMA query_only = ON; BEGIN');
			const executions = database.prepare(EXECUTIONS.replace('$1', '?')).all(workflowId);
			const row = database.prepare(STATIC_DATA.replace('$1', '?')).get(workflowId);
			return {
				executions: executions.map(({ id, status, data }) => ({
					id: String(id),
					status: String(status),
					data: String(data),
				})),
				staticData: parsed(row?.staticData),
			};
		} finally {
			database.close();
		}
	};

type Client = { query(text: string, values: unknown[]): Promise<{ rows: IDataObject[] }> };

/** Reads the database that n8n's processes share in queue mode. */
export const readPostgres =
	(client: Client): ReadStored =>
	async (workflowId) => {
		const executions = await client.query(EXECUTIONS, [workflowId]);
		const workflow = await client.query(STATIC_DATA, [workflowId]);
		return {
			executions: executions.rows.map(({ id, status, data }) => ({
				id: String(id),
				status: String(status),
				data: String(data),
			})),
			staticData: parsed(workflow.rows[0]?.staticData),
		};
	};

export const sqliteFile = (folder: string) => join(folder, '.n8n', 'database.sqlite');

/** Copies the database of a killed n8n as it was left, and gives the path of the copy. */
export async function keepDatabase(folder: string, name: string): Promise<string> {
	const from = join(folder, '.n8n');
	for (const file of await readdir(from)) {
		if (file.startsWith('database.sqlite'))
			await cp(join(from, file), join(folder, name, file), { recursive: true });
	}
	return join(folder, name, 'database.sqlite');
}

/** The responses in the executions that n8n has recorded. */
export function deliveriesIn(
	{ executions }: Stored,
	trigger: string,
	parse: (text: string) => IRunExecutionData,
): Delivery[] {
	return executions.flatMap(({ id, data }) =>
		triggered(parse(data), trigger).map(({ json }) => ({
			uuid: String(json.uuid),
			executionId: id,
		})),
	);
}
