import type { Target } from '../api/endpoints';
import type { RequestContext } from '../api/requestContext';

/** Values that the items of a run share, in all tries of n8n (Retry On Fail). */
export class SharedData {
	private readonly values = new Map<string, unknown>();

	/** Returns the value of a key; the first item that asks for the value creates it. */
	getOrCreate<T>(key: string, create: () => T): T {
		if (!this.values.has(key)) this.values.set(key, create());
		return this.values.get(key) as T;
	}

	delete(key: string): void {
		this.values.delete(key);
	}
}

/**
 * Fetches a target once for all items of a run with the same account and request options. The items share the
 * value and never change it. A fetch that failed is forgotten, so that the next try of n8n repeats it.
 *
 * @param detail distinguishes two ways to fetch one target
 */
export async function fetchOncePerRun<T>(
	{ context, target, shared }: { context: RequestContext; target: Target; shared: SharedData },
	fetch: (context: RequestContext, target: Target) => Promise<T>,
	detail?: unknown,
): Promise<T> {
	const { account, httpOptions } = context;
	const key = JSON.stringify(['fetch', account.key, target.url, httpOptions, detail]);
	const fetching = shared.getOrCreate(key, async () => await fetch(context, target));
	fetching.catch(() => shared.delete(key));
	return await fetching;
}
