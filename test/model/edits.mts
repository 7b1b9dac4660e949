/**
 * The part of the oracle that is about edits of responses and forms, which are counted: an edit is owed if the
 * trigger has read what was there before, and several can come as one event.
 */
import { expect } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/watched.ts';
import type { Item, Poll } from './n8n.mts';
import type { Form, Response } from './service.mts';

export type Subject = Form | Response;

/** An event that has to be delivered, and since when, in epoch milliseconds. */
export type Owed = { subject: Subject; event: TriggerEvent; at: number };

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
	private readonly isWanted: (subject: Subject, event: TriggerEvent) => boolean;

	constructor(isWanted: Edits['isWanted']) {
		this.isWanted = isWanted;
	}

	/** The trigger has not read it, or may have forgotten it. */
	appear(subject: Subject, known = this.beliefs.get(subject.id)?.known ?? subject.edits): void {
		this.beliefs.set(subject.id, { subject, known, state: 'unread' });
	}

	add(subject: Subject, now: number): void {
		subject.edits += 1;
		const belief = this.beliefs.get(subject.id);
		if (belief === undefined || belief.state === 'unread') return;
		if (this.isWanted(subject, nameUpdate(subject))) belief.owedSince ??= now;
	}

	/** The completion of a response has its edits, also those that follow before it is read. */
	complete({ id }: Response): void {
		const belief = this.beliefs.get(id);
		if (belief !== undefined) Object.assign(belief, { state: 'unread', owedSince: undefined });
	}

	/** All that is there has been read. */
	settle(): void {
		for (const belief of this.beliefs.values())
			if (belief.state === 'unread' && belief.subject.missingOn === undefined)
				belief.state = 'read';
	}

	/** What the trigger has read without an event is lost. */
	forget(): void {
		for (const { subject, state } of this.beliefs.values())
			if (state === 'read') this.appear(subject);
	}

	/** Other events are chosen: what is there is known. */
	change(): void {
		for (const { subject } of this.beliefs.values())
			this.appear(subject, subject.missingOn === undefined ? subject.edits : undefined);
	}

	/** Judges an item of any event, whose edits are known then. */
	judge({ id, event, edits }: Item, { isExecuted, isSaved }: Poll): void {
		const belief = this.beliefs.get(id)!;
		if (event.endsWith('Updated')) {
			expect(this.isWanted(belief.subject, event), `${event} of ${id} is wanted`).toBe(true);
			expect(edits, `${event} of ${id} is new`).toBeGreaterThan(belief.known);
		}
		if (isSaved) Object.assign(belief, { known: edits, state: 'saved' });
		const isNewest = edits >= belief.subject.edits;
		if ((isExecuted || isSaved) && isNewest) belief.owedSince = undefined;
	}

	listOwed(): Owed[] {
		return [...this.beliefs.values()].flatMap(({ subject, owedSince: at }) =>
			at === undefined ? [] : [{ subject, event: nameUpdate(subject), at }],
		);
	}
}

const nameUpdate = (subject: Subject) => ('form' in subject ? 'responseUpdated' : 'formUpdated');
