/** Forms that come and go, and lists that could not be read whole: what is new then, and what is known. */
import { expect, it } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import { failPage, faults } from './service.mts';
import { DAY_MINUTES, HOUR_MS } from '../time.mts';
import { ALL, createPaged, World } from './world.mts';

it('A response is not forgotten because of readings that are not whole', async () => {
	const { world, A } = createPaged({ pages: 10, order: 'oldest' });
	await world.begin();
	// no whole reading gets past the third page, while short ones go well
	const failing = { ...failPage(4, faults.serverError), periodMinutes: 180 };
	const submit = (minute: number) => minute % DAY_MINUTES === 5 && world.submit(A);
	await world.run(66 * DAY_MINUTES, submit, failing);
	await world.calm();
	expect(world.delivered).toHaveLength(66);
});

it.each([
	['excluded', { kind: 'all', except: ['B'] }],
	['left', { kind: 'chosen', formIds: ['A'] }],
] as const)(
	'A form that was %s goes on where it was within 30 days, also with another token',
	async (_text, watch) => {
		const world = new World(['A', 'B'], { watch: ALL, emitExisting: true });
		const { B } = world.forms;
		await world.begin();
		await world.calm();
		const before = world.delivered.length;
		await world.change({ watch });
		world.submit(B);
		await world.run(20 * DAY_MINUTES, undefined, { periodMinutes: 300 });
		expect(world.delivered).toHaveLength(before);
		world.n8n.credential = { accessToken: 'token-2', baseUrl: 'http://forms.example.com/api/v1' };
		await world.change({ watch: ALL });
		world.submit(B);
		await world.calm();
		expect(world.delivered.slice(before)).toEqual([
			'B-2 responseCompleted',
			'B-3 responseCompleted',
		]);
	},
);

it('A deleted form among all forms is asked for no more, and nothing is reported', async () => {
	const world = new World(['A', 'B'], { watch: ALL });
	await world.beginAndRun(5);
	world.setListed(world.forms.B, false);
	await world.run(60);
	const before = world.service.sent.length;
	await world.run(120);
	const asked = world.service.sent.slice(before).map(({ form }) => form);
	expect(asked).toContain('A');
	expect(asked).not.toContain('B');
	expect(world.reports).toEqual([]);
});

it('Forms are polled on while the list of all forms takes longer than a poll', async () => {
	const ids = ['A', 'B', 'C', 'D', 'E', 'F'];
	const world = new World(ids, { watch: ALL, mode: 'durable', requestsPerDay: 86_400 });
	world.service.otherPageSize = 1;
	await world.beginAndRun(5);
	await world.run(30, undefined, { latencyMs: 9_000 });
	const before = world.service.sent.length;
	await world.run(60, undefined, { latencyMs: 9_000 });
	const asked = world.service.sent.slice(before).map(({ form }) => form);
	expect(asked).toEqual(expect.arrayContaining(ids));
	expect(String(world.reports[0].thrown)).toContain('not all forms came');
});

it('Events of responses that are chosen later are of responses from then on', async () => {
	const world = new World(['A'], { watch: ALL, events: ['formCreated'] });
	await world.beginAndRun(5);
	const B = world.createForm('B');
	await world.run(5);
	B.submit(false, world.time.actual());
	world.time.pass(HOUR_MS);
	await world.change({ events: ['responseCompleted'] });
	world.submit(B);
	await world.run(60);
	expect(world.delivered).toEqual(['B formCreated', 'B-2 responseCompleted']);
});

it('All forms are watched from the time at which they are chosen after one form', async () => {
	const world = new World(['A', 'B'], { watch: ALL });
	await world.beginAndRun(1);
	world.n8n.parameters.watch = { kind: 'chosen', formIds: ['A'] };
	await world.publish();
	world.createForm('C');
	await world.run(2);
	const events = ['responseCompleted', 'formCreated'];
	Object.assign(world.n8n.parameters, { watch: ALL, events });
	await world.publish();
	world.submit(world.forms.C);
	await world.run(3 * 60);
	expect(world.delivered).toEqual(['C-1 responseCompleted']);
});

it('Form Updated knows a form as it is when the event is chosen, also if it was chosen before', async () => {
	const world = new World(['A', 'B'], { events: ['formUpdated'] });
	await world.beginAndRun(1);
	const choose = async (...events: TriggerEvent[]) => {
		world.n8n.parameters.events = events;
		await world.publish();
		await world.run(60);
	};
	await choose('responseCompleted');
	world.edit(world.forms.A);
	await choose('responseCompleted', 'formUpdated');
	expect(world.delivered).toEqual([]);
});
