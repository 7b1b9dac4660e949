/** What is new, and what the trigger knows after a first reading, damage and absences. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import { EVENTS } from '../../nodes/FormService/parameters/watched.ts';
import type { Circumstances, Mode } from './n8n.mts';
import { failAll, failPage, faults, type Order, type Paging, type Sent } from './service.mts';
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { ALL, createPaged, fill, START, World } from './world.mts';

it.each<[number, number, number, Order, Paging, Mode]>([
	[1, 2, 1, 'newest', 'link', 'default'],
	[1, 70, 65, 'newest', 'header', 'durable'],
	[1, 12, 1, 'shuffled', 'link', 'durable'],
])(
	'What is hidden in a first reading exists (%i gone, %i pages, %i read, %s, %s, %s)',
	async (...given) => {
		const [gone, pages, lastPage, order, paging, mode] = given;
		const events = ['responseStarted', 'responseCompleted'] as const;
		const isIncomplete = (number: number) => number % 2 === 0;
		const { world, A } = createPaged({ pages, order, paging, mode, events, isIncomplete });
		const deleteFirst = lodash.once(() => {
			for (const response of A.shown().slice(0, gone)) world.setDeleted(response, true);
		});
		const beforeReply = ({ page }: { page: number }) => page > lastPage && deleteFirst();
		await world.begin({ beforeReply });
		await world.run(DAY_MINUTES, undefined, { beforeReply, periodMinutes: 2 });
		expect(A.shown().length).toBeLessThan(A.kept.length);
		expect(world.delivered).toEqual([]);
		// what is imported later is new, although it has an old date and an old place
		world.oracle.appear(A.submit(false, START - 30 * DAY_MS));
		A.kept.splice(A.kept.length >> 1, 0, A.kept.pop()!);
		world.submit(A);
		await world.run(DAY_MINUTES, undefined, { periodMinutes: 2 });
		expect(world.delivered).toHaveLength(2);
		expect(world.oracle.listMissing()).toEqual([]);
	},
);

it.each<[number, number, Mode]>([
	[-10, -10, 'default'],
	[-10, 0, 'durable'],
	[3 * DAY_MINUTES, 0, 'durable'],
	[-3 * DAY_MINUTES, 1, 'default'],
])('A clock %i minutes ahead, then %i, makes nothing old new or new old (%s)', async (...given) => {
	const [minutes, laterMinutes, mode] = given;
	// the list of forms knows a form before its responses are read
	const events = ['responseCompleted', 'formUpdated'] as const;
	const world = new World(['A', 'B'], { mode, watch: ALL, events });
	const { A, B } = world.forms;
	for (const form of [A, B])
		for (const age of [120, 8, 1]) form.submit(false, START - age * MINUTE_MS);
	world.time.aheadMs = minutes * MINUTE_MS;
	A.pageSize = 2;
	// while the first reading goes on
	A.betweenPages = () => world.submit(A);
	const failing = { ...failAll(faults.serverError, 'B'), latencyMs: 2_000 };
	await world.begin(failing);
	await world.run(2, () => world.submit(B), failing);
	world.time.aheadMs = laterMinutes * MINUTE_MS;
	world.submit(world.createForm('C'));
	await world.run(90);
	const found = world.delivered.map((event) => event.split(' ')[0]);
	expect(found.sort()).toEqual(['A-5', 'B-5', 'B-6', 'C-1']);
});

const damages: Record<string, (text: string) => string> = {
	'is cut': (text) => {
		const longest = lodash.maxBy(text.match(/"[^"]*"/g), 'length')!;
		return text.replace(longest, `${longest.slice(0, -6)}"`);
	},
	'is text': (text) => JSON.stringify(lodash.mapValues(JSON.parse(text), () => 'damaged')),
	'has lost what is known': (text) => text.replace(/"known":"[^"]*",?/, ''),
};

it.each<[string, string, Mode, Circumstances]>([
	['is cut', 'fail', 'durable', failAll(faults.serverError)],
	['is text', 'break off', 'default', failPage(3, faults.cutBody)],
	['has lost what is known', 'go well', 'durable', {}],
])('Nothing is repeated if the saved state %s and the first polls %s (%s)', async (...given) => {
	const [damage, , mode, circumstances] = given;
	const { world, A } = createPaged({ pages: 5, pageSize: 2, mode, emitExisting: true });
	await world.beginAndRun(10);
	world.submit(A);
	await world.run(10);
	expect(world.delivered).toHaveLength(10);
	world.n8n.saved = JSON.parse(damages[damage](JSON.stringify(world.n8n.saved)));
	await world.restart(circumstances);
	for (let poll = 0; poll < 3; poll++) await world.tick(0.5 * HOUR_MS, circumstances);
	await world.run(90);
	expect(world.delivered).toHaveLength(10);
	expect(world.n8n.log.join()).toMatch(/saved state/i);
	world.submit(A);
	await world.run(30);
	await world.restart();
	await world.run(60);
	expect(world.delivered.slice(10)).toEqual(['A-11 responseCompleted']);
	// forms that are chosen later emit what exists again
	expect(world.n8n.saved.state).not.toHaveProperty('isRepairing');
});

it('Nothing is repeated if the saved state is damaged and the list of all forms breaks off', async () => {
	const world = new World(['A', 'B'], { watch: ALL, emitExisting: true });
	world.service.otherPageSize = 1;
	await world.beginAndRun(10);
	world.n8n.saved = JSON.parse(damages['is text'](JSON.stringify(world.n8n.saved)));
	const failWith = ({ kind, page }: Sent) =>
		kind === 'forms' && page === 2 ? faults.serverError : undefined;
	await world.restart({ failWith });
	await world.run(90);
	expect(world.delivered.sort()).toEqual(['A-1 responseCompleted', 'B-1 responseCompleted']);
});

it('Nothing is repeated if responses are chosen again while a form cannot be read', async () => {
	const world = new World(['A', 'B'], { emitExisting: true });
	await world.beginAndRun(10);
	for (const event of ['formUpdated', 'responseCompleted'] as const) {
		world.n8n.parameters.events = [event];
		await world.publish(failAll(faults.serverError, 'B'));
	}
	await world.run(90);
	expect(world.delivered.sort()).toEqual(['A-1 responseCompleted', 'B-1 responseCompleted']);
});

/** Two hours after the start, without the events that came later. Of B-1, the state knows that it is missing. */
const STATE_BEFORE_UPDATES = `{"state":{"forms":[{"known":"8LxVovsMCQc00000PMy816PItXc00000uj_ecqeo3qc00000C6Pk259Phzc000003rY6TCROjgc00000HYre3_9nUAwhtb6cyj87sXsGSOc00000vE576YKreec00000","id":"A","position":{"newestEnd":{"newest":"first"}}},{"known":"OTdmzE46JFc00000symHg3_Dciwhtb6cBoIF3vPV88C0e91cW2Oq_zj5Wvwhtb8u","id":"B"}],"mark":"040fff01-347a-45ad-b370-e77ab0a84d51","count":17,"isListed":true,"listedSinceMs":1795262401000,"service":"k82t7LWjBh","version":3}}`;

