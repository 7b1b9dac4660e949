import type { ListedForm, Shown } from './form.mts';
import {
	ABANDONED_AFTER_MS,
	DAY_MS,
	type Event,
	type Parameters,
	type TriggerEvent,
} from './n8n.mts';

/** What a person would say that the trigger knows of one response. */
type Known = {
	complete: boolean;
	/** The day since which it is gone. */
	goneSince?: number;
	/** Since when it waits to be told as abandoned, in epoch milliseconds; or that it has been. */
	abandoned?: number | 'told';
};

/**
 * What is known of one form; without responses, the trigger has yet to begin with it, and those that were
 * created since then are new.
 */
type KnownForm = { responses?: ReadonlyMap<string, Known>; since?: number; goneSince?: number };

/** All that is known, since the first poll. */
export type Knowledge = {
	forms: Map<string, KnownForm>;
	/** When all forms were first listed. */
	listedSince?: number;
	/** The state cannot be read, so that each form begins anew and delivers nothing that is there. */
	isDamaged?: boolean;
};

const REMEMBERED_DAYS = 30;

const nothing = (): Knowledge => ({ forms: new Map() });

/**
 * What the trigger should know and do, in the words of its description: maps, UUIDs in full, no
 * packing, no process, no overlap. Beside it, what of that n8n has in its database.
 */
export class Model {
	readonly mode: 'default' | 'durable';
	parameters: Parameters;
	active = false;
	/** What is known with all that was delivered, and what n8n falls back to if it drops the last items. */
	known: Knowledge = nothing();
	quiet: Knowledge = nothing();
	saved: Knowledge = nothing();
	/** The list of forms that the process has. */
	list: { forms: ListedForm[]; complete: boolean } | undefined;
	/** Responses with events that the last poll of a form found and had no room for. */
	readonly postponed = new Map<string, Shown[]>();
	/** Events that n8n lost or doubled between two writes of its own, which is allowed in its default mode. */
	readonly excused = new Set<string>();
	/** Events that were delivered since they last could be. */
	readonly delivered = new Set<string>();
	/** The second after the one in which the poll began: what was created by then may have been there before. */
	private since = 0;

	constructor(mode: 'default' | 'durable', parameters: Parameters) {
		this.mode = mode;
		this.parameters = parameters;
	}

	/** Another model that knows the same. */
	clone(): Model {
		const { mode, parameters, active, known, quiet, saved, list, since } = this;
		const model = new Model(mode, parameters);
		Object.assign(model, { active, list, since, saved: copyOf(saved) });
		model.known = copyOf(known);
		model.quiet = quiet === known ? model.known : copyOf(quiet);
		for (const [form, responses] of this.postponed) model.postponed.set(form, responses);
		for (const key of this.excused) model.excused.add(key);
		for (const key of this.delivered) model.delivered.add(key);
		return model;
	}

	/** All that it says, as text: two models with the same will always say the same. */
	get text(): string {
		const { known, quiet, saved, list, postponed, excused, delivered } = this;
		const all = { known, quiet, saved, list, postponed, excused, delivered };
		return JSON.stringify(all, (_key, value: unknown) =>
			value instanceof Map || value instanceof Set ? [...(value as Set<unknown>)] : value,
		);
	}

	/** A poll begins: forms that are not watched any more are forgotten as soon as it changes anything. */
	begin(startedAt: number): { before: Knowledge } {
		this.since = (Math.floor(startedAt / 1000) + 1) * 1000;
		const before = this.known;
		const { watch } = this.parameters;
		if (watch.kind === 'all') this.known = copyOf(before);
		else {
			const chosen = [...before.forms].filter(([id]) => watch.formIds.includes(id));
			const forms = new Map(chosen.map(([id, { responses, since }]) => [id, { responses, since }]));
			this.known = { forms, isDamaged: before.isDamaged };
		}
		if (!this.watchesResponses()) {
			for (const [id, { goneSince }] of this.known.forms) this.known.forms.set(id, { goneSince });
		}
		this.quiet = copyOf(this.known);
		return { before };
	}

	/** Nothing was changed. */
	undo({ before }: { before: Knowledge }): void {
		this.known = before;
		this.quiet = before;
	}

	/** Form Created alone needs no responses. */
	watchesResponses(): boolean {
		return this.parameters.events.some((event) => event !== 'formCreated');
	}

	/** What is known of a form before its first reading. */
	private initial(): KnownForm {
		if (!this.watchesResponses()) return {};
		const isToEmit = this.parameters.emitExisting && !this.known.isDamaged;
		return isToEmit ? { responses: new Map() } : { since: this.since };
	}

