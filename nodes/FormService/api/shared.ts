/** Work that several ask for at the same moment, done once. */
export class Shared<T> {
	private readonly underway = new Map<string, Promise<T>>();

	/** Joins the work of that key if it is under way, else does it. A failure reaches all who joined. */
	async join(key: string, work: () => Promise<T>): Promise<T> {
		const present = this.underway.get(key);
		if (present !== undefined) return await present;
		const promise = work().finally(() => {
			if (this.underway.get(key) === promise) this.underway.delete(key);
		});
		this.underway.set(key, promise);
		return await promise;
	}

	/** Lets nobody else join what is under way with keys that start so: it may be out of date. */
	close(start: string): void {
		for (const key of this.underway.keys()) {
			if (key.startsWith(start)) this.underway.delete(key);
		}
	}
}

/**
 * What was found lately, so that looking again costs nothing. A failure is remembered as well, for a
 * shorter time: else it would be met anew at each key that a person presses.
 */
export class Remembered<T> {
	private readonly known = new Map<string, { promise: Promise<T>; until: number }>();

	/** @param lifetimes milliseconds */
	constructor(
		private readonly lifetimes: { found: number; failed: number },
		private readonly now: () => number,
	) {}

	/** What the work of that key gave lately, or gives now. */
	async recall(key: string, work: () => Promise<T>): Promise<T> {
		this.forgetOld();
		const present = this.known.get(key);
		if (present !== undefined) return await present.promise;
		const entry = { promise: work(), until: Infinity };
		this.known.set(key, entry);
		const keepFor = (ms: number) => () => {
			entry.until = this.now() + ms;
		};
		entry.promise.then(keepFor(this.lifetimes.found), keepFor(this.lifetimes.failed));
		return await entry.promise;
	}

	private forgetOld(): void {
		for (const [key, { until }] of this.known) {
			if (until <= this.now()) this.known.delete(key);
		}
	}
}
