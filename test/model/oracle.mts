/**
 * The oracle: what happened in the service, what the trigger therefore owes its workflow, and what it has
 * delivered. It knows nothing of how the trigger works. What it believes of an event:
 *
 * - owed: it happened while the trigger watched for it, so it has to be delivered once;
 * - not owed: it happened, but may have been seen before anybody wanted it: at most once;
 * - unknown: it has not happened, or was there before the trigger began. It is never delivered.
 */
import { expect } from 'vitest';
import { EVENTS, type TriggerEvent } from '../../nodes/FormService/parameters/watched.ts';
import { Edits, type Owed, type Subject } from './edits.mts';
import type { Poll } from './n8n.mts';
import type { Form, Response } from './service.mts';
import { DAY_MS, HOUR_MS } from '../time.mts';

/** `at`: since when it may be delivered; Infinity if it has not happened. */
type Belief = Owed & {
	isOwed: boolean;
	/** n8n or the trigger may have lost that it was delivered. */
	isRepeatable: boolean;
	/** When it started the workflow. */
	deliveredAt: number[];
};

const ABANDONED_AFTER_MS = DAY_MS;

/** What is nearly abandoned when the trigger begins may be so when the trigger has read it. */
const SOON_MS = 6 * HOUR_MS;

export class Oracle {
	/** By subject and event, such as `A-2 responseCompleted`. */
	private readonly beliefs = new Map<string, Belief>();
	readonly edits: Edits;
	private readonly now: () => number;
	/** Whether the trigger watches for an event. */
	private readonly isWanted: (subject: Subject, event: TriggerEvent) => boolean;

	constructor(now: Oracle['now'], isWanted: Oracle['isWanted']) {
		this.now = now;
		this.isWanted = isWanted;
		this.edits = new Edits(isWanted);
	}

	/** A form was created, or a response was submitted or completed, that the trigger does not know. */
	appear(subject: Subject, isOwed = true, isRepeatable = false): void {
		const now = this.now();
		this.edits.appear(subject);
		const set = (event: TriggerEvent, at: number) => {
			const before = this.find(subject, event);
			const deliveredAt = before?.deliveredAt ?? [];
			this.beliefs.set(`${subject.id} ${event}`, {
				subject,
				event,
				at: Math.min(at, before?.at ?? Infinity),
				isOwed: isOwed && deliveredAt.length === 0 && this.isWanted(subject, event),
				isRepeatable: isRepeatable || before?.isRepeatable === true,
				deliveredAt,
			});
		};
		if (!('incomplete' in subject)) return set('formCreated', now);
		const { incomplete, createdAt } = subject;
		set('responseStarted', incomplete ? now : Infinity);
		set('responseAbandoned', incomplete ? createdAt + ABANDONED_AFTER_MS : Infinity);
		set('responseCompleted', incomplete ? Infinity : now);
	}

	complete(response: Response): void {
		this.edits.complete(response);
		const completed = this.find(response, 'responseCompleted');
		// the trigger may not have seen it as incomplete
		for (const event of ['responseStarted', 'responseAbandoned'] as const) {
			const belief = this.find(response, event);
			if (belief !== undefined) belief.isOwed = false;
		}
		if (completed?.at !== Infinity) return;
		completed.at = this.now();
		completed.isOwed = this.isWanted(response, 'responseCompleted');
	}

	/** A response that the trigger has seen as complete stays so; nobody knows whether it has. */
	reopen(response: Response): void {
		const completed = this.find(response, 'responseCompleted');
		if (completed === undefined) return;
		const isSeen = completed.deliveredAt.length > 0 && !completed.isRepeatable;
		if (!isSeen) this.appear(response, false, completed.isRepeatable);
	}

	/**
	 * The trigger begins with a form: what is there is not new, unless existing responses are wanted.
	 *
	 * @param isFirst otherwise the trigger was active before, and may deliver existing responses or not
	 */
	begin(form: Form, emitExisting: boolean | number, isFirst: boolean): void {
		for (const subject of [form, ...form.kept]) this.edits.appear(subject, subject.edits);
		const since = typeof emitExisting === 'number' ? emitExisting : emitExisting ? 0 : Infinity;
		for (const response of form.kept) {
			for (const event of EVENTS) this.beliefs.delete(`${response.id} ${event}`);
			const isThere = response.missingOn === undefined;
			const isEmitted = response.createdAt >= since;
			if (isEmitted || !isThere) this.appear(response, isFirst && isThere, !isFirst);
			else if (response.incomplete) {
				this.appear(response);
				this.beliefs.delete(`${response.id} responseStarted`);
				const abandoned = this.find(response, 'responseAbandoned')!;
				abandoned.isOwed &&= abandoned.at > this.now() + SOON_MS;
			}
		}
	}

	/** Other events, forms or filters are chosen: what has happened was seen with the old ones. */
	change(): void {
		this.edits.change();
		for (const [key, belief] of this.beliefs) {
			const { subject, event, at } = belief;
			const isReopened = event === 'responseCompleted' && (subject as Response).incomplete;
			const isSeen = subject.missingOn === undefined && at <= this.now() && !isReopened;
			if (isSeen) this.beliefs.delete(key);
			else belief.isOwed = false;
		}
	}

	/** Judges what a poll gave, and takes note of what became of it. */
	judge(poll: Poll): void {
		const { items, endedAt, isExecuted, isSaved } = poll;
		const positions = new Map<Form, number>();
		for (const item of items) {
			const { id, event } = item;
			this.edits.judge(item, poll);
			if (event.endsWith('Updated')) continue;
			const belief = this.beliefs.get(`${id} ${event}`);
			expect(belief?.at ?? Infinity, `${event} of ${id} has happened`).toBeLessThanOrEqual(endedAt);
			const { subject, deliveredAt, isRepeatable } = belief!;
			expect(this.isWanted(subject, event), `${event} of ${id} is wanted`).toBe(true);
			if ('form' in subject) {
				const before = positions.get(subject.form) ?? 0;
				expect(subject.number, `${id} comes after earlier ones`).toBeGreaterThan(before);
				positions.set(subject.form, subject.number);
			}
			if (isExecuted) {
				const isOnce = deliveredAt.length === 0 || isRepeatable;
				expect(isOnce, `${event} of ${id} is delivered once`).toBe(true);
				deliveredAt.push(endedAt);
				belief!.isRepeatable ||= !isSaved;
			}
			// n8n's default mode can lose items between its two writes
			if (isExecuted || isSaved) belief!.isOwed = false;
		}
	}

	/** What has to be delivered, now or later, of forms and responses that are there. */
	listOwed(): Owed[] {
		const owed: Owed[] = [...this.beliefs.values()].filter(
			({ isOwed, at }) => isOwed && at < Infinity,
		);
		return [...owed, ...this.edits.listOwed()].filter(({ subject }) => !subject.missingOn);
	}

	/** What has to be delivered by now. */
	listMissing(): string[] {
		const missing = this.listOwed().filter(({ at }) => at <= this.now());
		return missing.map(({ subject, event }) => `${subject.id} ${event}`);
	}

	listDelivered(): Belief[] {
		return [...this.beliefs.values()].filter(({ deliveredAt }) => deliveredAt.length > 0);
	}

	private find({ id }: Subject, event: TriggerEvent): Belief | undefined {
		return this.beliefs.get(`${id} ${event}`);
	}
}
