import { sleep } from 'n8n-workflow';

/** Time in milliseconds. */
export type Clock = {
	/** Epoch milliseconds that never go back, whatever happens to the machine's clock. */
	now(): number;
	/** Resolves after so many milliseconds, or at once when the signal aborts. It never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** A signal that aborts after so many milliseconds: for what takes real time, such as a reply. */
	timeout(ms: number): AbortSignal;
};

/**
 * The one clock of this process: everything that waits or tells the time asks it, at the moment when
 * it needs to. A test gives it another time by assigning other methods: nobody keeps one for later.
 */
export const clock: Clock = {
	now: () => performance.timeOrigin + performance.now(),
	async sleep(ms, signal) {
		const woken = () => new Error('Woken');
		await unlessAborted(sleep(ms), signal, woken).catch(() => {});
	},
	timeout: (ms) => AbortSignal.timeout(ms),
};

/**
 * What work gives; or, as soon as the signal aborts, the error that tells why it is not waited for.
 * The work then goes on by itself, unheard.
 */
export async function unlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	reason: () => Error,
): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const giveUp = () => reject(reason());
		signal?.addEventListener('abort', giveUp, { once: true });
		if (signal?.aborted) giveUp();
		void work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', giveUp));
	});
}
