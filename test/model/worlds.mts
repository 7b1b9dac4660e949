import { expect } from 'vitest';
import type { Shown } from './form.mts';
import { fieldsOf, listOf, formPollsOf, type FormPoll } from './formPolls.mts';
import { copyOf, Model } from './model.mts';
import type { Circumstances, Event, N8n, Outcome, Parameters } from './n8n.mts';

/** Why n8n polls, for what it saves. */
export type Occasion = 'tick' | 'activation';

/** Which of so many things happened that cannot be told apart from outside; the likeliest is 0. */
type Choose = (count: number) => number;

/** More ways in which the same can have come about say that the model is too vague. */
const MOST = 200;

/**
 * What the trigger may know, as far as can be told from outside: whether it took note of a part of a
 * listing shows later, if at all. A poll has to agree with one of the models, and those that it
 * contradicts are given up.
 */
export class Worlds {
	models: Model[];

	constructor(mode: Model['mode'], parameters: Parameters) {
		this.models = [new Model(mode, parameters)];
	}

	/** Any of them, for all that is the same in each. */
	get one(): Model {
		return this.models[0];
	}

	/** Something happens that is the same in each. */
	each(happen: (model: Model) => void): void {
		for (const model of this.models) happen(model);
	}

	/** Compares what one poll did with what the models say, and takes them to where they are then. */
	agree(n8n: N8n, outcome: Outcome, occasion: Occasion, circumstances: Circumstances = {}): void {
		const next: Model[] = [];
		let first: unknown;
		for (const before of this.models) {
			for (const choose of choices()) {
				const model = before.clone();
				try {
					follow(model, n8n, outcome, { occasion, circumstances, choose });
					next.push(model);
				} catch (error) {
					first ??= error;
				}
			}
		}
		if (next.length === 0) throw first as Error;
		const isOne = next.length === 1;
		this.models = isOne ? next : [...new Map(next.map((one) => [one.text, one])).values()];
		expect(this.models.length, 'ways in which this can have come about').toBeLessThan(MOST);
	}
}

/** All rows of choices, one after another: each run is to choose as often as it likes. */
function* choices(): Generator<Choose> {
	const row: Array<{ pick: number; count: number }> = [];
	do {
		let at = 0;
		yield (count) => {
			if (at === row.length) row.push({ pick: 0, count });
			return row[at++].pick;
		};
		while (row.length > 0 && row.at(-1)!.pick + 1 >= row.at(-1)!.count) row.pop();
		if (row.length > 0) row.at(-1)!.pick += 1;
	} while (row.length > 0);
}

/** How a poll came about, and which way is tried to explain it. */
type How = { occasion: Occasion; circumstances: Circumstances; choose: Choose };

/** Takes one model through a poll; throws where that contradicts it. */
function follow(model: Model, n8n: N8n, outcome: Outcome, how: How): void {
	const { sent, items, untouched } = outcome;
	if (sent.length === 0 && items.length === 0 && untouched) {
		model.active = n8n.active;
		if (how.circumstances.end?.startsWith('crash')) model.crash();
		return;
	}
	expect(outcome.unready, 'responses whose items lack their fields').toEqual([]);
	const { startedAt, endedAt } = outcome;
	// by its first reading, which may have waited for its turn
	const isByEnd = endedAt - startedAt >= 1_000 && how.choose(2) === 1;
	const started = model.begin(isByEnd ? endedAt : startedAt);
	const mayBeInVain = outcome.thrown !== undefined && untouched && items.length === 0;
	const hasChanged = new Poll(model, outcome, how).follow();
	// an activation that fails may leave nothing, though it had the list of forms
	if (hasChanged && !(mayBeInVain && how.choose(2) === 1)) model.settle();
	else {
		expect(items).toEqual([]);
		model.undo(started);
		// a good poll may put down again what n8n has not saved
		const hasFailed = sent.some(({ isGood, isBeyond }) => !isGood && !isBeyond);
		if (hasFailed) expect(untouched, 'a failed poll leaves the state as it was').toBe(true);
	}
	writeDown(model, outcome, how);
	model.active = n8n.active;
	expectSmall(model, n8n);
}

