import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import {
	inputFor,
	operationCases,
	operationNamed,
	type OperationCase,
} from '../tables/operations.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { withBothEngines } from './bothEngines.mts';

/** All items of a run, or of a batch, are checked before any of them is sent. */

const PLACES = [0, 1, 2, 3, 4, 5];

/** The input items that are broken, by their places. */
type Broken = Readonly<Record<number, 'value' | 'expression'>>;

/** The input items that output items come from. */
const placesOf = (items: readonly INodeExecutionData[]) => [
	...new Set(items.map(({ pairedItem }) => (pairedItem as { item: number }).item)),
];

/** Runs an operation over six items. */
async function runWith(
	{ breakable }: OperationCase,
	broken: Broken,
	{ batchSize, continueOnFail }: { batchSize?: number; continueOnFail?: boolean } = {},
) {
	// n8n waits between batches in real time
	const batching = { batch: { batchSize, batchInterval: 1 } };
	const options: INodeParameters = batchSize === undefined ? {} : { requestOptions: { batching } };
	return await withWorld(async ({ service, n8n }) => {
		const [, { json }] = inputFor(service);
		const input = PLACES.map((place) => ({ json: { ...json, broken: broken[place] } }));
		const parameters = { ...breakable.parameters, ...options };
		const run = await n8n.runNode(parameters, input, { continueOnFail });
		await time.settled();
		return { ...run, requests: service.requests };
	}, AT_ONCE);
}

const THROWN = /No such node|node doesn't exist/;

describe.each(operationCases)('$name', (operation) => {
	it.each([
		['value', operation.breakable.message],
		['expression', THROWN],
	] as const)('sends nothing if an item has a broken %s', async (kind, message) => {
		const { error, items, requests } = await runWith(operation, { 3: kind });
		expect(error?.message).toMatch(message);
		expect(error).toMatchObject({ context: { itemIndex: 3 } });
		expect([items, requests]).toEqual([[], []]);
	});

	it('sends the valid items of a run that continues, and returns the others as errors', async () => {
		const options = { continueOnFail: true };
		const { error, items, requests } = await runWith(operation, { 3: 'value' }, options);
		expect(error).toBeUndefined();
		expect(requests.length).toBeGreaterThan(0);
		expect(placesOf(items)).toEqual(PLACES);
		const failed = items.filter(({ json }) => json.error !== undefined);
		expect(placesOf(failed)).toEqual([3]);
		const message = expect.stringMatching(operation.breakable.message);
		expect(failed[0].json).toMatchObject({ broken: 'value', error: message });
	});
});

const create = operationNamed('Response: Create');

withBothEngines('A run', () => {
	it.each<[Broken, number]>([
		[{ 0: 'value' }, 0],
		[{ 0: 'expression' }, 0],
		[{ 5: 'expression' }, 5],
		[{ 1: 'value', 3: 'value' }, 1],
		[{ 1: 'value', 3: 'expression' }, 3],
	])('with items broken like %j sends nothing and names item %i', async (broken, named) => {
		const { error, requests } = await runWith(create, broken);
		expect(error).toMatchObject({ context: { itemIndex: named } });
		expect(requests).toEqual([]);
	});

	it('that continues returns an expression that throws as the error of its item', async () => {
		const options = { continueOnFail: true };
		const { error, items, requests } = await runWith(create, { 3: 'expression' }, options);
		expect(error).toBeUndefined();
		expect(requests).toHaveLength(5);
		expect(placesOf(items)).toEqual(PLACES);
		expect(items[3].error?.message ?? items[3].json.error).toMatch(THROWN);
	});
});

it('An error that several items have is said once, with their number', async () => {
	const { error } = await runWith(create, { 1: 'value', 4: 'value' });
	expect(error?.message).toBe("'Form' is not a valid ID");
	expect(error?.description).toMatch(
		/^Nothing was sent\.\nThis error is in 2 of the 6 rows, first in Row 2 \(item 1\)\.\n/,
	);
});

describe('Batching', () => {
	const batches = { batchSize: 2 };

	it.each<[Broken, number]>([
		[{ 1: 'value' }, 0],
		[{ 2: 'value' }, 2],
		[{ 3: 'expression' }, 2],
	])(
		'sends nothing of the batch with the broken item %j, nor of later ones',
		async (broken, sent) => {
			const { error, requests } = await runWith(create, broken, batches);
			const [place] = Object.keys(broken);
			expect(error).toMatchObject({ context: { itemIndex: Number(place) } });
			expect(requests).toHaveLength(sent);
		},
	);

	it('says how many items were sent before an invalid one', async () => {
		const first = await runWith(create, { 1: 'value' }, batches);
		expect(first.error?.description).toMatch(/^Nothing was sent\.\n/);
		const later = await runWith(create, { 5: 'value' }, batches);
		expect(later.error?.description).toMatch(
			/^The first 4 of the 6 items were already sent, in earlier batches\. Leave them out when you run this again\.\n/,
		);
	});
});
