import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, time } from '../harness.mts';
import { withWorld } from '../world.mts';
import { withBothEngines } from './bothEngines.mts';
import { addMapped, itemsWith } from './brokenInput.mts';
import { operations, responseId, type Checked } from './checkedOperations.mts';

const places = [
	['first', 0],
	['in the middle', 7],
	['last', 19],
] as const;
const ITEMS = 20;
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

withBothEngines('a run that stops on failure', () => {
	it.each(operations.map((operation) => [operation.name, operation] as const))(
		'%s has an outcome for each item when all are valid',
		async (_name, operation) => {
			const { error, items, requests } = await runWithOne(operation, operation.good, 0, false);
			expect(error).toBeUndefined();
			expect(requests.length).toBeGreaterThan(0);
			expect(placesOf(items)).toEqual(EVERY_PLACE);
		},
	);

	it.each(
		operations.flatMap((operation) =>
			places.map(([where, place]) => [operation.name, where, operation, place] as const),
		),
	)('%s sends nothing when its %s item is not valid', async (_name, _where, operation, place) => {
		const { error, items, requests } = await runWithOne(operation, operation.bad, place, false);
		expect(error?.message).toMatch(operation.message);
		expect(error).toMatchObject({ context: { itemIndex: place } });
		expect(items).toEqual([]);
		expect(requests).toEqual([]);
	});

	it.each(
		operations.flatMap((operation) =>
			places.map(([where, place]) => [operation.name, where, operation, place] as const),
		),
	)(
		'%s sends nothing when the expression of its %s item throws',
		async (_name, _where, operation, place) => {
			const { error, requests } = await runWithOne(operation, 'throw', place, false);
			expect(error?.message).toMatch(/No such node|node doesn't exist/);
			expect(error).toMatchObject({ context: { itemIndex: place } });
			expect(requests).toEqual([]);
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
	it.each(operations.map((operation) => [operation.name, operation] as const))(
		'%s sends what is valid, and gives the rest as errors',
		async (_name, operation) => {
			const { error, items, requests } = await runWithOne(operation, operation.bad, 7, true);
			expect(error).toBeUndefined();
			expect(requests.length).toBeGreaterThan(0);
			const failed = items.filter(({ json }) => json.error !== undefined);
			expect(failed).toMatchObject([
				{
					json: { value: expect.anything(), error: expect.stringMatching(operation.message) },
					pairedItem: { item: 7 },
				},
			]);
			expect(placesOf(items)).toEqual(EVERY_PLACE);
		},
	);

	it('gives an expression that throws as the error of its item', async () => {
		const update = operations.find(({ name }) => name === 'Settings: Update from fields')!;
		const { error, items, requests } = await runWithOne(update, 'throw', 7, true);
		expect(error).toBeUndefined();
		expect(requests).toHaveLength(ITEMS - 1);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: ITEMS }, (_, item) => ({ item })),
		);
		expect(items[7].error?.message ?? items[7].json.error).toMatch(/No such node|doesn't exist/);
	});
});
