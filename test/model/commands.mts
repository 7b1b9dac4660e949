import { inspect } from 'node:util';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { faults } from './faults.mts';
import type { Form, Kept, Order, PageShift, Paging } from './form.mts';
import { formPollsOf } from './formPolls.mts';
import { DAY_MS, possible } from './n8n.mts';
import type { Circumstances, N8n, Outcome, Parameters, TriggerEvent, Watch } from './n8n.mts';
import type { VirtualTime } from './time.mts';
import type { Model } from './model.mts';
import type { Worlds } from './worlds.mts';

/** The trigger under test with the forms and the n8n around it, and their time. */
export type Real = { n8n: N8n; forms: Record<string, Form>; time: VirtualTime };

type Command = fc.AsyncCommand<Worlds, Real>;

/** A command from a sentence and what it does, to the model and to the real thing at once. */
function command(
	text: string,
	run: (worlds: Worlds, real: Real) => Promise<void> | void,
	check: (worlds: Readonly<Worlds>) => boolean = () => true,
): Command {
	return { check, run: async (worlds, real) => await run(worlds, real), toString: () => text };
}

async function tick(
	worlds: Worlds,
	real: Real,
	circumstances: Circumstances = {},
): Promise<Outcome> {
	const { n8n } = real;
	const occasion = n8n.active ? 'tick' : 'activation';
	const outcome = await n8n.tick(circumstances);
	worlds.agree(n8n, outcome, occasion, circumstances);
	if (circumstances.end?.startsWith('crash')) await restart(worlds, real);
	if (circumstances.end === 'discarded' && n8n.mode === 'default') await publish(worlds, real, {});
	return outcome;
}

/** n8n starts; in its default mode it polls at once. */
async function restart(worlds: Worlds, { n8n }: Real): Promise<Outcome | undefined> {
	worlds.each((model) => model.crash());
	const outcome = await n8n.crash();
	if (outcome !== undefined) worlds.agree(n8n, outcome, 'activation');
	return outcome;
}

async function publish(
	worlds: Worlds,
	{ n8n }: Real,
	change: Partial<Parameters>,
	circumstances: Circumstances = {},
): Promise<void> {
	const parameters = possible({ ...n8n.parameters, ...change });
	worlds.each((model) => (model.parameters = parameters));
	n8n.parameters = parameters;
	const outcome = await n8n.activate('activate', circumstances);
	worlds.agree(n8n, outcome, 'activation', circumstances);
}

