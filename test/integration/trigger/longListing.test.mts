import { beforeEach, describe, expect, it } from 'vitest';
import { slow, type Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { DAY_MS, MINUTE_MS, namesIn, newForm, tick, watch } from './watching.mts';

const { service, n8n } = await running();
const { store } = service;

const PAGE_SIZE = 5;

/** Of a list that one poll cannot read: a reply takes a second, and a poll begins pages for 21 seconds. */
const PAGES = 60;

let form: string;
let incomplete: string;
let trigger: ReturnType<typeof watch>;

const submit = (name: string, incomplete = false) =>
	store.addResponse(form, { answers: { Name: name }, incomplete });

const countPages = () => service.requests.filter(({ path }) => path.includes(form)).length;

/** Such a list, and a trigger that has not polled yet. */
function fill(shapes: Partial<Shapes>, requestsPerDay = 720) {
	Object.assign(service.shapes, { paging: 'number', pageSize: PAGE_SIZE, ...shapes });
	for (let number = 1; number <= PAGES * PAGE_SIZE; number++) {
		const { uuid } = submit(`Old ${number}`, number === 100);
		if (number === 100) incomplete = uuid;
	}
	service.faults.set({ fault: slow(1_000) });
	trigger = watch(n8n, form, { options: { requestsPerDay } });
}

/** So many polls of a trigger that is active: the names that they deliver. */
async function pollFor(polls: number, stepMs = MINUTE_MS): Promise<unknown[]> {
	const names: unknown[] = [];
	for (let poll = 0; poll < polls; poll++) {
		await time.sleep(stepMs);
		names.push(...namesIn(await trigger.poll(tick)));
	}
	return names;
}

beforeEach(async () => {
	// what the tests before have sent does not count any more
	await time.sleep(DAY_MS);
	form = newForm(service, { trackIncomplete: true });
});

describe('A list that is longer than a poll', () => {
	it.each(['asc', 'desc', 'random'] as const)(
		'is read by several polls, and what comes or is completed is delivered once (%s)',
		async (order) => {
			fill({ order });
			expect(await trigger.poll(tick)).toEqual([]);
			// a new response changes the random order of all
			if (order !== 'random') submit('Ada');
			const names = await pollFor(3);
			expect(countPages()).toBeGreaterThanOrEqual(PAGES);
			store.completeResponse(incomplete);
			submit('Grace');
			if (order === 'random') submit('Ada');
			names.push(...(await pollFor(60, 10 * MINUTE_MS)));
			expect(names.sort()).toEqual(['Ada', 'Grace', 'Old 100']);
		},
	);

	it('arrives although n8n restarts while its first reading is under way', async () => {
		fill({ order: 'desc' });
		await trigger.poll(tick);
		submit('Ada');
		await trigger.poll(tick);
		trigger.restart();
		expect(await pollFor(4)).toEqual(['Ada']);
	});

	it('does not fail the activation, which n8n gives five minutes', async () => {
		fill({ order: 'asc' });
		service.faults.clear();
		service.faults.set({ fault: slow(5_000) });
		expect(await trigger.poll()).toEqual([]);
		submit('Ada');
		service.faults.clear();
		expect(await pollFor(1)).toEqual(['Ada']);
	});

	it('keeps to Requests per Day', async () => {
		fill({ order: 'random' }, 360);
		await trigger.poll(tick);
		await pollFor(3);
		service.requests.length = 0;
		await pollFor(24 * 12, 5 * MINUTE_MS);
		expect(countPages()).toBeLessThan(1.1 * 360);
		expect(countPages()).toBeGreaterThan(0.75 * 360);
	});

	it('never makes the trigger forget a response that has left, unless all of it was read', async () => {
		fill({ order: 'asc' });
		await trigger.poll(tick);
		await pollFor(3);
		service.shapes.visible = 0;
		await time.sleep(DAY_MS);
		await trigger.poll(tick);
		service.shapes.visible = Number.POSITIVE_INFINITY;
		service.faults.set({ fault: 'serverError', match: { path: /page=3/ } });
		await time.sleep(31 * DAY_MS);
		expect(await trigger.poll(tick)).toEqual([]);
		service.faults.clear();
		expect(await pollFor(3, DAY_MS)).toEqual([]);
	});
});
