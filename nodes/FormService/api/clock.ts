import { sleep } from 'n8n-workflow';

/** Time in milliseconds. */
export type Clock = {
	/** Epoch milliseconds by the machine's clock, which can be corrected in either direction. */
	now(): number;
	/** Milliseconds since some moment, by a clock that nobody corrects: for what has to be waited for. */
	elapsed(): number;
	/** Resolves after this many milliseconds, or when the signal aborts. It never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** A signal that aborts after this many milliseconds of real time, or when the given signal aborts. */
	timeout(ms: number, signal?: AbortSignal): AbortSignal;
};

/** The one clock of this process. Tests assign other methods to it, so nobody may keep a method. */
export const clock: Clock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	async sleep(ms, signal) {
		await waitUnlessAborted(sleep(ms), signal, () => new Error('Woken')).catch(() => {});
	},
	timeout(ms, signal) {
		const timeout = AbortSignal.timeout(ms);
		return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
	},
};

/** The outcome of the work. If the signal aborts first, it rejects with the given reason instead. */
export async function waitUnlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
	reason: () => Error,
): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const rejectAborted = () => reject(reason());
		signal?.addEventListener('abort', rejectAborted, { once: true });
		if (signal?.aborted) rejectAborted();
		void work
			.then(resolve, reject)
			.finally(() => signal?.removeEventListener('abort', rejectAborted));
	});
}

/** The longest piece of work, and when the present one began. */
const PIECE_MS = 15;
let pieceStartedAtMs = -Infinity;

/** Lets other work of n8n go on if nobody has done so for 15 ms. Long loops call it for each entry. */
export async function pauseIfDue(): Promise<void> {
	if (Math.abs(clock.now() - pieceStartedAtMs) < PIECE_MS) return;
	await clock.sleep(0);
	pieceStartedAtMs = clock.now();
}
