/** What is new, and what the trigger knows after a first reading, damage and absences. */
import lodash from 'lodash';
import { expect, it } from 'vitest';
import type { Circumstances, Mode } from './n8n.mts';
import { failAll, failPage, faults } from './service.mts';
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '../time.mts';
import { ALL, createPaged, fill, START, World } from './world.mts';

it.each<[number, number, Mode]>([
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
};

it.each<[string, string, Mode, Circumstances]>([
	['is cut', 'fail', 'durable', failAll(faults.serverError)],
	['is text', 'break off', 'default', failPage(3, faults.cutBody)],
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
});

const hidings = {
	'a form without an entry': ({ forms: { B } }: World, isHidden: boolean) => (B.listed = !isHidden),
	'an empty listing': ({ forms: { B } }: World, isHidden: boolean) => (B.hidden = isHidden),
	'a response': (world: World, isHidden: boolean) =>
		world.setDeleted(world.forms.B.kept[1], isHidden),
};

it.each<[keyof typeof hidings, number, number, boolean, Mode, string[]?]>([
	['a form without an entry', 29.9, 6, true, 'default'],
	['an empty listing', 29.9, 6, true, 'default'],
	['a response', 29.9, 6, false, 'durable'],
	// a month without polls does not show that something is missing
	['a form without an entry', 75, 25 * 24, true, 'durable'],
	['an empty listing', 75, 25 * 24, false, 'durable'],
	// but two months with polls do
	['a response', 62, 24, false, 'durable', ['B-2 responseCompleted']],
])('What of %s repeats: after %d days, a poll each %d h (%s, %s)', async (...given) => {
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
