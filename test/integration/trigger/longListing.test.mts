import { beforeEach, describe, expect, it } from 'vitest';
import type { Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { DAY_MS, MINUTE_MS, namesIn, newForm, tick, watch } from './watching.mts';

const { service, n8n } = await running();
const { store } = service;

/** Responses of a page. */
const PAGE_SIZE = 5;

let form: string;
let trigger: ReturnType<typeof watch>;

const submit = (name: string, incomplete = false) =>
	store.addResponse(form, { answers: { Name: name }, incomplete });

const readPages = () => service.requests.filter(({ path }) => path.includes(form)).length;

beforeEach(async () => {
	// the per-minute window of the test before is over
	await time.sleep(2 * MINUTE_MS);
	form = newForm(service, { trackIncomplete: true });
});

/** A form with so many pages, and a trigger that has not polled yet. */
function fill(pages: number, shapes: Partial<Shapes>, requestsPerDay = 8_640_000_000) {
	Object.assign(service.shapes, { paging: 'number', pageSize: PAGE_SIZE, ...shapes });
	for (let number = 1; number <= pages * PAGE_SIZE; number++) {
		submit(`Old ${number}`, number === 100);
	}
	trigger = watch(n8n, form, { options: { requestsPerDay } });
}

/** Polls of a trigger that is active, a minute apart: the names that they deliver. */
async function pollFor(polls: number, step = MINUTE_MS): Promise<unknown[]> {
	const names: unknown[] = [];
	for (let poll = 0; poll < polls; poll++) {
		await time.sleep(step);
		names.push(...namesIn(await trigger.poll(tick)));
	}
	return names;
}

describe.each(['asc', 'desc', 'random'] as const)(
	'A list of 200 pages, which no poll can read at once (%s)',
	(order) => {
		it('is read by several polls: the workflow can be activated, and what comes is delivered once', async () => {
			fill(200, { order });
			expect(await trigger.poll()).toEqual([]);
			submit('Ada');
			expect(await pollFor(20)).toEqual(['Ada']);
			expect(readPages()).toBeGreaterThan(200);
			store.completeResponse(
				store.responses(form).find(({ answers }) => Object.values(answers).includes('Old 100'))!
					.uuid,
			);
			submit('Grace');
			expect((await pollFor(40)).sort()).toEqual(['Grace', 'Old 100']);
		});
	},
);

it('A list of 200 pages arrives although n8n restarts while its first reading is under way', async () => {
	fill(200, { order: 'desc' });
	await trigger.poll(tick);
	submit('Ada');
	await trigger.poll(tick);
	trigger.restart();
	expect(await pollFor(30)).toEqual(['Ada']);
});

it('A reading that is longer than a poll keeps to Requests per Day', async () => {
	fill(200, { order: 'random' }, 720);
	await trigger.poll(tick);
	await pollFor(15);
	expect(readPages()).toBe(200);
	service.requests.length = 0;
	submit('Ada');
	expect(await pollFor((2 * DAY_MS) / (10 * MINUTE_MS), 10 * MINUTE_MS)).toEqual(['Ada']);
	expect(readPages()).toBeLessThan(2 * 1.1 * 720);
});
