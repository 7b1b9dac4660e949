import { DatabaseSync } from 'node:sqlite';
import { accountStore } from './accounts.mts';
import { formStore } from './forms.mts';
import { responseStore } from './responses.mts';
import { newUnguessableName } from './values.mts';

const SCHEMA = `
	CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL);
	CREATE TABLE IF NOT EXISTS tokens (
		token TEXT PRIMARY KEY,
		account_id INTEGER NOT NULL REFERENCES accounts (id)
	);
	CREATE TABLE IF NOT EXISTS forms (
		position INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE,
		account_id INTEGER NOT NULL REFERENCES accounts (id),
		slug TEXT NOT NULL,
		track_incomplete INTEGER NOT NULL,
		settings TEXT NOT NULL,
		created_at TEXT NOT NULL,
		updated_at TEXT NOT NULL
	);
	CREATE TABLE IF NOT EXISTS fields (
		position INTEGER PRIMARY KEY AUTOINCREMENT,
		uuid TEXT NOT NULL UNIQUE,
		form_id TEXT NOT NULL REFERENCES forms (id),
		label TEXT NOT NULL,
		type TEXT NOT NULL,
		mandatory INTEGER NOT NULL,
		custom_key TEXT,
		description TEXT,
		options TEXT
	);
	CREATE INDEX IF NOT EXISTS fields_of_form ON fields (form_id);
	CREATE TABLE IF NOT EXISTS responses (
		position INTEGER PRIMARY KEY AUTOINCREMENT,
		uuid TEXT NOT NULL UNIQUE,
		form_id TEXT NOT NULL REFERENCES forms (id),
		number INTEGER NOT NULL,
		is_incomplete INTEGER NOT NULL,
		answers TEXT NOT NULL,
		created_at TEXT NOT NULL,
		referrer TEXT,
		pdf_name TEXT NOT NULL UNIQUE,
		draft TEXT,
		deleted INTEGER NOT NULL DEFAULT 0
	);
	CREATE INDEX IF NOT EXISTS responses_of_form ON responses (form_id, position);
	CREATE UNIQUE INDEX IF NOT EXISTS response_of_draft ON responses (form_id, draft);
	CREATE TABLE IF NOT EXISTS files (
		id TEXT PRIMARY KEY,
		name TEXT NOT NULL,
		type TEXT NOT NULL,
		data BLOB NOT NULL
	);
`;

/** Opens the database in a file, or `:memory:`, and makes its tables. */
function openDatabase(location: string): DatabaseSync {
	const database = new DatabaseSync(location);
	database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
	database.exec(SCHEMA);
	return database;
}

type StoredFile = { id: string; name: string; type: string; data: Uint8Array };

/** Files that people uploaded on a form's page. */
function fileStore(database: DatabaseSync) {
	const insert = database.prepare('INSERT INTO files (id, name, type, data) VALUES (?, ?, ?, ?)');
	const byId = database.prepare('SELECT * FROM files WHERE id = ?');
	return {
		addFile({ name, type, data }: Omit<StoredFile, 'id'>): StoredFile {
			const id = newUnguessableName();
			insert.run(id, name, type, data);
			return { id, name, type, data };
		},
		file: (id: string) => byId.get(id) as StoredFile | undefined,
	};
}

export type Store = ReturnType<typeof createStore>;

/** All that the service keeps. `location` is a file or `:memory:`; `now` gives epoch milliseconds. */
export function createStore(location: string, now: () => number) {
	const database = openDatabase(location);
	const forms = formStore(database, now);
	return {
		...accountStore(database, now),
		...forms,
		...responseStore(database, now, forms),
		...fileStore(database),
		/** Runs many changes as one, which is much faster for a database in a file. */
		transaction<T>(work: () => T): T {
			database.exec('BEGIN');
			try {
				const result = work();
				database.exec('COMMIT');
				return result;
			} catch (error) {
				database.exec('ROLLBACK');
				throw error;
			}
		},
		close: () => database.close(),
	};
}
