/**
 * The oracle: what happened in the service, what the trigger therefore owes its workflow, and what it has
 * delivered. It knows nothing of how the trigger works. An event has one of three standings:
 *
 * - promised: it happened while the trigger watched for it, so it has to be delivered once;
 * - possible: it happened, but may have been seen before anybody wanted it: at most once;
 * - neither: it has not happened, or was there before the trigger began. It is never delivered.
 */
import { expect } from 'vitest';
import type { Response } from './form.mts';
import type { Item, Poll } from './n8n.mts';
import { MINUTE_MS } from './time.mts';

/** A response's event, or `formCreated` of a form. */
export type Key = `${string} ${string}`;

export const keyOf = (subject: { uuid: string }, event: string): Key => `${subject.uuid} ${event}`;

export class Oracle {
	/** Events that may be delivered, and since when, in epoch milliseconds. */
	readonly possible = new Map<Key, number>();
	/** Those of them that have to be. */
	readonly promised = new Set<Key>();
	/** When each event started the workflow. */
	readonly delivered = new Map<Key, number[]>();
	/** Events that n8n lost between two writes of its own, which only its default mode can. */
	private readonly lost = new Set<Key>();
	/** Events that may come again: after such a kill, or after 30 days. */
	private readonly repeatable = new Set<Key>();

	/** @param at when it happens, in epoch milliseconds; it can be in the future */
	happen(key: Key, at: number, isPromised: boolean): void {
		if (!this.possible.has(key)) this.possible.set(key, at);
		if (isPromised && !this.isSettled(key)) this.promised.add(key);
	}

	/** It need not be delivered any more, but may be. */
	release(key: Key): void {
		this.promised.delete(key);
	}

	/** It was seen before the trigger began, or while nobody wanted it. */
	forbid(key: Key): void {
		this.possible.delete(key);
		this.promised.delete(key);
	}

	/** After more than 30 days without it, the trigger may take it for new. */
	allowAgain(key: Key, at: number): void {
		this.happen(key, at, false);
		this.release(key);
		this.repeatable.add(key);
	}

	allowRepetitions(keys: readonly Key[]): void {
		for (const key of keys) this.repeatable.add(key);
	}

	isRepeatable(key: Key): boolean {
		return this.repeatable.has(key);
	}

	isSettled(key: Key): boolean {
		return this.delivered.has(key) || this.lost.has(key);
	}

	/** Judges what a poll gave, and takes note of what became of it. */
	judge(poll: Poll): void {
		const keys = poll.items.map((item) => keyOf(item, item.event));
		for (const key of keys) {
			const at = this.possible.get(key) ?? Infinity;
			expect(at, `when ${key} happened, which is delivered`).toBeLessThanOrEqual(poll.endedAt);
		}
		expectOldestFirst(poll.items);
		for (const key of poll.isExecuted ? keys : []) {
			const isOnce = !this.isSettled(key) || this.repeatable.has(key);
			expect(isOnce, `${key} is delivered once`).toBe(true);
			this.delivered.set(key, [...(this.delivered.get(key) ?? []), poll.endedAt]);
			this.promised.delete(key);
			if (!poll.isSaved) this.repeatable.add(key);
		}
		for (const key of !poll.isExecuted && poll.isSaved ? keys : []) {
			this.lost.add(key);
			this.promised.delete(key);
		}
	}

	/** What is promised, has happened and was not delivered. */
	missing(now: number): Key[] {
		return [...this.promised].filter((key) => this.possible.get(key)! <= now);
	}

	/** Minutes from each event that was delivered to its delivery. */
	delays(): Map<Key, number> {
		const minutes = ([key, [at]]: [Key, number[]]): [Key, number] => [
			key,
			(at - this.possible.get(key)!) / MINUTE_MS,
		];
		return new Map([...this.delivered].map(minutes));
	}
}

/** The responses of a form come in the order in which they were submitted. */
function expectOldestFirst(items: readonly Item[]): void {
	const ofResponses = items.filter(({ event }) => event !== 'formCreated');
	for (const [form, own] of Map.groupBy(ofResponses, (item) => item.form)) {
		const numbers = own.map(({ uuid }) => Number(uuid.slice(form.length + 1)));
		expect(numbers, `the order of form ${form}`).toEqual(numbers.toSorted((a, b) => a - b));
	}
}

/** All events of a response. */
export const keysOf = (response: Response): Key[] =>
	(['responseStarted', 'responseAbandoned', 'responseCompleted'] as const).map((event) =>
		keyOf(response, event),
	);
