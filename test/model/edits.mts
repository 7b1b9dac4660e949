/**
 * What the oracle believes of edits of forms and responses. They are counted: an edit is owed if the trigger has
 * read what was there before, and several can come as one event.
 */
import { expect } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import type { Item, Poll } from './n8n.mts';
import { isListed, type Form, type Response } from './service.mts';

export type Subject = Form | Response;

/** An event that has to be delivered, and since when, in epoch milliseconds. */
export type Owed = { subject: Subject; event: TriggerEvent; at: number };

export const isUnfinished = (subject: Subject) => 'form' in subject && subject.incomplete;

export const nameUpdate = (subject: Subject) =>
	'form' in subject ? 'responseUpdated' : 'formUpdated';

export class Edits {
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
	appear(subject: Subject): void {
		const known = this.beliefs.get(subject.id)?.known ?? subject.edits;
		this.beliefs.set(subject.id, { subject, known, state: 'unread' });
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

	/** Judges an item of any event, whose edits are known then. */
	judge({ id, event, edits }: Item, { isExecuted, isSaved }: Poll): { subject: Subject } {
		const belief = this.beliefs.get(id)!;
		if (event.endsWith('Updated')) {
			expect(isUnfinished(belief.subject), `${id} is updated, but unfinished`).toBe(false);
			expect(edits, `${event} of ${id} is new`).toBeGreaterThan(belief.known);
		}
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
