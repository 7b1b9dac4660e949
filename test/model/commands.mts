import { expect } from 'vitest';
import fc from 'fast-check';
import type { TriggerEvent } from '../../nodes/FormService/trigger/seen.ts';
import { newestResponse } from '../../nodes/FormService/trigger/newestResponse.ts';
import { sourceOf } from '../../nodes/FormService/trigger/savedSeen.ts';
import { faults } from './faults.mts';
import type { Form, Order, PageShift } from './form.mts';
import { DAMAGED, DAY_MS, type Model } from './model.mts';
import { node } from '../unit/trigger/world.mts';
import type { Circumstances, Event, N8n, Outcome } from './n8n.mts';

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
	const { shown, complete, items, thrown, looks, untouched } = outcome;
	const before = model.known;
	expect(looks, 'one look a poll').toBeLessThanOrEqual(1);
	const found = shown === undefined ? model.postponed : model.found(shown);
	const isCutInVain = shown !== undefined && !complete && found.length === 0;
	const room = Math.min(model.parameters.maxPerPoll, found.length);
	if (thrown !== undefined || (looks > 0 && shown === undefined) || isCutInVain) {
		expect(untouched, 'a failed poll leaves the state as it was').toBe(true);
		expect(items).toEqual([]);
	} else if (shown !== undefined) {
		expect(items, 'what a look delivers').toEqual(found.slice(0, items.length));
		if (circumstances.fileFault === undefined) expect(items).toHaveLength(room);
		if (items.length > 0 || found.length === 0) {
			if (before?.form !== model.parameters.form) beginAnew(model, model.parameters.form);
			model.look(shown, complete, items, real.clock.now);
		} else {
			expect(untouched, 'a poll that waits for a file leaves the state as it was').toBe(true);
		}
	} else if (items.length > 0) {
		expect(items, 'what was postponed').toEqual(found.slice(0, items.length));
		if (circumstances.fileFault === undefined) expect(items).toHaveLength(room);
		model.deliverPostponed(items.length);
	}
	if (thrown === undefined) writeDown(model, outcome, occasion, circumstances.end, before);
	model.active = real.n8n.active;
	expectSmall(model, real);
}

