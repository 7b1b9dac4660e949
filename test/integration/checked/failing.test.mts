import type { INode, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, slow, status } from '../../service/index.mts';
import { itemsOf, NODE_NAME } from '../harness.mts';
import { addEach, numbered } from '../limits/adding.mts';
import { inputFor, operationNamed, type OperationCase } from '../tables/operations.mts';
import { AT_ONCE, withWorld, type World } from '../world.mts';

/** What a run does after one of its items failed. */

const COUNT = 40;

/** Requests that are open at a time: they left before the failure could be known. */
const OPEN = 4;

const create = operationNamed('Response: Create');
const listFields = operationNamed('Field: Get Many');

const placesOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ pairedItem }) => (pairedItem as { item: number } | undefined)?.item);
const errorsOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ error, json }) => error?.message ?? json.error);

describe('A run that stops on failure', () => {
	it('sends nothing more after an item failed at the service, and names the item', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(20), times: 7 });
			service.faults.set({ fault: 'notFound', times: 1 });
			const { error, items } = await n8n.runNode(addEach, numbered(service, COUNT));
			expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 7 } });
			expect(items).toEqual([]);
			expect(service.requests.length).toBeLessThanOrEqual(7 + OPEN);
		}, AT_ONCE);
	});

	it('does not retry the other items after a failure', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { newsletter, survey } = demoForms;
			const path = new RegExp(`^/forms/${newsletter}`);
			service.faults.set({ fault: 'unavailable', match: { path } });
			service.faults.set({ fault: 'forbidden' });
			const items = itemsOf({ formId: newsletter }, { formId: survey });
			const { error } = await n8n.runNode(listFields.parameters, items);
			expect(error).toMatchObject({ httpCode: '403', context: { itemIndex: 1 } });
			expect(service.requests).toHaveLength(2);
		});
	});
});

const INVALID = "'Form' is not a valid ID";
const UNKNOWN = expect.stringMatching(/form was not found/);
const THROWN = "Referenced node doesn't exist";

/** Both outputs of a run over five items: valid, invalid, unknown to the service, valid, throwing. */
async function listOutputs(
	{ service, n8n }: World,
	{ breakable }: OperationCase,
	onError: INode['onError'],
) {
	const [{ json }] = inputFor(service);
	const input = itemsOf(json, { ...json, broken: 'value' }, { ...json, formId: 'unknown' }, json, {
		...json,
		broken: 'expression',
	});
	service.requests.length = 0;
	const options = { node: { onError } };
	const { run, error } = await n8n.runNode(breakable.parameters, input, options);
	expect(error).toBeUndefined();
	const outputs = run.data.resultData.runData[NODE_NAME].at(-1)!.data!.main;
	return [input, ...outputs.map((output) => output ?? [])];
}

describe('A run that continues', () => {
	it('sends all other items after some failed', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: status(422, 'Not like this.'), times: 3 });
			const options = { continueOnFail: true };
			const { items } = await n8n.runNode(addEach, numbered(service, COUNT), options);
			expect(service.requests).toHaveLength(COUNT);
			expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(3);
			expect(placesOf(items)).toEqual(Array.from({ length: COUNT }, (_, item) => item));
		});
	});

	it('returns in its regular output the outcome of each item, a failed one with its input', async () => {
		await withWorld(async (world) => {
			const [input, items] = await listOutputs(world, create, 'continueRegularOutput');
			expect(placesOf(items)).toEqual([0, 1, 2, 3, 4]);
			expect(errorsOf(items)).toEqual([undefined, INVALID, UNKNOWN, undefined, THROWN]);
			expect(items[1].json).toEqual({ ...input[1].json, error: INVALID });
			expect(items[2].json).toEqual({ ...input[2].json, error: UNKNOWN });
			expect([items[0], items[3]].map(({ json }) => json.status)).toEqual(['created', 'created']);
			const paths = [demoForms.contact, demoForms.contact, 'unknown'].map(
				(id) => `/forms/${id}/response`,
			);
			expect(world.service.requests.map(({ path }) => path).sort()).toEqual(paths.sort());
		});
	});

	it('returns failed items in its error output, paired with their input', async () => {
		await withWorld(async (world) => {
			const [input, items, errors] = await listOutputs(world, create, 'continueErrorOutput');
			expect(placesOf(items)).toEqual([0, 3]);
			expect(errorsOf(errors)).toEqual([INVALID, UNKNOWN, THROWN]);
			expect(errors[0].json).toEqual({ ...input[1].json, error: INVALID });
			expect(errors[1].json).toEqual({ ...input[2].json, error: UNKNOWN });
			// n8n itself returns an expression that throws, and gives its item no pair
			expect(placesOf(errors)).toEqual([1, 2, undefined]);
			expect(errors[2].error).toMatchObject({ context: { itemIndex: 4 } });
		});
	});

	it('pairs all output items of one input item with it', async () => {
		await withWorld(async (world) => {
			const { length } = world.service.store.fields(demoForms.contact);
			const [, items, errors] = await listOutputs(world, listFields, 'continueErrorOutput');
			expect(placesOf(items)).toEqual([...Array(length).fill(0), ...Array(length).fill(3)]);
			expect(placesOf(errors).slice(0, 2)).toEqual([1, 2]);
		});
	});
});