it.each(['default', 'durable'] as const)('A state without answers continues (%s)', async (mode) => {
	const world = new World(['A', 'B'], { mode, events: EVENTS, watch: { kind: 'all', except: [] } });
	const { A, B } = world.forms;
	Object.assign(A, { pageSize: 3, paging: 'number' });
	fill(A, 8, (number) => number === 3);
	fill(B, 3, (number) => number === 2);
	for (const form of [A, B]) world.oracle.begin(form, false, true);
	world.time.pass(0.5 * HOUR_MS);
	world.submit(B, true);
	world.n8n.saved = JSON.parse(STATE_BEFORE_UPDATES);
	world.time.pass(2.5 * HOUR_MS);
	world.complete(A.kept[2]);
	world.submit(world.createForm('C'));
	await world.publish();
	await world.run(8 * 60);
	const found = ['A-3 responseCompleted', 'C formCreated', 'C-1 responseCompleted'];
	expect(world.delivered.sort()).toEqual(found);
	for (const subject of [A.kept[0], B.kept[3]]) world.edit(subject);
	await world.run(DAY_MINUTES, undefined, { periodMinutes: 5 });
	expect(world.delivered.slice(3).sort()).toEqual([
		'A-1 responseUpdated',
		'B-2 responseAbandoned',
		'B-4 responseAbandoned',
		'B-4 responseUpdated',
	]);
});

const hidings = {
	'an excluded form': async (world: World, isHidden: boolean) => {
		world.n8n.parameters.watch = { kind: 'all', except: isHidden ? ['B'] : [] };
		await world.publish();
	},
	'a form without an entry': ({ forms: { B } }: World, isHidden: boolean) => (B.listed = !isHidden),
	'an empty listing': ({ forms: { B } }: World, isHidden: boolean) => (B.hidden = isHidden),
	'a response': (world: World, isHidden: boolean) =>
		world.setDeleted(world.forms.B.kept[1], isHidden),
};

it.each<[keyof typeof hidings, number, number, boolean, Mode, string[]?]>([
	['an excluded form', 20, 6, true, 'durable'],
	['a form without an entry', 29.9, 6, true, 'default'],
	['an empty listing', 29.9, 6, true, 'default'],
	['a response', 29.9, 6, false, 'durable'],
	// a month without polls does not show that something is missing
	['an empty listing', 75, 25 * 24, false, 'durable'],
	['a response', 45, 45 * 24, true, 'durable'],
	// but a month with polls does
	['a response', 33, 24, false, 'durable', ['B-2 responseCompleted']],
])('What of %s repeats: back after %d days, a poll each %d h (%s, %s)', async (...given) => {
	const [what, days, everyHours, emitExisting, mode, repeated = []] = given;
	const world = new World(['A', 'B'], { mode, watch: ALL, emitExisting });
	const { A, B } = world.forms;
	fill(B, 5, (number) => number === 3);
	await world.begin();
	world.submit(B);
	await world.run(70);
	await hidings[what](world, true);
	await world.tick(HOUR_MS);
	const until = world.time.actual() + days * DAY_MS;
	while (world.time.actual() < until) {
		await world.tick(Math.min(everyHours * HOUR_MS, until - world.time.actual()));
		// the default mode saves its state with the items of another form
		if (world.polls.length % 20 === 0) world.submit(A);
	}
	await world.tick(0);
	const listOfB = () => world.delivered.filter((event) => event.startsWith('B'));
	const before = listOfB().length;
	await hidings[what](world, false);
	await world.run(120);
	expect(listOfB().slice(before)).toEqual(repeated);
	world.submit(B);
	await world.run(60);
	await world.restart();
	await world.run(60);
	expect(listOfB().slice(before)).toEqual([...repeated, 'B-7 responseCompleted']);
});