/** A form that people use; most of the time one that is watched. */
const formOf = (worlds: Worlds, real: Real, at: number) => {
	const watched = at % 3 === 0 ? Object.keys(real.forms) : worlds.one.watched();
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
		command(`${textOf(value)} (form ${at})`, (worlds, real) => {
			run(formOf(worlds, real, at), value, real);
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
		(form, incomplete, { time }) => form.submit(incomplete, time.now()),
	),
	onForm(
		fc.nat({ max: 12 }),
		(count) => `submit ${count} in the same second`,
		(form, count, { time }) => {
			for (let number = 0; number < count; number++) form.submit(number % 4 === 3, time.now());
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
	fc.tuple(index, fc.boolean()).map(([at, isOlder]) =>
		command(`${isOlder ? 'share an older' : 'create a'} form (${at})`, (_worlds, real) => {
			const unlisted = Object.values(real.forms).filter(({ listed }) => !listed);
			const form = pick(unlisted, at);
			if (form === undefined) return;
			const now = real.time.now();
			// one that has been there before keeps its time
			if (isOlder) form.createdAt = Math.min(form.createdAt, now - 90 * DAY_MS);
			else if (form.createdAt === Infinity) form.createdAt = Math.floor(now / 1000) * 1000;
			form.listed = true;
		}),
	),
	onForm(
		fc.constant(undefined),
		() => 'take the form away',
		(form) => (form.listed = false),
	),
];

/** How the service lists one form. */
const listed = fc.oneof(
	fc.record({ order: fc.constantFrom<Order>('oldest', 'newest', 'shuffled') }),
	fc.record({ pageSize: fc.constantFrom(1, 2, 3, 7, Infinity) }),
	fc.record({
		hasTotals: fc.boolean(),
		paging: fc.constantFrom<Paging>('link', 'link', 'header', 'number', 'cursor link', 'cursor'),
		refusesBeyond: fc.boolean(),
		hasETags: fc.boolean(),
	}),
	fc.record({ hasFiles: fc.boolean() }),
	fc.record({ times: fc.constantFrom<Form['times']>('all', 'some', 'none') }),
	fc.record({ hidden: fc.boolean() }),
	// between the pages of the next poll
	fc.record({ shift: fc.constantFrom<PageShift>('submit', 'delete', 'complete and submit') }),
);

/** As often as there are kinds of changes. */
const onTheListing = [
	...Array.from({ length: 7 }, () =>
		onForm(
			listed,
			(change) => `list with ${inspect(change)}`,
			(form, change) => Object.assign(form, change),
		),
	),
	fc.constantFrom(1, 2, Infinity).map((size) =>
		command(`list the forms in pages of ${size}`, (_worlds, { n8n }) => {
			n8n.service.listPageSize = size;
		}),
	),
];

const pollAfter = (by: number, text: string, circumstances: Circumstances = {}) =>
	command(`poll after ${by / 1000} s: ${text}`, async (worlds, real) => {
		real.time.pass(by);
		await tick(worlds, real, circumstances);
	});

/** Polls, good and bad. */
const polls = [
	advance.map((by) => pollAfter(by, 'well')),
	fc
		.tuple(advance, fc.constantFrom(...Object.keys(faults)))
		.map(([by, name]) => pollAfter(by, name, { fault: faults[name] })),
	fc
		.tuple(
			advance,
			fc.constantFrom('A', 'B', 'C', 'D', ''),
			fc.constantFrom('notFound', 'forbidden', 'serverError'),
		)
		.map(([by, faultOf, name]) =>
			pollAfter(by, `form "${faultOf}": ${name}`, { fault: faults[name], faultOf }),
		),
	advance.map((by) => pollAfter(by, 'a response without UUID', { unidentified: true })),
	fc
		.constantFrom(200, 5_000, 12_000, 25_000)
		.map((latencyMs) => pollAfter(600_000, `replies take ${latencyMs} ms`, { latencyMs })),
	fc
		.constantFrom(10_000, 4_000_000)
		.map((by) => pollAfter(by, 'no fields', { fieldsFault: faults.serverError })),
	fc
		.record({ at: fc.nat({ max: 4 }), name: fc.constantFrom('serverError', 'noReply', 'notFound') })
		.map(({ at, name }) =>
			pollAfter(600_000, `file ${at}: ${name}`, { fileFault: { at, fault: faults[name] } }),
		),
	advance.map((by) =>
		command(`two polls after ${by / 1000} s that overlap`, async (worlds, real) => {
			real.time.pass(by);
			if (!real.n8n.active) return;
			const outcome = await real.n8n.overlap({});
			const asked = outcome.sent.map(({ url }) => url);
			expect(new Set(asked).size, 'overlapping polls ask for a page once').toBe(asked.length);
			worlds.agree(real.n8n, outcome, 'tick');
		}),
	),
	advance.map((by) =>
		command(
			`two polls after ${by / 1000} s, the second with an old copy of the state`,
			async (worlds, real) => {
				real.time.pass(by);
				const [first, second] = await real.n8n.tickWithOldCopy();
				worlds.agree(real.n8n, first, 'tick');
				worlds.agree(real.n8n, second, 'tick');
			},
			({ one: { mode, active } }) => mode === 'durable' && active,
		),
	),
	fc.constant(
		command('fetch a test event', async ({ one }, { n8n, forms }) => {
			for (const form of Object.values(forms)) form.shift = undefined;
			const before = JSON.stringify(n8n.database);
			const { items, sent } = await n8n.fetchTestEvent();
			expect(JSON.stringify(n8n.database)).toBe(before);
			const { events, condition = '', watch: given } = one.parameters;
			const isStarted = events.some((event) => /Started|Abandoned/.test(event));
			const fitting = (form: Form) => {
				const shown = form.listed && !form.hidden ? form.kept : [];
				return shown
					.filter(({ deleted, number }) => !deleted && String(number).includes(condition))
					.filter(({ incomplete }) =>
						incomplete ? isStarted : events.includes('responseCompleted'),
					);
			};
			const [item] = items;
			// where there is no response, one is made up
			const isMadeUp = item?.uuid.startsWith(`${item.form}-`) === false;
			const isOfResponse = item !== undefined && item.event !== 'formCreated' && !isMadeUp;
			if (isOfResponse) expect(item.uuid).toBe(fitting(forms[item.form]).at(-1)?.uuid);
			const [chosen, ...others] = given.kind === 'chosen' ? given.formIds : [];
			const isWell = sent.length > 0 && sent.every(({ isGood }) => isGood);
			const isCertain = isWell && chosen !== undefined && others.length === 0;
			if (isCertain) expect(isOfResponse).toBe(fitting(forms[chosen]).length > 0);
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

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=';

/** What can become of the state in n8n's database. */
const damages = fc.oneof(
	fc.constantFrom<(state: IDataObject) => IDataObject | string>(
		() => 'nonsense',
		() => ({ version: 9 }),
		(state) => ({ ...state, savedAt: 1 + Number(state.savedAt ?? 0) }),
		(state) => ({ ...state, forms: [{ id: 'X' }] }),
		({ forms: _, ...state }) => ({ ...state, version: 1 }),
	),
	fc.nat().map((at) => (state: IDataObject) => {
		const text = JSON.stringify(state);
		const places = [...text.matchAll(/(?<=:")[\w+/=-]+(?=")/g)];
		if (places.length === 0) return 'nonsense';
		const { index, 0: value } = places[at % places.length];
		const character = index + (at % value.length);
		// never back to what it was: the state can be damaged twice
		const other = ALPHABET[(ALPHABET.indexOf(text[character]) + 1) % ALPHABET.length];
		const damaged = text.slice(0, character) + other + text.slice(character + 1);
		return JSON.parse(damaged) as IDataObject;
	}),
);

const published = (text: string, change: Partial<Parameters>, circumstances?: Circumstances) =>
	command(`publish ${text}`, async (worlds, real) => {
		await publish(worlds, real, change, circumstances);
	});

const hoursPass = (hours: number) =>
	command(`${hours} hours go by`, (_worlds, { time }) => time.pass(hours * 3_600_000));

/** What becomes of n8n and of what it keeps. */
const onN8n = [
	fc.constant(
		command(
			'restart that loses the memory',
			async (worlds, real) => void (await restart(worlds, real)),
		),
	),
	fc
		.constantFrom('crashBefore', 'crashAfterState', 'crashAfterExecution', 'discarded' as const)
		.map((end) =>
			command(`poll that n8n does not live to write down: ${end}`, async (worlds, real) => {
				real.time.pass(600_000);
				// what a poll gives as the workflow is activated is never discarded
				const isDropped = end === 'discarded' && !real.n8n.active;
				await tick(worlds, real, isDropped ? {} : { end });
			}),
		),
	fc.constant(published('again', {})),
	fc.constant(
		command('rename the node', async (worlds, real) => {
			worlds.each((model) => model.rename());
			real.n8n.rename();
			await publish(worlds, real, {});
		}),
	),
	fc
		.subarray(allEvents, { minLength: 1 })
		.map((events) => published(`on ${events.join(' and ')}`, { events })),
	watch.map((given) => published(`on ${textOf(given)}`, { watch: given })),
	fc
		.tuple(watch, fc.constantFrom(...Object.keys(faults)))
		.map(([given, name]) =>
			published(`on ${textOf(given)}: ${name}`, { watch: given }, { fault: faults[name] }),
		),
	fc
		.constantFrom('1', '2', undefined)
		.map((condition) => published(`if the number has a ${condition ?? 'value'}`, { condition })),
	fc
		.constantFrom(1, 2, 5, 100)
		.map((maxPerPoll) => published(`with ${maxPerPoll} a poll`, { maxPerPoll })),
	fc.constantFrom(1, 5, 12, 23, 24, 25).map(hoursPass),
	fc.constantFrom(1, 29, 30, 31, 45).map((days) => hoursPass(24 * days)),
	damages.map((damage) =>
		command('damage the state', async (worlds, real) => {
			const { staticData } = real.n8n.database;
			staticData.state = damage((staticData.state ?? {}) as IDataObject);
			worlds.each((model) => (model.saved = { forms: new Map(), isDamaged: true }));
			const outcomes = [await restart(worlds, real)];
			real.time.pass(DAY_MS);
			outcomes.push(await tick(worlds, real));
			const isRead = outcomes.some(
				(one) => one && formPollsOf(one).some(({ complete }) => complete),
			);
			const log = outcomes.flatMap((one) => one?.log ?? []).join();
			if (isRead) expect(log).toMatch(/cannot be used|could not be read/);
		}),
	),
];

/** Time goes by until it is time for a short poll, or a little more. */
const soonPolls = fc.constantFrom(4, 5, 8, 9).map((minutes) => pollAfter(minutes * 60_000, 'soon'));

/** What happens to a form whose listing has pages, with most of the polls in time for a short one. */
export const onPages = [
	...onTheForms.slice(0, 7),
	...onTheForms.slice(0, 3),
	...onTheListing,
	...Array.from({ length: 16 }, () => soonPolls),
	...polls,
	...onN8n,
];

/** All that can happen, in the order of the list. */
export const commands = [...onTheForms, ...onTheListing, ...polls, ...polls, ...onN8n];

/** Everything is well again, and enough time goes by: then nothing may be left to deliver. */
export async function settle(worlds: Worlds, real: Real): Promise<void> {
	const { n8n, forms, time } = real;
	for (const form of Object.values(forms)) {
		Object.assign(form, { hidden: false, shift: undefined, pageSize: Infinity });
		form.listed = form.createdAt < Infinity;
	}
	n8n.service.listPageSize = Infinity;
	n8n.parameters = { ...n8n.parameters, requestsPerDay: 864_000 };
	worlds.each((model) => (model.parameters = n8n.parameters));
	// the list of forms, read at each of many beginnings, is not read again before as many hours
	for (let quiet = 0, ticks = 0; quiet < 24; ticks++) {
		expect(ticks, 'ticks until all is delivered').toBeLessThan(2000);
		time.pass(3_600_000);
		const { items } = await tick(worlds, real);
		quiet = items.length === 0 ? quiet + 1 : 0;
	}
	for (const model of worlds.models) expectAllKnown(model, forms);
}

function expectAllKnown(model: Model, forms: Real['forms']): void {
	const { watch: given } = model.parameters;
	const watched = model.watched();
	if (given.kind === 'all') {
		const isListed = ({ id, listed }: Form) => listed && !given.except.includes(id);
		const listed = Object.values(forms).filter(isListed);
		expect(watched.sort()).toEqual(listed.map(({ id }) => id).sort());
	}
	const { events } = model.parameters;
	const ofResponses = events.some((event) => event !== 'formCreated');
	for (const id of ofResponses ? watched.filter((one) => forms[one].listed) : []) {
		const known = model.known.forms.get(id)?.responses;
		for (const { uuid, incomplete, deleted } of forms[id].kept) {
			if (deleted) continue;
			expect(known?.get(uuid), `${uuid} is known`).toBeDefined();
			if (!incomplete) expect(known?.get(uuid)?.complete).toBe(true);
		}
	}
}
