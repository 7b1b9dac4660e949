/**
 * The oracle: what happened in the service, what the trigger therefore owes its workflow, and what it has
 * delivered. It knows nothing of how the trigger works. What it believes of an event:
 *
 * - owed: it happened while the trigger watched for it, so it has to be delivered once;
 * - not owed: it happened, but may have been seen before anybody wanted it: at most once;
 * - unknown: it has not happened, or was there before the trigger began. It is never delivered. Until all is
 *   read, what was created in an earlier second than that of the first reading was there before. After that,
 *   what was not listed is new.
 */
import { expect } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import { Edits, isUnfinished, nameUpdate, type Owed, type Subject } from './edits.mts';
import type { Poll } from './n8n.mts';
import { isListed, type Form, type Response } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';

/** `at`: since when it may be delivered; Infinity if it has not happened. */
type Belief = Owed & {
	isOwed: boolean;
	/** n8n or the trigger may have lost that it was delivered. */
	isRepeatable: boolean;
	/** When it started the workflow. */
	deliveredAt: number[];
};

/** What is nearly abandoned when the trigger begins may be so when the trigger has read it. */
const SOON_MS = 6 * HOUR_MS;

export class Oracle {
	/** By subject and event, such as `A-2 responseCompleted`. */
	private readonly beliefs = new Map<string, Belief>();
	private readonly edits = new Edits();
	/** By form that was not read whole: responses of earlier times than these exist, in epoch milliseconds. */
	private readonly existedBefore = new Map<Form, number>();
	private readonly now: () => number;
	/** Whether the trigger watches for an event. */
	private readonly isWanted: (subject: Subject, event: TriggerEvent) => boolean;

	constructor(now: Oracle['now'], isWanted: Oracle['isWanted']) {
		this.now = now;
		this.isWanted = isWanted;
	}

	/** A form was created, or a response was submitted or completed, that the trigger does not know. */
	appear(subject: Subject, isOwed = true): void {
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
				isRepeatable: before?.isRepeatable === true,
				deliveredAt,
			});
		};
		if (!('form' in subject)) return set('formCreated', now);
		const { incomplete, createdAt, form } = subject;
		const existedBefore = this.existedBefore.get(form) ?? -Infinity;
		const isExisting = isListed(subject) && createdAt < existedBefore;
		set('responseStarted', incomplete && !isExisting ? now : Infinity);
		set('responseAbandoned', incomplete ? createdAt + DAY_MS : Infinity);
		set('responseCompleted', incomplete || isExisting ? Infinity : now);
	}

	/** An edit of an unfinished response is no event; its completion has the edit. */
	edit(subject: Subject): void {
		subject.edits += 1;
		const isWanted = !isUnfinished(subject) && this.isWanted(subject, nameUpdate(subject));
		this.edits.add(subject, isWanted ? this.now() : undefined);
	}

	complete(response: Response): void {
		this.edits.complete(response);
		// the trigger may not have seen it as incomplete
		for (const event of ['responseStarted', 'responseAbandoned'] as const) {
			const belief = this.find(response, event);
			if (belief !== undefined) belief.isOwed = false;
		}
		const completed = this.find(response, 'responseCompleted');
		if (completed === undefined) return;
		completed.at = this.now();
		completed.isOwed = this.isWanted(response, 'responseCompleted');
	}

	/** All responses of these forms that are there have been read. */
	settle(forms: readonly Form[]): void {
		this.edits.settle();
		for (const form of forms) if (form.listShown().length > 0) this.existedBefore.delete(form);
	}

	/** The process has lost what it had read since n8n last saved the state. */
	forgetUnsaved(forms: readonly Form[]): void {
		this.edits.forget();
		const long = forms.filter(({ kept, listing }) => kept.length > listing.pageSize);
		// a first reading of several pages can go on, and does not know what is missing now
		for (const response of long.flatMap(({ kept }) => kept))
			if (!isListed(response)) this.appear(response, false);
	}

	/** The trigger begins with a form: what is there is not new, unless existing responses are wanted. */
	begin(form: Form, emitSince: number): void {
		const beganAt = Math.floor(this.now() / 1_000) * 1_000;
		this.existedBefore.set(form, Math.min(emitSince, beganAt));
		this.edits.appear(form);
		for (const response of form.kept) {
			const isEmitted = response.createdAt >= emitSince;
			// one of the very second counts as new, if the machine's clock is right
			const mayBeNew = response.createdAt >= beganAt;
			if (isEmitted || mayBeNew || response.incomplete) this.appear(response, isEmitted);
			else this.edits.appear(response);
			const abandoned = this.find(response, 'responseAbandoned');
			if (!isEmitted && abandoned !== undefined) {
				const isSeenBefore = abandoned.at > this.now() + SOON_MS;
				abandoned.isOwed = isSeenBefore && this.isWanted(response, 'responseAbandoned');
			}
		}
	}

	/** Judges what a poll gave, and takes note of what became of it. */
	judge(poll: Poll): void {
		const { items, endedAt, isExecuted, isSaved } = poll;
		const positions = new Map<Form, number>();
		for (const item of items) {
			const { id, event } = item;
			const { subject } = this.edits.judge(item, poll);
			expect(this.isWanted(subject, event), `${event} of ${id} is wanted`).toBe(true);
			if (event.endsWith('Updated')) continue;
			const belief = this.beliefs.get(`${id} ${event}`);
			expect(belief?.at ?? Infinity, `${event} of ${id} has happened`).toBeLessThanOrEqual(endedAt);
			const { deliveredAt, isRepeatable } = belief!;
			if ('form' in subject) {
				const before = positions.get(subject.form) ?? 0;
				expect(subject.number, `${id} comes after earlier ones`).toBeGreaterThanOrEqual(before);
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
		const beliefs = [...this.beliefs.values()];
		const owed: Owed[] = beliefs.filter(({ isOwed, at }) => isOwed && at < Infinity);
		return [...owed, ...this.edits.listOwed()].filter(({ subject }) => isListed(subject));
	}

	/** What has to be delivered by now. */
	listMissing(): string[] {
		const missing = this.listOwed().filter(({ at }) => at <= this.now());
		return missing.map(({ subject, event }) => `${subject.id} ${event}`);
	}

	/** Minutes from each event to its delivery. */
	listDelays(): number[] {
		return [...this.beliefs.values()].flatMap(({ at, deliveredAt }) =>
			deliveredAt.slice(0, 1).map((first) => (first - at) / MINUTE_MS),
		);
	}

	private find({ id }: Subject, event: TriggerEvent): Belief | undefined {
		return this.beliefs.get(`${id} ${event}`);
	}
}
