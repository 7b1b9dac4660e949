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
import {
	TRIGGER_EVENTS,
	type TriggerEvent,
} from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Item, Poll } from './n8n.mts';
import { isListed, type Form, type Response } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';

export type Subject = Form | Response;

/** An event that has to be delivered, and since when, in epoch milliseconds. */
export type Owed = { subject: Subject; event: TriggerEvent; at: number };

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
		const isUnfinished = 'form' in subject && subject.incomplete;
		const isWanted = !isUnfinished && this.isWanted(subject, nameUpdate(subject));
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
		for (const form of forms) if (form.shown().length > 0) this.existedBefore.delete(form);
	}

	/** The process has lost what it had read since n8n last saved the state. */
	forgetUnsaved(forms: readonly Form[]): void {
		this.edits.forget();
		const long = forms.filter(({ kept, listing }) => kept.length > listing.pageSize);
		for (const response of long.flatMap(({ kept }) => kept)) {
			// a first reading of several pages can go on, and does not know what is missing now
			if (!isListed(response)) this.appear(response, false);
			// shuffled pages can have left it out of all readings before the last save, so that the trigger
			// can miss its completion (docs/trigger.md, "Durable mode")
			else if (response.form.listing.shufflesTies) {
				const completed = this.find(response, 'responseCompleted');
				if (completed !== undefined) completed.isOwed = false;
			}
		}
	}

	/**
	 * The trigger begins with a form: what is there is not new, unless existing responses are wanted.
	 *
	 * @param isFirst otherwise the trigger was active before, and may deliver existing responses or not
	 */
	begin(form: Form, emitSince: number, isFirst: boolean): void {
		for (const subject of [form, ...form.kept])
			this.edits.appear(subject, isFirst ? subject.edits : undefined);
		const beganAt = Math.floor(this.now() / 1_000) * 1_000;
		if (!this.existedBefore.has(form)) this.existedBefore.set(form, Math.min(emitSince, beganAt));
		for (const response of form.kept) {
			for (const event of TRIGGER_EVENTS) this.beliefs.delete(`${response.id} ${event}`);
			const isEmitted = response.createdAt >= emitSince;
			// one of the very second counts as new, if the machine's clock is right
			const mayBeNew = response.createdAt >= beganAt;
			if (isEmitted || mayBeNew) this.appear(response, isFirst && isEmitted, !isFirst);
			else if (response.incomplete) {
				this.appear(response);
				this.beliefs.delete(`${response.id} responseStarted`);
				const abandoned = this.find(response, 'responseAbandoned')!;
				// pages that overlap can leave a response out until it is abandoned
				const { shufflesTies } = form.listing;
				const isSeenBefore = !shufflesTies && abandoned.at > this.now() + SOON_MS;
				abandoned.isOwed &&= isSeenBefore;
			}
		}
	}

	/**
	 * Other events, forms or filters are chosen: what has happened was seen with the old ones.
	 *
	 * @param readSince since when all watched lists were read, in epoch milliseconds
	 * @param read the forms whose responses were read with the old ones
	 */
	change(readSince: number, read: readonly Form[]): void {
		this.edits.change(read);
		for (const [key, belief] of this.beliefs) {
			const { subject, at } = belief;
			const isRead = !('form' in subject) || read.includes(subject.form);
			if (isRead && at <= readSince) this.beliefs.delete(key);
			else belief.isOwed = false;
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

/**
 * Edits of responses and forms are counted: an edit is owed if the trigger has read what was there before, and
 * several can come as one event.
 */
class Edits {
	private readonly beliefs = new Map<
		string,
		{
			subject: Subject;
			/** So many edits were delivered, or were there before anybody wanted them. */
			known: number;
			/** Whether the trigger has read the subject, and whether n8n has saved that. */
			state: 'unread' | 'read' | 'saved';
			/** When the first edit was made that has to be delivered, in epoch milliseconds. */
			owedSince?: number;
		}
	>();

	/** The trigger has not read it, or may have forgotten it. */
	appear(subject: Subject, known?: number): void {
		const before = this.beliefs.get(subject.id)?.known ?? subject.edits;
		this.beliefs.set(subject.id, { subject, known: known ?? before, state: 'unread' });
	}

	/** @param now when the edits are owed, in epoch milliseconds; undefined if nobody wants them */
	add({ id, edits }: Subject, now: number | undefined): void {
		const belief = this.beliefs.get(id);
		const isOwed = belief !== undefined && belief.state !== 'unread' && edits > belief.known;
		if (isOwed) belief.owedSince ??= now;
	}

	/** The completion of a response has its edits, also those that follow before it is read. */
	complete({ id, edits: known }: Response): void {
		const belief = this.beliefs.get(id);
		if (belief !== undefined)
			Object.assign(belief, { state: 'unread', owedSince: undefined, known });
	}

	/** All that is there has been read. */
	settle(): void {
		for (const belief of this.beliefs.values())
			if (belief.state === 'unread' && isListed(belief.subject)) belief.state = 'read';
	}

	/** What the trigger has read without an event is lost. */
	forget(): void {
		for (const { subject, state } of this.beliefs.values())
			if (state === 'read') this.appear(subject);
	}

	/** Other events are chosen: what was read of these forms is known. */
	change(read: readonly Form[]): void {
		for (const { subject } of this.beliefs.values()) {
			const isRead = read.includes('form' in subject ? subject.form : subject);
			this.appear(subject, isRead ? subject.edits : undefined);
		}
	}

	/** Judges an item of any event, whose edits are known then. */
	judge({ id, event, edits, ...item }: Item, { isExecuted, isSaved }: Poll): { subject: Subject } {
		const belief = this.beliefs.get(id)!;
		const isUpdate = event.endsWith('Updated');
		if (isUpdate)
			expect(item.isIncomplete, `${event} of ${id}, which is unfinished`).not.toBe(true);
		if (isUpdate) expect(edits, `${event} of ${id} is new`).toBeGreaterThan(belief.known);
		if (isSaved) Object.assign(belief, { known: edits, state: 'saved' });
		const isNewest = edits >= belief.subject.edits;
		if ((isExecuted || isSaved) && isNewest) belief.owedSince = undefined;
		return belief;
	}

	listOwed(): Owed[] {
		return [...this.beliefs.values()].flatMap(({ subject, owedSince: at }) =>
			at === undefined ? [] : [{ subject, event: nameUpdate(subject), at }],
		);
	}
}

const nameUpdate = (subject: Subject) => ('form' in subject ? 'responseUpdated' : 'formUpdated');
