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

const ITEMS = 6;

type Broken = 'value' | 'expression';

/** The input items that output items come from. */
const placesOf = (items: readonly INodeExecutionData[]) => [
	...new Set(items.map(({ pairedItem }) => (pairedItem as { item: number }).item)),
];

/** Runs an operation over items of which some are broken, by their places. */
async function runWith(
	{ breakable }: OperationCase,
	broken: Readonly<Record<number, Broken>>,
	{ batchSize, continueOnFail }: { batchSize?: number; continueOnFail?: boolean } = {},
) {
	// n8n waits between batches in real time
	const batching = { batch: { batchSize, batchInterval: 1 } };
	const options: INodeParameters = batchSize === undefined ? {} : { requestOptions: { batching } };
	return await withWorld(async ({ service, n8n }) => {
		const [, { json }] = inputFor(service);
		const input = Array.from({ length: ITEMS }, (_, index) => ({
			json: { ...json, broken: broken[index] },
		}));
		const parameters = { ...breakable.parameters, ...options };
		const run = await n8n.runNode(parameters, input, { continueOnFail });
		await time.settled();
		return { ...run, requests: service.requests };
	}, AT_ONCE);
}

const THROWN = /No such node|node doesn't exist/;

describe.each(operationCases)('$name', (operation) => {
	const everyPlace = Array.from({ length: ITEMS }, (_, place) => place);

	it('has an outcome for each item when all are valid', async () => {
		const { error, items, requests } = await runWith(operation, {});
		expect(error).toBeUndefined();
		expect(requests.length).toBeGreaterThan(0);
		expect(placesOf(items)).toEqual(everyPlace);
	});

	it('sends nothing when an item is not valid or its expression throws', async () => {
		for (const broken of ['value', 'expression'] as const) {
			const { error, items, requests } = await runWith(operation, { 3: broken });
			expect(error?.message).toMatch(broken === 'value' ? operation.breakable.message : THROWN);
			expect(error).toMatchObject({ context: { itemIndex: 3 } });
			expect([items, requests]).toEqual([[], []]);
		}
	});

	it('sends what is valid in a run that continues, and gives the rest as errors', async () => {
		const { error, items, requests } = await runWith(
			operation,
			{ 3: 'value' },
			{ continueOnFail: true },
		);
		expect(error).toBeUndefined();
		expect(requests.length).toBeGreaterThan(0);
		expect(placesOf(items)).toEqual(everyPlace);
		const failed = items.filter(({ json }) => json.error !== undefined);
		expect(placesOf(failed)).toEqual([3]);
		expect(failed[0].json).toMatchObject({
			broken: 'value',
			error: expect.stringMatching(operation.breakable.message),
		});
	});
});

const create = operationNamed('Response: Create');

withBothEngines('a run that stops on failure', () => {
	it.each([
		[{ 0: 'value' }, 0],
		[{ 0: 'expression' }, 0],
		[{ 5: 'value' }, 5],
		[{ 5: 'expression' }, 5],
		[{ 1: 'value', 3: 'value' }, 1],
		[{ 1: 'value', 3: 'expression' }, 3],
	] as Array<[Record<number, Broken>, number]>)(
		'sends nothing of items that are broken like %j, and names item %i',
		async (broken, named) => {
			const { error, requests } = await runWith(create, broken);
			expect(error).toMatchObject({ context: { itemIndex: named } });
			expect(requests).toEqual([]);
		},
	);
});

withBothEngines('a run that continues', () => {
	it('gives an expression that throws as the error of its item', async () => {
		const broken = { 3: 'expression' } as const;
		const { error, items, requests } = await runWith(create, broken, { continueOnFail: true });
		expect(error).toBeUndefined();
		expect(requests).toHaveLength(ITEMS - 1);
		expect(placesOf(items)).toEqual([0, 1, 2, 3, 4, 5]);
		expect(items[3].error?.message ?? items[3].json.error).toMatch(THROWN);
	});
});

describe('the batching of the request options', () => {
	it.each(['value', 'expression'] as const)(
		'sends nothing of a batch in which an item has a broken %s, nor of those after it',
		async (broken) => {
			for (const place of [2, 3]) {
				const { error, requests } = await runWith(create, { [place]: broken }, { batchSize: 2 });
				expect(error).toMatchObject({ context: { itemIndex: place } });
				expect(requests).toHaveLength(2);
			}
		},
	);

	it('says how much was sent when an item of a later batch is not valid', async () => {
		const first = await runWith(create, { 1: 'value' }, { batchSize: 2 });
		expect(first.error?.description).toMatch(/^Nothing was sent\.\n/);
		const later = await runWith(create, { 5: 'value' }, { batchSize: 2 });
		expect(later.error?.description).toMatch(
			/^The first 4 of the 6 items were already sent, in earlier batches\. Leave them out when you run this again\.\n/,
		);
		expect(later.requests).toHaveLength(4);
	});
});
