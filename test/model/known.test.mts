/** What is new, and what the trigger knows after a first reading, damage and absences. */
import { expect, it } from 'vitest';
import type { Mode } from './n8n.mts';
import { failAll, failPage, faults } from './service.mts';
import { DAY_MINUTES, MINUTE_MS } from '../time.mts';
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

it.each([0.5, -0.5])(
	'A request that waits for the minute to end hides no clock that is %d minutes ahead',
	async (minutes) => {
		const ids = Array.from({ length: 65 }, (_, index) => `F${index}`);
		const world = new World(ids);
		world.time.aheadMs = minutes * MINUTE_MS;
		const { F0: first, ...others } = world.forms;
		first.pageSize = 1;
		first.submit(false, START - 8 * MINUTE_MS);
		// one of the other forms is the first to be read in the next minute
		for (const form of Object.values(others)) form.submit(false, START - MINUTE_MS / 4);
		first.betweenPages = () => Object.values(others).map((form) => world.submit(form));
		await world.beginAndRun(5);
		expect(world.delivered).toHaveLength(64);
		expect(world.delivered.every((event) => event.includes('-3 '))).toBe(true);
	},
);

it('Nothing is repeated if the saved state cannot be read and the first polls break off', async () => {
	const { world, A } = createPaged({ pages: 5, pageSize: 2, emitExisting: true });
	await world.beginAndRun(20);
	expect(world.delivered).toHaveLength(9);
	world.n8n.damageState();
	const failing = failPage(3, faults.cutBody);
	await world.restart(failing);
	await world.run(90, undefined, failing);
	expect(world.n8n.log.join()).toMatch(/saved state/i);
	await world.restart();
	await world.run(60);
	world.submit(A);
	await world.run(30);
	expect(world.delivered.slice(9)).toEqual(['A-10 responseCompleted']);
	// the damage is over for forms that are watched later
	world.createForm('B').submit(false, START);
	await world.change({ watch: { kind: 'chosen', formIds: ['A', 'B'] } });
	expect(world.delivered.slice(10)).toEqual(['B-1 responseCompleted']);
});

it('Nothing is repeated if the saved state cannot be read, no list can, and n8n restarts', async () => {
	const world = new World(['A', 'B'], { mode: 'durable', watch: ALL, emitExisting: true });
	await world.beginAndRun(20);
	expect(world.delivered).toHaveLength(2);
	world.n8n.damageState();
	for (let start = 0; start < 2; start++) {
		await world.restart();
		await world.run(5, undefined, failAll(faults.serverError));
	}
	await world.run(90);
	world.submit(world.forms.B);
	await world.run(30);
	expect(world.delivered.slice(2)).toEqual(['B-2 responseCompleted']);
});

it.each<[string, (world: World, isHidden: boolean) => unknown]>([
	['a form without an entry', ({ forms: { B } }, isHidden) => (B.listed = !isHidden)],
	['an empty listing', ({ forms: { B } }, isHidden) => (B.hidden = isHidden)],
	['a response', (world, isHidden) => world.setDeleted(world.forms.B.kept[1], isHidden)],
])('What is missing for a month and then returns is not new: %s', async (_what, hide) => {
	const world = new World(['A', 'B'], { watch: ALL, emitExisting: true });
	const { A, B } = world.forms;
	fill(B, 5);
	await world.beginAndRun(70);
	await hide(world, true);
	const listOfB = () => world.delivered.filter((event) => event.startsWith('B'));
	// the default mode saves its state with the items of another form
	const submit = (minute: number) => minute % DAY_MINUTES === 7 && world.submit(A);
	await world.run(29.9 * DAY_MINUTES, submit, { periodMinutes: 300 });
	await hide(world, false);
	await world.run(120);
	expect(listOfB()).toHaveLength(5);
	world.submit(B);
	await world.restart();
	await world.run(60);
	expect(listOfB().slice(5)).toEqual(['B-6 responseCompleted']);
});
