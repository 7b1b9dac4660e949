/**
 * How late an event comes at most, as docs/trigger.md promises it ("How often it polls"): n8n polls each
 * minute, and the event happens at the worst moment, right after a poll that has read what it changes.
 */
import { expect, it } from 'vitest';
import type { Parameters } from './n8n.mts';
import type { Form, Order, Sent } from './service.mts';
import { DAY_MINUTES, MINUTE_MS } from '../time.mts';
import { createPaged, World } from './world.mts';

type Happen = (world: World, form: Form) => unknown;

const submit: Happen = (world, form) => world.submit(form);
const begin: Happen = (world, form) => world.submit(form, true);
const rename: Happen = (world, form) => world.edit(form);
const create: Happen = (world) => world.submit(world.createForm('New'));

const ofForm = ({ form }: Sent) => form === 'F0';
const ofList = ({ kind }: Sent) => kind === 'forms';
const onPage = (page: number) => (request: Sent) => request.page === page;

const createWorld = (count: number, given: Partial<Parameters>) => () =>
	new World(
		Array.from({ length: count }, (_, index) => `F${index}`),
		given,
	);
const all = { kind: 'all', except: [] } as const;

/** 67 pages of three responses, of which one on page 54 is the first that is incomplete. */
const createLong =
	(order: Order, given: Partial<Parameters> = {}) =>
	() =>
		createPaged({ pages: 67, order, isIncomplete: (number) => number === 40, ...given }).world;
const old = ({ kept }: Form) => kept[39];

it.each<[string, number, () => World, (request: Sent) => boolean, Happen]>([
	['a response to one form', 2, createWorld(1, {}), ofForm, submit],
	['a response to one of ten forms', 20, createWorld(10, {}), ofForm, submit],
	[
		'an abandoned response',
		// a day, rounded up to the minute, and a poll
		DAY_MINUTES + 3,
		createWorld(1, { events: ['responseAbandoned'] }),
		ofForm,
		begin,
	],
	['a new form', 2, createWorld(1, { watch: all, events: ['formCreated'] }), ofList, create],
	['a renamed form', 2, createWorld(1, { events: ['formUpdated'] }), ofList, rename],
	[
		'a new form beside responses',
		60,
		createWorld(1, { watch: all, events: ['responseCompleted', 'formCreated'] }),
		ofList,
		create,
	],
	['a response to a new form', 60, createWorld(1, { watch: all }), ofList, create],
	[
		'a renamed form beside responses',
		60,
		createWorld(1, { events: ['responseCompleted', 'formUpdated'] }),
		ofList,
		rename,
	],
	['a response on the first of 67 pages', 4, createLong('newest'), onPage(1), submit],
	['a response on the last of 67 pages', 4, createLong('oldest'), onPage(67), submit],
	['a response on any of 67 pages', 134, createLong('shuffled'), onPage(1), submit],
	[
		'a response completed on an old page of 67',
		268,
		createLong('newest'),
		onPage(54),
		(world, form) => world.complete(old(form)),
	],
	[
		'a response updated on an old page of 67',
		268,
		createLong('newest', { events: ['responseUpdated'] }),
		onPage(54),
		(world, form) => world.edit(old(form)),
	],
])('%s comes within %i minutes', async (_what, minutes, create, isMeant, happen) => {
	const world = create();
	const [form] = Object.values(world.forms);
	await world.begin();
	// the second whole reading of a long list shows what existed before
	await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
	for (const subject of [form, ...form.kept]) world.oracle.edits.appear(subject);
	world.oracle.edits.settle();
	while (!(await world.tick(MINUTE_MS)).sent.some(isMeant));
	await happen(world, form);
	const from = world.time.actual();
	expect(world.oracle.listOwed()).not.toEqual([]);
	while (world.oracle.listOwed().length > 0) {
		await world.tick(MINUTE_MS);
		expect((world.time.actual() - from) / MINUTE_MS).toBeLessThanOrEqual(minutes + 0.01);
	}
});