/** One poll as one model explains it. */
class Poll {
	private hasChanged = false;
	/** Events that are left, though nothing but the room for items holds them back. */
	private rest = 0;
	private readonly polls: FormPoll[];
	private readonly fields: { asked: string[]; failed: string[] };
	private readonly model: Model;
	private readonly outcome: Outcome;
	private readonly how: How;

	constructor(model: Model, outcome: Outcome, how: How) {
		this.model = model;
		this.outcome = outcome;
		this.how = how;
		this.polls = formPollsOf(outcome);
		this.fields = fieldsOf(outcome);
	}

	/** @returns whether it changed anything that is known */
	follow(): boolean {
		const { model, outcome, polls } = this;
		const { items } = outcome;
		const told = this.takeList();
		const polled = new Set(polls.map(({ form }) => form));
		expect(model.watched(), 'no other form is polled').toEqual(expect.arrayContaining([...polled]));
		for (const poll of polls) this.takePoll(poll);
		for (const [form, responses] of model.postponed) {
			if (!polled.has(form) && this.itemsOf(form).length > 0) {
				this.takeBacklog(form, responses, outcome.endedAt);
			}
		}
		for (const { form } of items) {
			const isKnown = polled.has(form) || model.postponed.has(form) || told.has(form);
			expect(isKnown, `items of form ${form} have a reason`).toBe(true);
		}
		const room = model.parameters.maxPerPoll;
		expect(items.length).toBeLessThanOrEqual(room);
		if (this.rest > 0) expect(items, 'as many as there is room for').toHaveLength(room);
		return this.hasChanged;
	}

	/** @returns the forms that are delivered as new ones */
	private takeList(): Set<string> {
		const { model, outcome, how } = this;
		const { items, startedAt } = outcome;
		const told = items.filter(({ event }) => event === 'formCreated').map(({ form }) => form);
		const list = listOf(outcome);
		if (model.parameters.watch.kind !== 'all') {
			// read for the name of a form
			if (list?.complete) model.list = list;
			expect(told).toEqual([]);
			return new Set();
		}
		const isFirst = model.known.listedSince === undefined;
		const isRead = list !== undefined && !list.hasFailed;
		const isTaken = isRead && (list.complete || (!isFirst && how.choose(2) === 0));
		if (isTaken) model.list = list;
		else if (isFirst) {
			expect(told).toEqual([]);
			if (model.list === undefined) return new Set();
		}
		const probe = model.clone().takeList(startedAt);
		const wouldChange = probe.hasChanged || probe.created.length > 0;
		const way = isTaken || !wouldChange ? 0 : how.choose(3);
		if (!isTaken && (!wouldChange || way === 1)) {
			expect(told).toEqual([]);
			return new Set();
		}
		const { created, hasChanged } = model.takeList(startedAt);
		expect(told.toSorted(), 'forms that are new').toEqual(
			created
				.map(({ form }) => form)
				.filter((form) => told.includes(form))
				.sort(),
		);
		for (const form of told) model.beginFromNothing(form);
		// a list that was read before is kept only if something goes well
		this.hasChanged ||= isTaken || (hasChanged && way === 0) || told.length > 0;
		if (!this.isLate()) this.rest += created.length - told.length;
		return new Set(told);
	}

	private takePoll(poll: FormPoll): void {
		const { model, how, outcome } = this;
		const { form, complete, hasFailed, at } = poll;
		const isAmbiguous = hasTwoStates(poll.responses);
		const responses =
			isAmbiguous && how.choose(2) === 1 ? firstOfEach(poll.responses) : poll.responses;
		const now = at > outcome.startedAt && how.choose(2) === 1 ? outcome.startedAt : at;
		const isFirst = model.responsesOf(form) === undefined;
		const isInVain = !complete && (isFirst || !model.hasFound(form, responses, now));
		const isUnreadable = how.circumstances.unidentified === true;
		const isLost = isUnreadable || (isFirst && !complete);
		const isTaken = !isLost && (hasFailed || isInVain ? how.choose(2) === 0 : true);
		if (isTaken) this.take(form, responses, complete, now);
		else if (this.itemsOf(form).length > 0) {
			this.takeBacklog(form, model.postponed.get(form) ?? [], now);
		}
	}

	/** The process need not keep all that had no room: the rest is read again. */
	private takeBacklog(form: string, responses: Shown[], now: number): void {
		const { rest } = this;
		this.take(form, responses, false, now);
		this.rest = rest;
	}

