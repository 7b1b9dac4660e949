import type { DatabaseSync } from 'node:sqlite';
import { newUnguessableName } from './ids.mts';

export type StoredFile = { id: string; name: string; type: string; data: Uint8Array };

/** Files that people uploaded on a form's page. */
export function fileStore(database: DatabaseSync) {
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
