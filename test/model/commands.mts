import { expect } from 'vitest';
import fc from 'fast-check';
import type { TriggerEvent } from '../../nodes/FormService/trigger/diff.ts';
import { newestResponse } from '../../nodes/FormService/trigger/output.ts';
import { faults } from './faults.mts';
import type { Watch } from '../../nodes/FormService/trigger/dependencies.ts';
import type { Form, Kept, Order, PageShift, Shown } from './form.mts';
import { copyOf, DAY_MS, type Model } from './model.mts';
import type { Circumstances, Event, N8n, Outcome, Parameters } from './n8n.mts';

/** The trigger under test with the forms and the n8n around it, and its clock. */
export type Real = { n8n: N8n; forms: Record<string, Form>; clock: { now: number } };

type Command = fc.AsyncCommand<Model, Real>;

/** A command from a sentence and what it does, to the model and to the real thing at once. */
function command(
	text: string,
	run: (model: Model, real: Real) => Promise<void> | void,
	check: (model: Readonly<Model>) => boolean = () => true,
): Command {
	return { check, run: async (model, real) => await run(model, real), toString: () => text };
}

/** Why n8n polls, for what it saves. */
type Occasion = 'tick' | 'activation';

/** Compares what one poll did with what the model says, and takes the model to where it is then. */
function agree(
	model: Model,
	real: Real,
	outcome: Outcome,
	occasion: Occasion,
	circumstances: Circumstances = {},
): void {
	const { list, items, untouched } = outcome;
	const looks = outcome.looks.all;
	const { now } = real.clock;
	const isSent = outcome.asked.length + outcome.fields.length > 0 || list !== undefined;
	if (!isSent && items.length === 0 && untouched) {
		model.active = real.n8n.active;
		if (circumstances.end?.startsWith('crash')) model.crash();
		return;
	}
	expect(outcome.unready, 'forms whose items lack their fields').toEqual([]);
	expect(new Set(outcome.asked).size, 'a form is asked for once a poll').toBe(outcome.asked.length);
	const started = model.begin();
	let hasChanged = false;
	let rest = 0;
	let isWaiting = false;

	const isCutAtFirst = list?.complete === false && model.known.listedSince === undefined;
	const isListed = model.parameters.watch.kind === 'all' && list !== undefined && !isCutAtFirst;
	if (isListed) model.list = list;
	const created = model.takeList(now);
	hasChanged ||= created.hasChanged;
	const told = items.filter(({ event }) => event === 'formCreated');
	expect(told.map(({ form }) => form).sort(), 'forms that are new').toEqual(
		created.created
			.map(({ form }) => form)
			.filter((form) => told.some((one) => one.form === form))
			.sort(),
	);
	for (const { form } of told) model.beginFromNothing(form);
	expect(model.watched(), 'no other form is polled').toEqual(expect.arrayContaining(outcome.asked));
	hasChanged ||= told.length > 0;
	rest += created.created.length - told.length;

	const itemsOf = (form: string) =>
		items.filter((item) => item.form === form && item.event !== 'formCreated');
	const room = model.parameters.maxPerPoll;
	const polled = new Set(outcome.asked);
	const isWaitingForFields = (form: string, found: readonly Event[], delivered: Event[]) => {
		const isFull = items.length >= room;
		if (!model.parameters.needsFields || found.length === 0 || delivered.length > 0 || isFull)
			return false;
		const isExcused = outcome.isBudgetSpent || circumstances.fault !== undefined;
		return isExcused && !outcome.fields.includes(form);
	};
	const take = (form: string, responses: Shown[], complete: boolean) => {
		const found = model.found(form, responses, now);
		const delivered = itemsOf(form);
		expect(delivered, `what form ${form} delivers`).toEqual(found.slice(0, delivered.length));
		const isForFile =
			circumstances.fileFault !== undefined &&
			delivered.length < found.length &&
			items.length < room;
		const isInVain = found.length > 0 && delivered.length === 0;
		const isWithoutFields = isInVain && outcome.withoutFields.includes(form);
		const isForFields = isWaitingForFields(form, found, delivered);
		if (isForFile || isWithoutFields || isForFields) isWaiting = true;
		if ((isForFile && delivered.length === 0 && !isForFields) || isWithoutFields) {
			model.postponed.set(form, []);
			return;
		}
		model.look(form, responses, complete, delivered.length, now);
		hasChanged = true;
		rest += found.length - delivered.length;
	};
	for (const { form, responses, complete, isShort } of looks) {
		const isFirst = model.responsesOf(form) === undefined;
		const isCut = !complete && !isShort;
		const isInVain = isCut && (isFirst || !model.hasFound(form, responses, now));
		if (isInVain) {
			expect(itemsOf(form)).toEqual([]);
			model.postponed.set(form, []);
		} else take(form, responses, complete);
	}
	for (const form of outcome.asked) {
		if (!looks.some((one) => one.form === form)) expect(itemsOf(form)).toEqual([]);
	}
	for (const [form, responses] of model.postponed) {
		if (polled.has(form) || responses.length === 0) continue;
		const isTaken = itemsOf(form).length > 0;
		if (isTaken) take(form, responses, false);
		else if (outcome.withoutFields.includes(form)) {
			model.postponed.set(form, []);
			isWaiting = true;
		} else if (isWaitingForFields(form, model.found(form, responses, now), [])) {
			isWaiting = true;
		} else if (circumstances.fileFault !== undefined) isWaiting = true;
	}
	for (const { form } of items) {
		const isKnown =
			polled.has(form) || model.postponed.has(form) || told.some((one) => one.form === form);
		expect(isKnown, `items of form ${form} have a reason`).toBe(true);
	}
	expect(items.length).toBeLessThanOrEqual(room);
	if (rest > 0 && !isWaiting) expect(items, 'as many as there is room for').toHaveLength(room);
	if (hasChanged) model.settleDamage();
	else {
		expect(items).toEqual([]);
		model.undo(started);
		if (isSent) expect(untouched, 'a poll in vain leaves the state as it was').toBe(true);
	}
	writeDown(model, outcome, occasion, circumstances.end);
	model.active = real.n8n.active;
	expectSmall(model, real);
}