	private take(form: string, responses: Shown[], complete: boolean, now: number): void {
		const { model, how } = this;
		const found = model.found(form, responses, now);
		const delivered = this.itemsOf(form);
		expect(delivered, `what form ${form} delivers`).toEqual(found.slice(0, delivered.length));
		const isExcused = this.isExcused(form, delivered);
		const isLeft = delivered.length === 0 && found.length > 0 && isExcused;
		if (isLeft && how.choose(2) === 0) return;
		model.poll(form, responses, complete, delivered.length, now);
		this.hasChanged = true;
		if (!isExcused) this.rest += found.length - delivered.length;
	}

	/** Whether something else than the room for items may hold back what a form has. */
	private isExcused(form: string, delivered: readonly Event[]): boolean {
		const { model, outcome, fields, how } = this;
		const hasFileFailed = outcome.sent.some(({ of, isGood }) => of === 'file' && !isGood);
		const isWithoutFields =
			model.parameters.needsFields &&
			delivered.length === 0 &&
			(fields.failed.includes(form) ||
				(!fields.asked.includes(form) &&
					(outcome.isBudgetSpent || how.circumstances.fault !== undefined)));
		return hasFileFailed || isWithoutFields || this.isLate();
	}

	/** Whether so much of the poll's time was used up that it may leave the rest to the next one. */
	private isLate(): boolean {
		const { startedAt, endedAt, budgetMs } = this.outcome;
		return endedAt - startedAt > budgetMs / 3;
	}

	private itemsOf(form: string): Event[] {
		return this.outcome.items.filter((item) => item.form === form && item.event !== 'formCreated');
	}
}

/** Whether a response is shown twice, and was completed in between: either may be taken. */
function hasTwoStates(responses: readonly Shown[]): boolean {
	return firstOfEach(responses).some(({ uuid, incomplete }) =>
		responses.some((other) => other.uuid === uuid && other.incomplete !== incomplete),
	);
}

function firstOfEach(responses: readonly Shown[]): Shown[] {
	const byUuid = new Map<string, Shown>();
	for (const one of responses) if (!byUuid.has(one.uuid)) byUuid.set(one.uuid, one);
	return [...byUuid.values()];
}

/** What n8n saves of a poll, by its mode. */
function writeDown(
	model: Model,
	{ items, untouched, thrown }: Outcome,
	{ occasion, circumstances: { end } }: How,
): void {
	const isDurable = model.mode === 'durable';
	const isCrash = end?.startsWith('crash') === true;
	if (thrown !== undefined) return;
	if (end === 'discarded') {
		if (items.length > 0) model.known = model.quiet;
		return;
	}
	if (items.length === 0) {
		const saves = occasion === (isDurable ? 'tick' : 'activation') && !untouched;
		if (saves && !isCrash) model.saved = copyOf(model.known);
	} else if (isDurable) {
		if (!isCrash) {
			model.saved = copyOf(model.known);
			record(model, items);
		}
	} else {
		if (end !== 'crashBefore' && end !== 'crashAfterExecution') model.saved = copyOf(model.known);
		if (end === 'crashAfterState' || end === 'crashAfterExecution') {
			for (const item of items) model.excused.add(model.keyOf(item));
		}
		if (end !== 'crashBefore' && end !== 'crashAfterState') record(model, items);
	}
	if (isCrash) model.crash();
}

/** Every event starts one execution, and no more. */
function record(model: Model, items: readonly Event[]): void {
	for (const item of items) {
		const key = model.keyOf(item);
		const isAgain = model.delivered.has(key) && !model.excused.has(key);
		expect(isAgain, `${key} is delivered again`).toBe(false);
		model.delivered.add(key);
	}
}

/** At most 12 bytes a response, four more for one that waits, and 1 KB; in n8n's database. */
function expectSmall(model: Model, { database }: N8n): void {
	const forms = [...model.saved.forms.values()];
	const responses = forms.flatMap(({ responses: known }) => [...(known?.values() ?? [])]);
	const waiting = responses.filter(({ abandoned }) => typeof abandoned === 'number');
	const bytes = JSON.stringify(database.staticData).length;
	const most = 12 * responses.length + 4 * waiting.length + 1024;
	expect(bytes).toBeLessThanOrEqual(most);
}
