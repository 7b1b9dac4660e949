import type {
	HeldBack,
	Job,
	JobEnd,
	RequestQueue,
} from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';

/** Waits for a request's turn in the queue, and sends it. */
export async function pass<T extends JobEnd>(
	queue: RequestQueue,
	job: Partial<Job>,
	send: () => Promise<T>,
): Promise<T | HeldBack> {
	const turn = await queue.waitForTurn({ urgency: 'bulk', isRetry: false, ...job });
	if (turn.kind !== 'turn') return turn;
	const end = await send();
	queue.endTurn(turn, end);
	return end;
}

/**
 * The service's limiter as the specification and what is known of its framework describe it: two
 * fixed windows, each starting with the first request after its last one ended. Simpler than the queue:
 * it knows everything and guesses nothing.
 */
export class LimiterModel {
	readonly refusalsByWindow = new Map<number, number>();

	/** Requests that arrived, refused ones included. */
	arrivals = 0;

	private minute = { start: -Infinity, used: 0 };

	private day = { start: -Infinity, used: 0 };

	private readonly perMinute: number;
	private readonly perDay: number;

	constructor(perMinute = 60, perDay = 1_440) {
		this.perMinute = perMinute;
		this.perDay = perDay;
	}

	/** A request of someone else on the account. */
	takenByOthers(at: number): void {
		this.roll(at);
		if (this.minute.used < this.perMinute && this.day.used < this.perDay) this.count();
	}

	/** When the window began that a request at this time would count in. */
	windowAt(at: number): number {
		this.roll(at);
		return this.minute.start;
	}

	/** A request of the queue arrives. */
	arrive(at: number): JobEnd & { kind: 'reply' } {
		this.roll(at);
		this.arrivals++;
		const day = this.perDay - this.day.used;
		const minute = this.perMinute - this.minute.used;
		if (day <= 0) return this.refuse(at, this.perDay, this.day.start + 86_400_000);
		if (minute <= 0) return this.refuse(at, this.perMinute, this.minute.start + 60_000);
		this.count();
		const dayIsTighter = day < minute;
		return {
			kind: 'reply',
			status: 200,
			headers: {
				'x-ratelimit-limit': String(dayIsTighter ? this.perDay : this.perMinute),
				'x-ratelimit-remaining': String((dayIsTighter ? day : minute) - 1),
			},
		};
	}

	private refuse(at: number, limit: number, until: number): JobEnd & { kind: 'reply' } {
		const seconds = Math.max(0, Math.floor((until - at) / 1000));
		const window = this.minute.start;
		this.refusalsByWindow.set(window, (this.refusalsByWindow.get(window) ?? 0) + 1);
		return {
			kind: 'reply',
			status: 429,
			headers: {
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': '0',
				'retry-after': String(seconds),
			},
		};
	}

	private roll(at: number): void {
		if (at >= this.minute.start + 60_000) this.minute = { start: at, used: 0 };
		if (at >= this.day.start + 86_400_000) this.day = { start: at, used: 0 };
	}

	private count(): void {
		this.minute.used++;
		this.day.used++;
	}
}