/** What n8n saves of a poll, by its mode. */
function writeDown(
	model: Model,
	{ items, untouched, thrown }: Outcome,
	occasion: Occasion,
	end: Circumstances['end'],
): void {
	const isDurable = model.mode === 'durable';
	const isCrash = end?.startsWith('crash') === true;
	if (thrown !== undefined) return;
	if (end === 'discarded') {
		if (items.length > 0) {
			model.known = model.quiet;
			model.postponed.clear();
		}
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
function expectSmall(model: Model, { n8n }: Real): void {
	const forms = [...model.saved.forms.values()];
	const responses = forms.flatMap(({ responses: known }) => [...(known?.values() ?? [])]);
	const waiting = responses.filter(({ abandoned }) => typeof abandoned === 'number');
	const bytes = JSON.stringify(n8n.database.staticData).length;
	const most = 12 * responses.length + 4 * waiting.length + 1024;
	expect(bytes).toBeLessThanOrEqual(most);
}

async function tick(model: Model, real: Real, circumstances: Circumstances = {}): Promise<Outcome> {
	const occasion = real.n8n.active ? 'tick' : 'activation';
	const outcome = await real.n8n.tick(circumstances);
	agree(model, real, outcome, occasion, circumstances);
	if (circumstances.end?.startsWith('crash')) await restart(model, real);
	if (circumstances.end === 'discarded' && model.mode === 'default') await publish(model, real, {});
	return outcome;
}

/** n8n starts; in its default mode it polls at once. */
async function restart(model: Model, real: Real): Promise<void> {
	model.crash();
	const outcome = await real.n8n.crash();
	if (outcome !== undefined) agree(model, real, outcome, 'activation');
}

async function publish(
	model: Model,
	real: Real,
	change: Partial<Parameters>,
	circumstances: Circumstances = {},
) {
	const was = model.parameters;
	const parameters = { ...was, ...change };
	const watches = (one: Parameters) => JSON.stringify([one.watch, one.condition]);
	const isOther = parameters.events.join() !== was.events.join();
	if (isOther) model.list = undefined;
	if (isOther || watches(parameters) !== watches(was)) model.postponed.clear();
	model.parameters = parameters;
	real.n8n.parameters = parameters;
	const outcome = await real.n8n.activate('publish', circumstances);
	agree(model, real, outcome, 'activation', circumstances);
}

/** A form that people use; most of the time one that is watched. */
const formOf = (model: Model, real: Real, at: number) => {
	const watched = at % 3 === 0 ? Object.keys(real.forms) : model.watched();
	return real.forms[pick(watched, Math.floor(at / 3)) ?? 'A'];
};
const pick = <T,>(all: readonly T[], index: number): T | undefined => all[index % all.length];

const index = fc.nat({ max: 1000 });
const advance = fc.constantFrom(1_000, 10_000, 60_000, 120_000, 600_000, 3_600_000);
export const allEvents: TriggerEvent[] = [
	'formCreated',
	'responseAbandoned',
	'responseCompleted',
	'responseStarted',
];

/** Something that happens to one of the forms. */
function onForm<T>(
	values: fc.Arbitrary<T>,
	textOf: (value: T) => string,
	run: (form: Form, value: T, real: Real) => void,
) {
	return fc.tuple(index, values).map(([at, value]) =>
		command(`${textOf(value)} (form ${at})`, (model, real) => {
			run(formOf(model, real, at), value, real);
		}),
	);
}

/** Something that happens to one of the responses of one of the forms. */
const onResponse = (
	text: string,
	run: (response: Kept) => void,
	isMeant: (response: Kept) => boolean = () => true,
) =>
	onForm(
		index,
		(at) => `${text} (${at})`,
		(form, at) => {
			const response = pick(form.kept.filter(isMeant), at);
			if (response !== undefined) run(response);
		},
	);

/** What respondents and the forms' owner do. */
const onTheForms = [
	onForm(
		fc.boolean(),
		(incomplete) => (incomplete ? 'begin a response' : 'submit'),
		(form, incomplete, { clock }) => form.submit(incomplete, clock.now),
	),
	onForm(
		fc.nat({ max: 12 }),
		(count) => `submit ${count} in the same second`,
		(form, count, { clock }) => {
			for (let number = 0; number < count; number++) form.submit(number % 4 === 3, clock.now);
		},
	),
	onResponse(
		'complete',
		(response) => (response.incomplete = false),
		({ incomplete }) => incomplete,
	),
	onResponse('reopen', (response) => (response.incomplete = true)),
	onResponse('edit', (response) => (response.edits += 1)),
	onResponse('delete', (response) => (response.deleted = true)),
	onResponse(
		'restore',
		(response) => (response.deleted = false),
		({ deleted }) => deleted,
	),
	index.map((at) =>
		command(`create a form (${at})`, (_model, { forms, clock }) => {
			const form = pick(
				Object.values(forms).filter(({ listed }) => !listed),
				at,
			);
			if (form === undefined) return;
			// one that has been there before keeps its time
			if (form.createdAt === Infinity) form.createdAt = Math.floor(clock.now / 1000) * 1000;
			form.listed = true;
		}),
	),
	index.map((at) =>
		command(`give access to an older form (${at})`, (_model, { forms, clock }) => {
			const form = pick(
				Object.values(forms).filter(({ listed }) => !listed),
				at,
			);
			if (form === undefined) return;
			form.createdAt = Math.min(form.createdAt, clock.now - 90 * DAY_MS);
			form.listed = true;
		}),
	),
	onForm(
		fc.constant(undefined),
		() => 'take the form away',
		(form) => (form.listed = false),
	),
];

/** How the service lists. */
const onTheListing = [
	onForm(
		fc.constantFrom<Order>('oldest', 'newest', 'shuffled'),
		(order) => `list ${order} first`,
		(form, order) => (form.order = order),
	),
	onForm(
		fc.constantFrom(1, 2, 3, 7, Infinity),
		(size) => `list in pages of ${size}`,
		(form, size) => (form.pageSize = size),
	),
	onForm(
		fc.record({
			totals: fc.constantFrom<Form['totals']>('true', 'true', 'old', 'none'),
			pagesBy: fc.constantFrom<Form['pagesBy']>(
				'number',
				'cursor',
				'number, refused beyond the end',
			),
			filter: fc.constantFrom<Form['filter']>('honest', 'honest', 'ignored'),
		}),
		(paging) => `list in such pages: ${Object.values(paging).join()}`,
		(form, paging) => Object.assign(form, paging),
	),
	onForm(
		fc.constantFrom<Form['times']>('all', 'some', 'none'),
		(times) => `list with ${times} of the times`,
		(form, times) => (form.times = times),
	),
	onForm(
		fc.boolean(),
		(hidden) => (hidden ? 'hide the listing' : 'show the listing'),
		(form, hidden) => (form.hidden = hidden),
	),
	onForm(
		fc.constantFrom<PageShift>('submit', 'delete', 'complete and submit'),
		(shift) => `${shift} between the pages of the next poll`,
		(form, shift) => (form.shift = shift),
	),
];

/** Polls, good and bad. */
const polls = [
	advance.map((by) =>
		command(`poll after ${by / 1000} s`, async (model, real) => {
			real.clock.now += by;
			await tick(model, real);
		}),
	),
	fc.tuple(advance, fc.constantFrom(...Object.keys(faults))).map(([by, name]) =>
		command(`poll after ${by / 1000} s that fails: ${name}`, async (model, real) => {
			real.clock.now += by;
			await tick(model, real, { fault: faults[name] });
		}),
	),
	fc
		.tuple(
			advance,
			fc.constantFrom('A', 'B', 'C', 'D', ''),
			fc.constantFrom('notFound', 'forbidden', 'serverError'),
		)
		.map(([by, faultOf, name]) =>
			command(`poll after ${by / 1000} s, form "${faultOf}": ${name}`, async (model, real) => {
				real.clock.now += by;
				await tick(model, real, { fault: faults[name], faultOf });
			}),
		),
	advance.map((by) =>
		command(`poll after ${by / 1000} s that cuts the list of forms`, async (model, real) => {
			real.clock.now += by;
			await tick(model, real, { cutList: true });
		}),
	),
	advance.map((by) =>
		command(`poll after ${by / 1000} s with a response without UUID`, async (model, real) => {
			real.clock.now += by;
			await tick(model, real, { unidentified: true });
		}),
	),
	fc.nat({ max: 3 }).map((pages) =>
		command(`poll that has time for ${pages + 1} pages`, async (model, real) => {
			real.clock.now += 600_000;
			await tick(model, real, { pagesInTime: pages + 1 });
		}),
	),
	fc.nat({ max: 1 }).map((at) =>
		command(`poll that cannot read fields (${at})`, async (model, real) => {
			real.clock.now += [10_000, 4_000_000][at];
			await tick(model, real, { fieldsFail: true });
		}),
	),
	fc.nat({ max: 4 }).map((fileFault) =>
		command(`poll that cannot have file ${fileFault}`, async (model, real) => {
			real.clock.now += 600_000;
			await tick(model, real, { fileFault });
		}),
	),
	advance.map((by) =>
		command(`two polls after ${by / 1000} s that overlap`, async (model, real) => {
			real.clock.now += by;
			if (!model.active) return;
			const [first, second] = await real.n8n.overlap({});
			const asked = [...first.asked, ...second.asked];
			expect(new Set(asked).size, 'overlapping polls ask for a form once').toBe(asked.length);
			agree(model, real, first, 'tick');
			agree(model, real, second, 'tick');
		}),
	),
	advance.map((by) =>
		command(
			`two polls after ${by / 1000} s, the second with an old copy of the state`,
			async (model, real) => {
				real.clock.now += by;
				const [first, second] = await real.n8n.tickWithOldCopy({});
				agree(model, real, first, 'tick');
				agree(model, real, second, 'tick');
			},
			({ mode, active }) => mode === 'durable' && active,
		),
	),
	index.map((at) =>
		command('fetch a test event', (model, real) => {
			const form = formOf(model, real, at);
			const before = JSON.stringify(real.n8n.database);
			const [{ shown: listed }] = form.pages(real.clock.now);
			const { events } = model.parameters;
			const isStarted = events.some((event) => /Started|Abandoned/.test(event));
			const fitting = listed.filter(({ incomplete }) =>
				incomplete ? isStarted : events.includes('responseCompleted'),
			);
			const records = listed.map((response) => form.record(response));
			const newest = newestResponse(records, events)?.record.number;
			const numbers = fitting.map(({ number }) => number);
			expect(newest).toBe(numbers.length === 0 ? undefined : Math.max(...numbers));
			expect(JSON.stringify(real.n8n.database)).toBe(before);
		}),
	),
];

export const watch = fc.oneof(
	fc.constantFrom('A', 'B').map((id): Watch => ({ kind: 'chosen', formIds: [id] })),
	fc
		.subarray(['A', 'B', 'C'], { minLength: 2 })
		.map((formIds): Watch => ({ kind: 'chosen', formIds })),
	fc.subarray(['A', 'B', 'C']).map((except): Watch => ({ kind: 'all', except })),
	fc.constant<Watch>({ kind: 'all', except: [] }),
);

const textOf = (given: Watch) =>
	given.kind === 'all' ? `all but ${given.except.join()}` : given.formIds.join();

/** What becomes of n8n and of what it keeps. */
const onN8n = [
	fc.constant(command('restart that loses the memory', restart)),
	fc
		.constantFrom('crashBefore', 'crashAfterState', 'crashAfterExecution', 'discarded' as const)
		.map((end) =>
			command(`poll that n8n does not live to write down: ${end}`, async (model, real) => {
				real.clock.now += 600_000;
				// what a poll gives as the workflow is activated is never discarded
				const isDropped = end === 'discarded' && !model.active;
				await tick(model, real, isDropped ? {} : { end });
			}),
		),
	fc.constant(command('publish again', async (model, real) => await publish(model, real, {}))),
	fc.constant(
		command('rename the node', async (model, real) => {
			model.rename();
			real.n8n.rename();
			await publish(model, real, {});
		}),
	),
	fc.subarray(allEvents, { minLength: 1 }).map((events) =>
		command(`trigger on ${events.join(' and ')}`, async (model, real) => {
			await publish(model, real, { events });
		}),
	),
	watch.map((given) =>
		command(`watch ${textOf(given)}`, async (model, real) => {
			await publish(model, real, { watch: given });
		}),
	),
	fc.tuple(watch, fc.constantFrom(...Object.keys(faults))).map(([given, name]) =>
		command(`watch ${textOf(given)}, and it fails: ${name}`, async (model, real) => {
			await publish(model, real, { watch: given }, { fault: faults[name] });
		}),
	),
	fc.constantFrom('1', '2', undefined).map((condition) =>
		command(`only when the number has a ${condition ?? 'value'}`, async (model, real) => {
			await publish(model, real, { condition });
		}),
	),
	fc.constantFrom(1, 5, 12, 23, 24, 25).map((hours) =>
		command(`${hours} hours go by`, (_model, { clock }) => {
			clock.now += hours * 3_600_000;
		}),
	),
	fc.constantFrom(1, 2, 5, 100).map((maxPerPoll) =>
		command(`deliver ${maxPerPoll} a poll`, async (model, real) => {
			await publish(model, real, { maxPerPoll });
		}),
	),
	fc.constantFrom(1, 29, 30, 31, 45).map((days) =>
		command(`${days} days go by`, (_model, { clock }) => {
			clock.now += days * DAY_MS;
		}),
	),
	fc
		.constantFrom<(state: Record<string, unknown>) => unknown>(
			() => 'nonsense',
			() => ({ version: 9 }),
			(state) => ({ ...state, revision: 1 + Number(state.revision ?? 0) }),
			(state) => ({ ...state, forms: [{ id: 'X' }] }),
			({ forms: _, ...state }) => ({ ...state, version: 1 }),
		)
		.map((damage) =>
			command('damage the state', async (model, real) => {
				const { staticData } = real.n8n.database;
				staticData.state = damage({ ...(staticData.state as object) }) as string;
				model.saved = { forms: new Map(), isDamaged: true };
				real.n8n.log.length = 0;
				await restart(model, real);
				real.clock.now += DAY_MS;
				const { looks } = await tick(model, real);
				if (looks.all.some(({ complete }) => complete)) {
					expect(real.n8n.log.join()).toContain('cannot be used');
				}
			}),
		),
];

/** Time goes by until it is time for a short look, or a little more. */
const shortPolls = fc.constantFrom(4, 5, 8, 9).map((minutes) =>
	command(`poll after ${minutes} minutes`, async (model, real) => {
		real.clock.now += minutes * 60_000;
		await tick(model, real);
	}),
);

/** What happens to a form whose listing has pages, with most of the polls in time for a short look. */
export const onPages = [
	...onTheForms.slice(0, 7),
	...onTheForms.slice(0, 3),
	...onTheListing,
	...Array.from({ length: 16 }, () => shortPolls),
	...polls,
	...onN8n,
];

/** All that can happen, in the order of the list. */
export const commands = [...onTheForms, ...onTheListing, ...polls, ...polls, ...onN8n];

/** Everything is well again, and enough time goes by: then nothing may be left to deliver. */
export async function settle(model: Model, real: Real): Promise<void> {
	for (const form of Object.values(real.forms)) {
		Object.assign(form, { hidden: false, shift: undefined, pageSize: Infinity });
		form.listed = form.createdAt < Infinity;
	}
	model.parameters = { ...model.parameters, requestsPerDay: 864_000 };
	real.n8n.parameters = model.parameters;
	// the list of forms, read at each of many beginnings, is not read again before as many hours
	for (let quiet = 0, ticks = 0; quiet < 24; ticks++) {
		expect(ticks, 'ticks until all is delivered').toBeLessThan(2000);
		real.clock.now += 3_600_000;
		const { items } = await tick(model, real);
		quiet = items.length === 0 ? quiet + 1 : 0;
	}
	const watched = model.watched();
	const { kind } = model.parameters.watch;
	if (kind === 'all') {
		const isListed = ({ id, listed }: Form) => listed && !excluded(model).includes(id);
		const listed = Object.values(real.forms).filter(isListed);
		expect(watched.sort()).toEqual(listed.map(({ id }) => id).sort());
	}
	for (const id of watched) {
		if (!real.forms[id].listed) continue;
		const known = model.known.forms.get(id)?.responses;
		for (const { uuid, incomplete, deleted } of real.forms[id].kept) {
			if (deleted) continue;
			expect(known?.get(uuid), `${uuid} is known`).toBeDefined();
			if (!incomplete) expect(known?.get(uuid)?.complete).toBe(true);
		}
	}
}

const excluded = ({ parameters: { watch: given } }: Model): readonly string[] =>
	given.kind === 'all' ? given.except : [];