	watched(): string[] {
		const { watch } = this.parameters;
		if (watch.kind === 'chosen') return [...watch.formIds];
		return [...this.known.forms]
			.filter(([id, { goneSince }]) => goneSince === undefined && !watch.except.includes(id))
			.map(([id]) => id);
	}

	/** Takes note of the list of forms, and gives those that are new, which are not known yet. */
	takeList(now: number): { created: Event[]; hasChanged: boolean } {
		const { watch, events } = this.parameters;
		if (watch.kind !== 'all' || this.list === undefined) return { created: [], hasChanged: false };
		const { forms, listedSince } = this.known;
		const before = JSON.stringify([...forms]);
		const isFirst = listedSince === undefined;
		if (isFirst) this.forget((key) => key.endsWith('formCreated'));
		const created: ListedForm[] = [];
		for (const form of this.list.forms) {
			const known = forms.get(form.id);
			const isOld = isFirst || (form.createdAt ?? Infinity) < listedSince - 60_000;
			if (watch.except.includes(form.id)) forms.set(form.id, {});
			else if (known?.responses !== undefined) forms.set(form.id, { responses: known.responses });
			else if (known !== undefined)
				forms.set(form.id, { since: known.since ?? this.initial().since });
			else if (!isOld) created.push(form);
			else {
				forms.set(form.id, this.initial());
				this.forget((key) => key.startsWith(`${form.id} ${form.id}-`));
			}
		}
		const day = Math.floor(now / DAY_MS);
		for (const [id, { goneSince = day, ...rest }] of forms) {
			if (!this.list.complete || this.list.forms.some((form) => form.id === id)) continue;
			if (day - goneSince <= REMEMBERED_DAYS) forms.set(id, { ...rest, goneSince });
			else {
				forms.delete(id);
				this.forget((key) => key.startsWith(`${id} `));
			}
		}
		this.known.listedSince ??= this.since;
		const isEvent = events.includes('formCreated');
		if (!isEvent) for (const { id } of created) this.beginFromNothing(id);
		this.quiet = copyOf(this.known);
		const hasChanged = isFirst || before !== JSON.stringify([...forms]);
		if (!isEvent) return { created: [], hasChanged };
		const all = created.map(({ id }) => ({ form: id, uuid: id, event: 'formCreated' as const }));
		return { created: all, hasChanged };
	}

	/** A new form was delivered, or need not be: all its responses are new. */
	beginFromNothing(id: string): void {
		this.forget((key) => key.startsWith(`${id} ${id}-`));
		this.known.forms.set(id, this.watchesResponses() ? { responses: new Map() } : {});
	}

	/** The responses that are known of a form; undefined when it is to begin. */
	responsesOf(form: string): ReadonlyMap<string, Known> | undefined {
		return (this.known.forms.get(form) ?? this.initial()).responses;
	}

	/** Whether a response was there before the trigger began with its form, as far as can be told. */
	private isOld(form: string, { createdAt, hasTime }: Shown): boolean {
		const { responses, since = Infinity } = this.known.forms.get(form) ?? this.initial();
		return responses === undefined && (!hasTime || createdAt * 1000 < since);
	}

	/** What happened to a form, and whether a condition holds it back; takes no note of it. */
	private happened(
		form: string,
		shown: readonly Shown[],
		now: number,
	): Array<Event & { isWanted: boolean }> {
		const known = this.responsesOf(form);
		const { events, condition } = this.parameters;
		return inOrder(shown).flatMap((response) => {
			if (this.isOld(form, response)) return [];
			const { uuid, number } = response;
			const event = this.eventOf(known?.get(uuid), response, now);
			const isWanted = condition === undefined || String(number).includes(condition);
			return event !== undefined && events.includes(event) ? [{ form, uuid, event, isWanted }] : [];
		});
	}

	private eventOf(
		before: Known | undefined,
		response: Shown,
		now: number,
	): TriggerEvent | undefined {
		if (!response.incomplete) return before?.complete === true ? undefined : 'responseCompleted';
		const { events } = this.parameters;
		if (before === undefined) {
			const isLate = this.waits() && isAbandoned(sinceOf(response, now), now);
			return events.includes('responseStarted') || !isLate
				? 'responseStarted'
				: 'responseAbandoned';
		}
		const isLate = typeof before.abandoned === 'number' && isAbandoned(before.abandoned, now);
		return this.waits() && isLate && !before.complete ? 'responseAbandoned' : undefined;
	}

	private waits(): boolean {
		return this.parameters.events.includes('responseAbandoned');
	}

	/** The events that a poll of a form has to deliver, oldest first. */
	found(form: string, shown: readonly Shown[], now: number): Event[] {
		return this.happened(form, shown, now)
			.filter(({ isWanted }) => isWanted)
			.map(({ uuid, event }) => ({ form, uuid, event }));
	}