/** What n8n saves of a poll, by its mode. */
function writeDown(
	model: Model,
	{ items, untouched }: Outcome,
	occasion: Occasion,
	end: Circumstances['end'],
	before: Model['known'],
): void {
	const isDurable = model.mode === 'durable';
	if (end === 'discarded') {
		if (items.length > 0) Object.assign(model, { known: before, postponed: [] });
		return;
	}
	if (items.length === 0) {
		const saves = occasion === (isDurable ? 'tick' : 'activation') && !untouched;
		if (saves && !end?.startsWith('crash')) model.saved = model.known;
	} else if (isDurable) {
		if (!end?.startsWith('crash')) {
			model.saved = model.known;
			record(model, items);
		}
	} else {
		if (end !== 'crashBefore' && end !== 'crashAfterExecution') model.saved = model.known;
		if (end === 'crashAfterState' || end === 'crashAfterExecution') {
			for (const item of items) model.excused.add(model.keyOf(item));
		}
		if (end !== 'crashBefore' && end !== 'crashAfterState') record(model, items);
	}
	if (end?.startsWith('crash')) model.crash();
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

/** Another form, or one that was left meanwhile: what was delivered before counts no more. */
function beginAnew(model: Model, form: string): void {
	for (const key of model.delivered) {
		if (key.startsWith(`${form}-`)) model.delivered.delete(key);
	}
}

/** At most 10 bytes a response and 1 KB, as n8n saves it. */
function expectSmall(model: Model, { n8n }: Real): void {
	const responses = model.saved?.responses.size ?? 0;
	const bytes = JSON.stringify(n8n.database.staticData).length;
	expect(bytes).toBeLessThanOrEqual(10 * responses + 1024);
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
	change: Partial<Model['parameters']>,
	circumstances: Circumstances = {},
) {
	const parameters = { ...model.parameters, ...change };
	const was = model.parameters;
	const isOther = parameters.form !== was.form || parameters.events.join() !== was.events.join();
	if (isOther) model.postponed = [];
	model.parameters = parameters;
	real.n8n.parameters = parameters;
	const outcome = await real.n8n.activate('publish', circumstances);
	agree(model, real, outcome, 'activation', circumstances);
}

const formOf = (model: Model, real: Real) => real.forms[model.parameters.form];
const pick = <T,>(all: readonly T[], index: number): T | undefined => all[index % all.length];

const index = fc.nat({ max: 1000 });
const advance = fc.constantFrom(1_000, 10_000, 60_000, 120_000, 600_000, 3_600_000);
const allEvents: TriggerEvent[] = ['responseCompleted', 'responseStarted'];

/** What respondents and the form's owner do. */
const onTheForm = [
	fc.boolean().map((incomplete) =>
		command(incomplete ? 'begin a response' : 'submit', (model, real) => {
			formOf(model, real).submit(incomplete, real.clock.now);
		}),
	),
	fc.nat({ max: 12 }).map((count) =>
		command(`submit ${count} in the same second`, (model, real) => {
			for (let number = 0; number < count; number++) {
				formOf(model, real).submit(number % 4 === 3, real.clock.now);
			}
		}),
	),
	index.map((at) =>
		command(`complete (${at})`, (model, real) => {
			const begun = formOf(model, real).kept.filter(({ incomplete }) => incomplete);
			const response = pick(begun, at);
			if (response !== undefined) response.incomplete = false;
		}),
	),
	index.map((at) =>
		command(`reopen (${at})`, (model, real) => {
			const response = pick(formOf(model, real).kept, at);
			if (response !== undefined) response.incomplete = true;
		}),
	),
	index.map((at) =>
		command(`edit (${at})`, (model, real) => {
			const response = pick(formOf(model, real).kept, at);
			if (response !== undefined) response.edits += 1;
		}),
	),
	index.map((at) =>
		command(`delete (${at})`, (model, real) => {
			const response = pick(formOf(model, real).kept, at);
			if (response !== undefined) response.deleted = true;
		}),
	),
	index.map((at) =>
		command(`restore (${at})`, (model, real) => {
			const deleted = formOf(model, real).kept.filter((response) => response.deleted);
			const response = pick(deleted, at);
			if (response !== undefined) response.deleted = false;
		}),
	),
];

/** How the service lists. */
const onTheListing = [
	fc.constantFrom<Order>('oldest', 'newest', 'shuffled').map((order) =>
		command(`list ${order} first`, (model, real) => {
			formOf(model, real).order = order;
		}),
	),
	fc.constantFrom(1, 2, 3, 7, Infinity).map((size) =>
		command(`list in pages of ${size}`, (model, real) => {
			formOf(model, real).pageSize = size;
		}),
	),
	fc.constantFrom<Form['times']>('all', 'some', 'none').map((times) =>
		command(`list with ${times} of the times`, (model, real) => {
			formOf(model, real).times = times;
		}),
	),
	fc.boolean().map((hidden) =>
		command(hidden ? 'hide the listing' : 'show the listing', (model, real) => {
			formOf(model, real).hidden = hidden;
		}),
	),
	fc.constantFrom<PageShift>('submit', 'delete', 'complete and submit').map((shift) =>
		command(`${shift} between the pages of the next look`, (model, real) => {
			formOf(model, real).shift = shift;
		}),
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
			expect(first.looks + second.looks, 'overlapping polls share a look').toBeLessThanOrEqual(1);
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
	fc.constant(
		command('fetch a test event', (model, real) => {
			const form = formOf(model, real);
			const before = JSON.stringify(real.n8n.database);
			const [listed] = form.pages(real.clock.now);
			const fitting = listed.filter(({ incomplete }) =>
				model.parameters.events.includes(incomplete ? 'responseStarted' : 'responseCompleted'),
			);
			const records = listed.map((response) => form.record(response));
			const fetch = () => newestResponse(node, records, model.parameters.events).record.number;
			if (fitting.length === 0) expect(fetch).toThrow('no response yet');
			else expect(fetch()).toBe(Math.max(...fitting.map(({ number }) => number)));
			expect(JSON.stringify(real.n8n.database)).toBe(before);
		}),
	),
];

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
	fc
		.constantFrom('A', 'B')
		.map((form) =>
			command(`watch form ${form}`, async (model, real) => await publish(model, real, { form })),
		),
	fc.tuple(fc.constantFrom('A', 'B'), fc.constantFrom(...Object.keys(faults))).map(([form, name]) =>
		command(`watch form ${form}, and the first look fails: ${name}`, async (model, real) => {
			await publish(model, real, { form }, { fault: faults[name] });
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
	fc.constant(
		command(
			'upgrade from a state of version 0',
			async (model, real) => {
				const { form, responses } = model.saved!;
				const idsOf = (complete: boolean) =>
					[...responses].filter(([, known]) => known.complete === complete).map(([uuid]) => uuid);
				real.n8n.database.staticData.seen = {
					version: 0,
					source: sourceOf('https://forms.example.com/api/v1', form),
					delivered: idsOf(true),
					incomplete: idsOf(false),
				};
				const shown = [...responses].map(([uuid, { complete }]) => [uuid, { complete }] as const);
				model.saved = { form, responses: new Map(shown) };
				await restart(model, real);
			},
			({ saved }) => saved !== undefined && saved.form !== DAMAGED,
		),
	),
	fc
		.constantFrom<(seen: Record<string, unknown>) => unknown>(
			() => 'nonsense',
			() => ({ version: 9 }),
			(seen) => ({ ...seen, count: 1 + Number(seen.count ?? 0) }),
			(seen) => ({ ...seen, responses: `AAAA${String(seen.responses ?? '')}` }),
			({ responses: _, ...seen }) => ({ ...seen, version: 1 }),
		)
		.map((damage) =>
			command('damage the state', async (model, real) => {
				const { staticData } = real.n8n.database;
				const seen: Record<string, unknown> = { ...(staticData.seen as object) };
				staticData.seen = seen.version === 0 ? 'nonsense' : (damage(seen) as string);
				model.saved = { form: DAMAGED, responses: new Map() };
				real.n8n.log.length = 0;
				await restart(model, real);
				real.clock.now += DAY_MS;
				const { shown, complete } = await tick(model, real);
				const hasLooked = shown !== undefined && complete;
				if (hasLooked) expect(real.n8n.log.join()).toContain('cannot be used');
			}),
		),
];

/** All that can happen, in the order of the list. */
export const commands = [...onTheForm, ...onTheListing, ...polls, ...polls, ...onN8n];

/** Everything is well again, and enough time goes by: then nothing may be left to deliver. */
export async function settle(model: Model, real: Real): Promise<void> {
	const form = formOf(model, real);
	Object.assign(form, { hidden: false, shift: undefined, pageSize: Infinity });
	for (let quiet = 0, ticks = 0; quiet < 2; ticks++) {
		expect(ticks, 'ticks until all is delivered').toBeLessThan(2000);
		real.clock.now += 3_600_000;
		const { shown, items } = await tick(model, real);
		quiet = shown !== undefined && items.length === 0 ? quiet + 1 : 0;
	}
	for (const { uuid, incomplete, deleted } of form.kept) {
		if (deleted) continue;
		expect(model.known?.responses.get(uuid), `${uuid} is known`).toBeDefined();
		if (!incomplete) expect(model.known?.responses.get(uuid)?.complete).toBe(true);
	}
}
