import { clock } from './clock';

/** How long an outcome is given again, in milliseconds from the end of the work. */
export type Lifetimes = { found: number; failed: number };

/**
 * Recent outcomes, so that asking again costs nothing. Work that is under way is shared in any case. A
 * failure can be kept as well, because each key that a person presses would meet it again. Each entry is
 * dropped by a timer, so a large list stays in memory no longer than its lifetime.
 */
export class TtlCache<T> {
	private readonly entries = new Map<string, Promise<T>>();

	/** The recent outcome of a key's work, or the one that the work gives now. */
	async get(key: string, { found, failed }: Lifetimes, work: () => Promise<T>): Promise<T> {
		const present = this.entries.get(key);
		if (present !== undefined) return await present;
		const entry = work();
		this.entries.set(key, entry);
		entry.then(
			() => this.dropAfter(found, key, entry),
			() => this.dropAfter(failed, key, entry),
		);
		return await entry;
	}

	/** Drops all entries whose keys start so, even if their work is under way: they may be outdated. */
	clear(start: string): void {
		for (const key of this.entries.keys()) {
			if (key.startsWith(start)) this.entries.delete(key);
		}
	}

	private dropAfter(ms: number, key: string, entry: Promise<T>): void {
		const drop = () => {
			if (this.entries.get(key) === entry) this.entries.delete(key);
		};
		if (ms === 0) drop();
		// unlike a sleep, this timer doesn't keep the process running
		else clock.timeout(ms).addEventListener('abort', drop, { once: true });
	}
}
