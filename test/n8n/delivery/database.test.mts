import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { readSqlite } from './database.mts';

const TABLES = `
	CREATE TABLE execution_entity (id, status, "workflowId");
	CREATE TABLE execution_data ("executionId", data);
	CREATE TABLE workflow_entity (id, "staticData");
	INSERT INTO workflow_entity VALUES ('flow', '{"state":1}');`;

/** Writes to the database in another thread, as n8n would in another process, and takes its time. */
const SLOW_WRITER = `
	const { parentPort, workerData } = require('node:worker_threads');
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(workerData);
	database.exec('BEGIN EXCLUSIVE');
	database.prepare('UPDATE workflow_entity SET "staticData" = ?').run('{"state":2}');
	parentPort.postMessage('locked');
	setTimeout(() => { database.exec('COMMIT'); database.close(); }, 300);`;

it('a reader of n8n’s database waits for a write of n8n’s to end', async () => {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), 'n8n-database-'));
	cleanup.defer(async () => await rm(folder, { recursive: true }));
	const file = join(folder, 'database.sqlite');
	const database = new DatabaseSync(file);
	database.exec(TABLES);
	database.close();
	const writer = new Worker(SLOW_WRITER, { eval: true, workerData: file });
	cleanup.defer(async () => void (await writer.terminate()));
	await once(writer, 'message');

	expect(await readSqlite(file)('flow')).toEqual({ executions: [], staticData: { state: 2 } });
});
