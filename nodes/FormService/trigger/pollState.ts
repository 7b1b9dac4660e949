import type { IDataObject } from 'n8n-workflow';
import type { Dependencies, Trigger } from './dependencies';
import type { KnownResponses } from './knownResponses';
import type { ListedForm, TriggerMemory } from './memory';
import { load, save, savePending } from './state';
import type { FormState } from './stateCodec';
import { areSame, chosenForms, nothing, unread, watchedIds, withList } from './watchedForms';
import type { FormList } from './watchedForms';

/** What one poll goes on from and what it leaves: all that is known of the forms of a trigger. */
export class PollState {
	/** When the list of all forms was first read, in epoch milliseconds. */
	listedSince: number | undefined;
	/** Whether forms are known that are not watched any more: the next poll that reads one forgets them. */
	readonly hasLeft: boolean;
	private readonly isDamaged: boolean;
	/** What is known with the items of this poll, and without them: n8n may drop them. */
	private forms: Map<string, FormState>;
	private quiet: Map<string, FormState>;
	/** Forms with items: what is known of them depends on these. */
	private readonly delivering = new Set<string>();
	private hasChanged = false;

	constructor(
		private readonly trigger: Trigger,
		private readonly staticData: IDataObject,
		private readonly own: TriggerMemory,
		log: Dependencies['log'],
	) {
		const { service, watch } = trigger;
		const restored = load(staticData, own);
		this.isDamaged = restored.kind === 'damaged';
		if (restored.kind === 'damaged') {
			log.warn(
				`What the trigger knew cannot be used: ${restored.reason}. It starts anew: responses that are there now start nothing.`,
			);
		}
		const isSame = restored.kind === 'state' && restored.state.service === service;
		const known = isSame ? restored.state.forms : new Map<string, FormState>();
		this.forms = new Map(watch.kind === 'all' ? known : chosenForms(known, watch.formIds));
		this.quiet = new Map(this.forms);
		this.listedSince = isSame && watch.kind === 'all' ? restored.state.listedSince : undefined;
		this.hasLeft =
			isSame && (known.size > this.forms.size || restored.state.listedSince !== this.listedSince);
	}

	watchedIds(): string[] {
		return watchedIds(this.trigger.watch, this.forms);
	}

	/** Whether there is a form beside this one that the trigger has begun with. */
	watches(other: string): boolean {
		return this.watchedIds().some((id) => id !== other && this.responsesOf(id) !== undefined);
	}

	/** What is known of a form's responses; undefined when the trigger has yet to begin with it. */
	responsesOf(id: string): KnownResponses | undefined {
		return this.forms.get(id)?.known;
	}

	/** What a listing of the form is compared with; undefined when all in it counts as known. */
	before(id: string): KnownResponses | undefined {
		const state = this.forms.get(id) ?? (this.isDamaged ? unread : undefined);
		const isToEmit = state === undefined && this.trigger.emitExisting;
		return isToEmit ? nothing.known : state?.known;
	}

	/** Takes note of the list of all forms, and gives those that are new, which are not known yet. */
	takeList(list: Pick<FormList, 'forms' | 'complete' | 'except' | 'now'>): ListedForm[] {
		const { listedSince } = this;
		const emitExisting = this.trigger.emitExisting && !this.isDamaged;
		const { forms, created } = withList(this.forms, { ...list, listedSince, emitExisting });
		this.hasChanged = listedSince === undefined || !areSame(forms, this.forms);
		this.listedSince = listedSince ?? Math.floor(list.now);
		this.forms = forms;
		this.quiet = new Map(forms);
		return created;
	}

	/** A form is new: all its responses will be. */
	begin(id: string): void {
		this.commit(id, nothing, false);
	}

	commit(id: string, state: FormState, hasItems: boolean): void {
		this.hasChanged = true;
		if (hasItems) this.delivering.add(id);
		this.forms.set(id, state);
		if (!this.delivering.has(id)) this.quiet.set(id, state);
	}

	/** @param isSent whether a request of this poll may have told what is not in the state */
	save({ hasItems, isSent, now }: { hasItems: boolean; isSent: boolean; now: number }): void {
		const { staticData, own, listedSince, isDamaged } = this;
		if (!this.hasChanged) {
			if (!isSent) savePending(staticData, own);
			return;
		}
		if (isDamaged) this.forgetDamaged();
		const quiet = { service: this.trigger.service, listedSince, forms: this.quiet };
		const delivered = hasItems ? { ...quiet, forms: this.forms } : undefined;
		save(staticData, own, { quiet, delivered, isDamaged, now });
	}

	/** What was known and is lost was delivered: forms whose turn has yet to come begin without it. */
	private forgetDamaged(): void {
		for (const id of this.watchedIds()) {
			if (!this.forms.has(id)) this.forms.set(id, unread);
			if (!this.quiet.has(id)) this.quiet.set(id, unread);
		}
	}
}
