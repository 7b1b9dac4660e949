import { clock } from './clock';

/** How long what came of work is given again, in milliseconds, from when the work ended. */
export type Lifetimes = { found: number; failed: number };

type Entry<T> = { promise: Promise<T>; until: number };

/**
 * What was found lately, so that asking again costs nothing; work that is under way is shared in any
 * case. A failure can be remembered as well: else it would be met anew at each key that a person
 * presses.
 */
export class TtlCache<T> {
	private readonly entries = new Map<string, Entry<T>>();

	/** What the work of that key gave lately, or gives now. */
	async get(key: string, { found, failed }: Lifetimes, work: () => Promise<T>): Promise<T> {
		const now = clock.now();
		for (const [known, { until }] of this.entries) {
			if (until <= now) this.entries.delete(known);
		}
		const present = this.entries.get(key);
		if (present !== undefined) return await present.promise;
		const entry = { promise: work(), until: Infinity };
		this.entries.set(key, entry);
		const keepFor = (ms: number) => () => {
			entry.until = clock.now() + ms;
			if (ms === 0 && this.entries.get(key) === entry) this.entries.delete(key);
		};
		entry.promise.then(keepFor(found), keepFor(failed));
		return await entry.promise;
	}

	/** Forgets all whose keys start so, also what is under way: it may be out of date. */
	clear(start: string): void {
		for (const key of this.entries.keys()) {
			if (key.startsWith(start)) this.entries.delete(key);
		}
	}
}
