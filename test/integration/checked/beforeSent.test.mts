import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, time } from '../harness.mts';
import { withWorld } from '../world.mts';
import { withBothEngines } from './bothEngines.mts';
import { addMapped, itemsWith } from './brokenInput.mts';
import { operations, responseId, type Checked } from './checkedOperations.mts';

const ITEMS = 6;

/** Where the item is that differs: first, in the middle, last. */
const places = [0, 3, ITEMS - 1];
const EVERY_PLACE = Array.from({ length: ITEMS }, (_, place) => place);

/** The input items that output items come from. */
const placesOf = (items: readonly INodeExecutionData[]) => [
	...new Set(items.map(({ pairedItem }) => (pairedItem as { item: number }).item)),
];

/** Runs an operation over items of which one is not as the others. */
async function runWithOne(
	{ parameters, good }: Checked,
	odd: Checked['good'],
	place: number,
	continueOnFail: boolean,
) {
	return await withWorld(async ({ service, n8n }) => {
		service.store.addResponse(demoForms.contact, { uuid: responseId });
		const [field] = service.store.fields(demoForms.contact);
		const filled = <T,>(value: T) =>
			JSON.parse(JSON.stringify(value).replaceAll('<field>', field.uuid)) as T;
		const values = Array.from({ length: ITEMS }, (_, index) => (index === place ? odd : good));
		const input = itemsOf(...values.map((one) => ({ value: filled(one) })));
		const run = await n8n.runNode(filled<INodeParameters>(parameters), input, { continueOnFail });
		await time.settled();
		return { ...run, requests: service.requests };
	});
}

const named = operations.map((operation) => [operation.name, operation] as const);
const create = operations.find(({ name }) => name === 'Response: Create from JSON')!;

async function expectNothingSent(operation: Checked, place: number) {
	const refused = await runWithOne(operation, operation.bad, place, false);
	expect(refused.error?.message).toMatch(operation.message);
	const thrown = await runWithOne(operation, 'throw', place, false);
	expect(thrown.error?.message).toMatch(/No such node|node doesn't exist/);
	for (const { error, items, requests } of [refused, thrown]) {
		expect(error).toMatchObject({ context: { itemIndex: place } });
		expect(items).toEqual([]);
		expect(requests).toEqual([]);
	}
}

describe('every operation', () => {
	it.each(named)('%s has an outcome for each item when all are valid', async (_name, operation) => {
		const { error, items, requests } = await runWithOne(operation, operation.good, 0, false);
		expect(error).toBeUndefined();
		expect(requests.length).toBeGreaterThan(0);
		expect(placesOf(items)).toEqual(EVERY_PLACE);
	});

	it.each(named)(
		'%s sends nothing when an item is not valid or its expression throws',
		async (_name, operation) => await expectNothingSent(operation, 3),
	);

	it.each(named)(
		'%s sends what is valid in a run that continues, and gives the rest as errors',
		async (_name, operation) => {
			const { error, items, requests } = await runWithOne(operation, operation.bad, 3, true);
			expect(error).toBeUndefined();
			expect(requests.length).toBeGreaterThan(0);
			const failed = items.filter(({ json }) => json.error !== undefined);
			expect(failed).toMatchObject([
				{
					json: { value: expect.anything(), error: expect.stringMatching(operation.message) },
					pairedItem: { item: 3 },
				},
			]);
			expect(placesOf(items)).toEqual(EVERY_PLACE);
		},
	);
});

withBothEngines('a run that stops on failure', () => {
	it.each(places)(
		'sends nothing when item %i is not valid or its expression throws',
		async (place) => {
			await expectNothingSent(create, place);
		},
	);

	it('sends nothing where one item is not valid and the expression of a later one throws', async () => {
		await withWorld(async ({ service, n8n }) => {
			const input = itemsWith(5, { 1: { formId: '..' }, 3: { throws: 'formId' } });
			const { error } = await n8n.runNode(addMapped(service), input);
			await time.settled();
			expect(service.requests).toEqual([]);
			expect(error).toMatchObject({ context: { itemIndex: 3 } });
		});
	});

	it('names the first of several items that are not valid', async () => {
		await withWorld(async ({ service, n8n }) => {
			const input = itemsWith(5, { 1: { formId: '..' }, 3: { answer: '' } });
			const { error } = await n8n.runNode(addMapped(service), input);
			expect(service.requests).toEqual([]);
			expect(error).toMatchObject({
				message: "'Form' is not a valid ID",
				context: { itemIndex: 1 },
			});
		});
	});
});

withBothEngines('a run that continues', () => {
	it('gives an expression that throws as the error of its item', async () => {
		const update = operations.find(({ name }) => name === 'Settings: Update from fields')!;
		const { error, items, requests } = await runWithOne(update, 'throw', 3, true);
		expect(error).toBeUndefined();
		expect(requests).toHaveLength(ITEMS - 1);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: ITEMS }, (_, item) => ({ item })),
		);
		expect(items[3].error?.message ?? items[3].json.error).toMatch(/No such node|doesn't exist/);
	});
});