	/** Whether a poll found anything at all, wanted or not. */
	hasFound(form: string, shown: readonly Shown[], now: number): boolean {
		return this.happened(form, shown, now).length > 0;
	}

	/** Takes note of a poll of a form that delivered the first of the events that it found. */
	poll(
		form: string,
		shown: readonly Shown[],
		complete: boolean,
		delivered: number,
		now: number,
	): void {
		const day = Math.floor(now / DAY_MS);
		const found = this.found(form, shown, now);
		const later = new Set(found.slice(delivered).map(({ uuid }) => uuid));
		const before = this.responsesOf(form);
		if (this.known.forms.get(form) === undefined || before === undefined) {
			this.forget((key) => key.startsWith(`${form} ${form}-`));
		}
		const responses = new Map(before);
		for (const [uuid, known] of responses) {
			const { goneSince = day, ...present } = known;
			if (shown.some((response) => response.uuid === uuid)) responses.set(uuid, present);
			else if (complete && day - goneSince > REMEMBERED_DAYS) {
				responses.delete(uuid);
				this.forget((key) => key.startsWith(`${form} ${uuid} `));
			} else if (complete) responses.set(uuid, { ...present, goneSince });
		}
		for (const response of inOrder(shown)) {
			const { uuid } = response;
			if (later.has(uuid)) continue;
			responses.set(uuid, this.noted(before?.get(uuid), response, this.isOld(form, response), now));
		}
		this.set(form, responses, delivered);
		const rest = inOrder(shown).filter(({ uuid }) => later.has(uuid));
		this.postponed.set(form, rest);
	}

	private noted(
		before: Known | undefined,
		response: Shown,
		isBaseline: boolean,
		now: number,
	): Known {
		if (!response.incomplete || before?.complete === true) return { complete: true };
		if (before?.abandoned === 'told') return { complete: false, abandoned: 'told' };
		if (!this.waits()) return { complete: false };
		const since = before?.abandoned ?? sinceOf(response, now);
		// what had been abandoned before anybody asked for it is not told
		const wasAsked = before?.abandoned !== undefined || (before === undefined && !isBaseline);
		const isTold = this.eventOf(before, response, now) === 'responseAbandoned';
		const isOver = isAbandoned(since, now) && (isTold || !wasAsked);
		return { complete: false, abandoned: isOver ? 'told' : since };
	}

	private set(form: string, responses: Map<string, Known>, delivered: number): void {
		const isNew = !this.quiet.forms.has(form) && this.known.forms.has(form);
		this.known.forms.set(form, { responses });
		if (delivered === 0 && !isNew) this.quiet.forms.set(form, { responses });
	}

	/** A poll has changed something: forms whose turn has yet to come begin now. */
	settle(): void {
		const initial = this.initial();
		// without its item, a new form stays unknown
		const begun = this.watched().filter((id) => !this.known.forms.has(id));
		for (const id of begun) this.forget((key) => key.startsWith(`${id} ${id}-`));
		for (const knowledge of [this.known, this.quiet]) {
			if (this.watchesResponses()) for (const id of begun) knowledge.forms.set(id, initial);
			delete knowledge.isDamaged;
		}
	}

	/** The process ends: what is not saved is gone. */
	crash(): void {
		this.known = this.saved;
		this.list = undefined;
		this.postponed.clear();
	}

	/** The default mode keeps what is known by the node's name; the process remembers nothing of it. */
	rename(): void {
		if (this.mode === 'default') {
			this.saved = nothing();
			this.postponed.clear();
		}
		this.known = this.saved;
	}

	keyOf({ form, uuid, event }: Event): string {
		return `${form} ${uuid} ${event}`;
	}

	private forget(isGone: (key: string) => boolean): void {
		for (const key of this.delivered) if (isGone(key)) this.delivered.delete(key);
	}
}

/** What is known of one form is never changed in place. */
export function copyOf({ forms, ...rest }: Knowledge): Knowledge {
	return { ...rest, forms: new Map(forms) };
}

/** To the minute, rounded up: no response is told as abandoned too early. */
function sinceOf({ createdAt, hasTime }: Shown, now: number): number {
	const since = hasTime ? Math.min(createdAt * 1000, now) : now;
	return Math.ceil(since / 60_000) * 60_000;
}

function isAbandoned(since: number, now: number): boolean {
	return now >= since + ABANDONED_AFTER_MS;
}

/** Each response once, in the order in which they were submitted. A complete copy counts for more. */
function inOrder(shown: readonly Shown[]): Shown[] {
	const byNumber = new Map<number, Shown>();
	for (const response of shown) {
		const other = byNumber.get(response.number);
		if (other === undefined || other.incomplete) byNumber.set(response.number, response);
	}
	return [...byNumber.values()].sort((left, right) => left.number - right.number);
}
