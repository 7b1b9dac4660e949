import { accountStore } from './accounts.mts';
import { openDatabase } from './database.mts';
import { fileStore } from './files.mts';
import { formStore } from './forms.mts';
import { responseStore } from './responses.mts';

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
