import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { DAY_MS, namesIn, newForm, watch } from './watching.mts';

const { service, n8n } = await running();
const { store } = service;

/** Minutes between two short polls of one request. */
const SHORT_POLL = 4;

let form: string;
let trigger: ReturnType<typeof watch>;

const submit = (name: string, incomplete = false) =>
	store.addResponse(form, { answers: { Name: name }, incomplete });

const named = (name: string) =>
	store.responses(form).find(({ answers }) => Object.values(answers).includes(name))!.uuid;

const listings = () => service.requests.filter(({ path }) => path.includes(form)).length;

/** A form with 1,000 responses, of which so many are incomplete, in pages of 15, and a trigger that knows them. */
async function begin(shapes: Partial<Shapes>, parameters: INodeParameters = {}, incomplete = 0) {
	// what other tests have sent does not count any more
	await time.sleep(DAY_MS);
	form = newForm(service, { trackIncomplete: true });
	for (let number = 1; number <= 1_000; number++) submit(`Old ${number}`, number <= incomplete);
	Object.assign(service.shapes, { pageSize: 15, ...shapes });
	trigger = watch(n8n, form, { options: { requestsPerDay: 720 }, ...parameters });
	expect(await pollAfter(0)).toEqual({ names: [], requests: 67 });
}

/** One tick of n8n after so many minutes: what it delivers, and how many pages it asks for. */
async function pollAfter(minutes: number) {
	await time.sleep(minutes * 60_000);
	const before = listings();
	const names = namesIn(await trigger.poll(minutes === 0 ? {} : { activation: 'update' }));
	return { names, requests: listings() - before };
}

describe.each([
	['newest first, by number', { paging: 'number', order: 'desc' }],
	['oldest first, by number', { paging: 'number', order: 'asc' }],
	['newest first, by links', { paging: 'linkAbsolute', total: true, order: 'desc' }],
	['oldest first, by links', { paging: 'linkRelative', total: true, order: 'asc' }],
	['newest first, without totals', { paging: 'linkAbsolute', order: 'desc' }],
	['newest first, by cursors', { paging: 'cursor', total: true, order: 'desc' }],
] as const)('1,000 responses in pages of 15, %s', (_text, shapes) => {
	it('take one request while nothing happens, and one or two when responses come', async () => {
		await begin(shapes);
		expect(await pollAfter(SHORT_POLL)).toEqual({ names: [], requests: 1 });
		submit('Ada');
		submit('Grace');
		const { names, requests } = await pollAfter(SHORT_POLL);
		expect(names).toEqual(['Ada', 'Grace']);
		expect(requests).toBeLessThanOrEqual(2);
		// the list of forms was read for the form's name
		expect(await pollAfter(2 * SHORT_POLL)).toEqual({ names: [], requests: 1 });
		for (let number = 0; number < 20; number++) submit(`New ${number}`);
		const many = await pollAfter(2 * SHORT_POLL);
		expect(many.names).toHaveLength(20);
		expect(many.requests).toBeLessThanOrEqual(3);
	});
});

/** Minutes from one whole reading to the next: 67 requests at half of 720 a day. */
const WHOLE_POLL = 268;

describe('1,000 responses in pages of 15', () => {
	const byNumber = { paging: 'number', order: 'desc' } as const;

	it.each([10, 300])(
		'are read whole every 268 minutes, which shows that one of %i others was completed',
		async (incomplete) => {
			await begin(byNumber, {}, incomplete);
			store.completeResponse(named('Old 7'));
			submit('Ada');
			expect(await pollAfter(SHORT_POLL)).toEqual({ names: ['Ada'], requests: 1 });
			const { names, requests } = await pollAfter(WHOLE_POLL);
			expect(names).toEqual(['Old 7']);
			expect(requests).toBe(67);
		},
	);

	it('show at once that one of the newest was completed', async () => {
		await begin(byNumber);
		submit('Ada', true);
		expect((await pollAfter(SHORT_POLL)).names).toEqual([]);
		store.completeResponse(named('Ada'));
		expect(await pollAfter(SHORT_POLL)).toEqual({ names: ['Ada'], requests: 1 });
	});

	it.each(['asc', 'desc'] as const)('lose nothing when some are deleted (%s)', async (order) => {
		await begin({ paging: 'number', order });
		for (let number = 1; number <= 40; number++) store.deleteResponse(named(`Old ${number * 3}`));
		submit('Ada');
		const polls = [];
		for (let poll = 0; poll < 75; poll++) polls.push(await pollAfter(SHORT_POLL));
		expect(polls.flatMap(({ names }) => names)).toEqual(['Ada']);
	});

	it('give Response Abandoned with the next whole reading', async () => {
		const events = ['responseAbandoned', 'responseCompleted'];
		await begin(byNumber, { events, abandonedAfterHours: 1 });
		submit('Ada', true);
		expect((await pollAfter(SHORT_POLL)).names).toEqual([]);
		for (let number = 0; number < 30; number++) submit(`New ${number}`);
		expect((await pollAfter(2 * SHORT_POLL)).names).toHaveLength(30);
		expect((await pollAfter(WHOLE_POLL)).names).toEqual(['Ada']);
	});

	it.each<[string, Partial<Shapes>]>([
		['come in any order', { paging: 'number', order: 'random' }],
		[
			'have the new ones at the end, and only cursors',
			{ paging: 'cursor', total: true, order: 'asc' },
		],
	])('are read whole each time when the pages %s', async (_text, shapes) => {
		await begin(shapes);
		submit('Ada');
		expect((await pollAfter(SHORT_POLL)).requests).toBe(0);
		expect(await pollAfter(134)).toEqual({ names: ['Ada'], requests: 67 });
	});
});
