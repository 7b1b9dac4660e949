import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Shapes } from '../../service/index.mts';
import { time } from '../harness.mts';
import { running } from '../operations/running.mts';
import { namesIn, newForm, watch } from './watching.mts';

const { service, n8n } = await running();
const { store } = service;
const DAY_MS = 24 * 60 * 60_000;

/** Minutes between two short looks of one request. */
const SHORT_LOOK = 4;

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
	store.transaction(() => {
		for (let number = 1; number <= 1_000; number++) submit(`Old ${number}`, number <= incomplete);
	});
	Object.assign(service.shapes, { pageSize: 15, ...shapes });
	trigger = watch(n8n, form, { options: { requestsPerDay: 720 }, ...parameters });
	expect(await lookNow(0)).toEqual({ names: [], requests: 67 });
}

/** One tick of n8n after so many minutes: what it delivers, and how many pages it asks for. */
async function lookNow(minutes: number) {
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
	['newest first, by cursors', { paging: 'cursor', total: true, order: 'desc' }],
] as const)('1,000 responses in pages of 15, %s', (_text, shapes) => {
	it('take one request while nothing happens, and one or two when responses come', async () => {
		await begin(shapes);
		expect(await lookNow(SHORT_LOOK)).toEqual({ names: [], requests: 1 });
		submit('Ada');
		submit('Grace');
		const { names, requests } = await lookNow(SHORT_LOOK);
		expect(names).toEqual(['Ada', 'Grace']);
		expect(requests).toBeLessThanOrEqual(2);
		expect(await lookNow(SHORT_LOOK)).toEqual({ names: [], requests: 1 });
		for (let number = 0; number < 20; number++) submit(`New ${number}`);
		const many = await lookNow(2 * SHORT_LOOK);
		expect(many.names).toHaveLength(20);
		expect(many.requests).toBeLessThanOrEqual(3);
	});
});

describe('1,000 responses in pages of 15', () => {
	const byNumber = { paging: 'number', order: 'desc' } as const;

	it('take two requests where others may have been completed', async () => {
		await begin(byNumber, {}, 10);
		expect(await lookNow(SHORT_LOOK)).toEqual({ names: [], requests: 2 });
		submit('Ada');
		expect(await lookNow(2 * SHORT_LOOK)).toEqual({ names: ['Ada'], requests: 2 });
	});

	it('take two where so many are incomplete that they have pages of their own', async () => {
		await begin(byNumber, {}, 300);
		expect(await lookNow(SHORT_LOOK)).toEqual({ names: [], requests: 2 });
		submit('Ada', true);
		expect(await lookNow(2 * SHORT_LOOK)).toEqual({ names: [], requests: 2 });
		store.completeResponse(named('Ada'));
		expect(await lookNow(2 * SHORT_LOOK)).toEqual({ names: ['Ada'], requests: 2 });
	});

	it('are all read when another one was completed, as soon as the allowance lets them', async () => {
		await begin(byNumber, {}, 10);
		store.completeResponse(named('Old 7'));
		submit('Ada');
		expect(await lookNow(SHORT_LOOK)).toEqual({ names: ['Ada'], requests: 2 });
		// one request each four minutes for the page, and as many for the rest
		const { names, requests } = await lookNow(67 * SHORT_LOOK);
		expect(names).toEqual(['Old 7']);
		expect(requests).toBe(67);
	});

	it('are all read at once when they have not been for a while', async () => {
		await begin(byNumber, {}, 10);
		expect((await lookNow(70 * SHORT_LOOK)).requests).toBe(2);
		store.completeResponse(named('Old 7'));
		submit('Ada');
		// the page is not read again: 67 pages and the list of the incomplete ones
		expect(await lookNow(2 * SHORT_LOOK)).toEqual({ names: ['Old 7', 'Ada'], requests: 68 });
	});

	it.each(['asc', 'desc'] as const)('lose nothing when some are deleted (%s)', async (order) => {
		await begin({ paging: 'number', order });
		for (let number = 1; number <= 40; number++) store.deleteResponse(named(`Old ${number * 3}`));
		submit('Ada');
		const looks = [];
		for (let look = 0; look < 70; look++) looks.push(await lookNow(SHORT_LOOK));
		expect(looks.flatMap(({ names }) => names)).toEqual(['Ada']);
		expect(Math.max(...looks.map(({ requests }) => requests))).toBe(65);
	});

	it('are told as abandoned without a look at all of them', async () => {
		const events = ['responseAbandoned', 'responseCompleted'];
		await begin(byNumber, { events, abandonedAfterHours: 1 });
		submit('Ada', true);
		expect((await lookNow(SHORT_LOOK)).names).toEqual([]);
		for (let number = 0; number < 30; number++) submit(`New ${number}`);
		expect((await lookNow(2 * SHORT_LOOK)).names).toHaveLength(30);
		expect(await lookNow(60)).toEqual({ names: ['Ada'], requests: 2 });
	});

	it.each<[string, Partial<Shapes>]>([
		['do not say how many there are', { paging: 'linkAbsolute' }],
		['come in any order', { paging: 'number', order: 'random' }],
		[
			'have the new ones at the end, and only cursors',
			{ paging: 'cursor', total: true, order: 'asc' },
		],
	])('are read whole each time when the pages %s', async (_text, shapes) => {
		await begin(shapes);
		submit('Ada');
		expect((await lookNow(SHORT_LOOK)).requests).toBe(0);
		expect(await lookNow(134)).toEqual({ names: ['Ada'], requests: 67 });
	});
});
