import { decide, freshAllowance, lost, replied, sent } from './allowance';
import type { Allowance } from './window';
import { MAX_OPEN } from './limits';
import type { Headers } from './rateHeaders';

/** Time as the gate sees it, in milliseconds; a parameter, so that tests run a day in a moment. */
export type Clock = { now(): number; sleep(ms: number): Promise<void> };

/** What the gate must know of how a request ended: with a reply, or without. */
export type Ended =
	| { kind: 'reply'; status: number; headers: Headers }
	| { kind: 'broken' | 'cancelled' };

export type Ticket = {
	/** A trigger or a person at the editor (`prompt`) goes before items (`bulk`). */
	urgency: 'prompt' | 'bulk';
	/** A request that was refused or lost keeps its place: it goes before those that never left. */
	again: boolean;
	signal?: AbortSignal;
};

/** Why a request did not leave: the day's limit (`until` in epoch milliseconds), or it was given up. */
export type HeldBack = { kind: 'dayUsedUp'; until: number } | { kind: 'notSent' };

type Turn = { kind: 'turn'; id: number };

type Waiting = { settle: (turn: Turn | HeldBack) => void };

/**
 * Lets the requests of one account through, so that the service need not refuse any: at most
 * `MAX_OPEN` at a time, no more in a window than the allowance, first come first served within an
 * urgency. It holds back, and sends nothing by itself.
 */
export class Gate {
	private allowance: Allowance = freshAllowance;

	/** In the order in which they are served. */
	private readonly lines = {
		promptAgain: new Set<Waiting>(),
		prompt: new Set<Waiting>(),
		bulkAgain: new Set<Waiting>(),
		bulk: new Set<Waiting>(),
	};

	private open = 0;

	private lastId = 0;

	private wakeAt = Infinity;

	constructor(private readonly clock: Clock) {}

	/** How many requests wait for their turn. */
	get waiting(): number {
		return Object.values(this.lines).reduce((sum, line) => sum + line.size, 0);
	}

	/**
	 * Waits for the request's turn, sends it, and learns from the reply.
	 *
	 * @param send sends the request; what it gives is given back, what it throws is thrown
	 * @returns what `send` gave, or why it was not called
	 */
	async pass<T extends Ended>(ticket: Ticket, send: () => Promise<T>): Promise<T | HeldBack> {
		const turn = await this.turn(ticket);
		if (turn.kind !== 'turn') return turn;
		let end: Ended = { kind: 'broken' };
		try {
			const result = await send();
			end = result;
			return result;
		} finally {
			this.ended(turn.id, end);
		}
	}

	private async turn({ urgency, again, signal }: Ticket): Promise<Turn | HeldBack> {
		if (signal?.aborted) return { kind: 'notSent' };
		const line = this.lines[again ? (`${urgency}Again` as const) : urgency];
		return await new Promise((resolve) => {
			const waiting: Waiting = {
				settle: (turn) => {
					line.delete(waiting);
					signal?.removeEventListener('abort', giveUp);
					resolve(turn);
				},
			};
			const giveUp = () => waiting.settle({ kind: 'notSent' });
			signal?.addEventListener('abort', giveUp);
			line.add(waiting);
			this.letThrough();
		});
	}

	private ended(id: number, end: Ended): void {
		const now = this.clock.now();
		this.allowance =
			end.kind === 'reply'
				? replied(this.allowance, id, end.status, end.headers, now)
				: lost(this.allowance, id, now);
		this.open--;
		// a moment later: whoever sent it may now give up what else it has waiting
		void this.clock.sleep(0).then(() => this.letThrough());
	}

	private letThrough(): void {
		for (let next = this.next(); next && this.open < MAX_OPEN; next = this.next()) {
			const now = this.clock.now();
			const decision = decide(this.allowance, now);
			if (decision.kind === 'dayUsedUp') {
				this.settleAll(decision);
				return;
			}
			if (decision.kind === 'wait') this.wake(decision.until);
			if (decision.kind !== 'send') return;
			const id = ++this.lastId;
			this.open++;
			this.allowance = sent(this.allowance, id, now);
			next.settle({ kind: 'turn', id });
		}
	}

	private next(): Waiting | undefined {
		for (const line of Object.values(this.lines)) {
			for (const waiting of line) return waiting;
		}
		return undefined;
	}

	private settleAll(turn: HeldBack): void {
		for (const line of Object.values(this.lines)) {
			for (const waiting of [...line]) waiting.settle(turn);
		}
	}

	private wake(at: number): void {
		if (this.wakeAt <= at) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.max(0, at - this.clock.now())).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.letThrough();
		});
	}
}
