import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, slow, status } from '../../service/index.mts';
import { itemsOf, NODE_NAME } from '../harness.mts';
import { addEach, numbered } from '../limits/adding.mts';
import { inputFor, operationNamed } from '../tables/operations.mts';
import { AT_ONCE, withWorld, type World } from '../world.mts';

const COUNT = 40;

/** Requests that are open at a time: they left before the failure could be known. */
const OPEN = 5;

const create = operationNamed('Response: Create');
const listFields = operationNamed('Field: Get Many');

describe('in a run that stops on failure', () => {
	it('nothing more is sent after one item failed at the service, and the error names it', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(20), times: 7 });
			service.faults.set({ fault: 'notFound', times: 1 });
			const { error, items } = await n8n.runNode(addEach, numbered(service, COUNT));
			expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 7 } });
			expect(items).toEqual([]);
			expect(service.requests.length).toBeLessThanOrEqual(7 + OPEN);
		}, AT_ONCE);
	});

	it('an item that waits to be sent again is given up as well', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { newsletter, survey } = demoForms;
			service.faults.set({
				fault: 'unavailable',
				match: { path: new RegExp(`^/forms/${newsletter}`) },
			});
			service.faults.set({ fault: 'forbidden' });
			const items = itemsOf({ formId: newsletter }, { formId: survey });
			const { error } = await n8n.runNode(listFields.parameters, items);
			expect(error).toMatchObject({ httpCode: '403', context: { itemIndex: 1 } });
			expect(service.requests).toHaveLength(2);
		});
	});
});

/** Both outputs of a run over five items: fine, not valid, unknown to the service, fine, throwing. */
async function outputsOf(
	{ service, n8n }: World,
	parameters: INodeParameters,
	onError: INode['onError'],
) {
	const [{ json }] = inputFor(service);
	const items: IDataObject[] = [
		{},
		{ broken: 'value' },
		{ formId: 'unknown' },
		{},
		{ broken: 'expression' },
	];
	const input = itemsOf(...items.map((item) => ({ ...json, ...item })));
	service.requests.length = 0;
	const { run, error } = await n8n.runNode(parameters, input, {
		node: { onError },
		hasSource: true,
	});
	expect(error).toBeUndefined();
	const outputs = run.data.resultData.runData[NODE_NAME].at(-1)!.data!.main;
	return { outputs: outputs.map((output) => output ?? []), input };
}

const placesOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ pairedItem }) => (pairedItem as { item: number } | undefined)?.item);
const errorsOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ error, json }) => error?.message ?? json.error);

const INVALID = "'Form' is not a valid ID";
const UNKNOWN = expect.stringMatching(/form was not found/);
const THROWN = "Referenced node doesn't exist";

describe('a node that continues', () => {
	const { parameters } = create.breakable;

	it('keeps no other item from being sent when one fails', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: status(422, 'Not like this.'), times: 3 });
			const options = { continueOnFail: true };
			const { items } = await n8n.runNode(addEach, numbered(service, COUNT), options);
			expect(service.requests).toHaveLength(COUNT);
			expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(3);
			expect(placesOf(items)).toEqual(Array.from({ length: COUNT }, (_, item) => item));
		});
	});

	it('has in its regular output the outcome of each item, a failed one beside its input', async () => {
		await withWorld(async (world) => {
			const { service } = world;
			const { outputs, input } = await outputsOf(world, parameters, 'continueRegularOutput');
			const [items] = outputs;
			expect(placesOf(items)).toEqual([0, 1, 2, 3, 4]);
			expect(errorsOf(items)).toEqual([undefined, INVALID, UNKNOWN, undefined, THROWN]);
			expect(items[1].json).toEqual({ ...input[1].json, error: INVALID });
			expect(items[2].json).toEqual({ ...input[2].json, error: UNKNOWN });
			// the service may take them in any order
			const added = service.store.responses(demoForms.contact).slice(-2);
			expect([items[0], items[3]].map(({ json }) => json.uuid).sort()).toEqual(
				added.map(({ uuid }) => uuid).sort(),
			);
			const sentTo = [demoForms.contact, demoForms.contact, 'unknown'];
			expect(service.requests.map(({ path }) => path).sort()).toEqual(
				sentTo.map((id) => `/forms/${id}/response`).sort(),
			);
		});
	});

	it('parts in its error output what came out well from what did not, each paired with its input', async () => {
		await withWorld(async (world) => {
			const { outputs, input } = await outputsOf(world, parameters, 'continueErrorOutput');
			const [items, errors] = outputs;
			expect(placesOf(items)).toEqual([0, 3]);
			expect(errorsOf(errors)).toEqual([INVALID, UNKNOWN, THROWN]);
			expect(errors[0].json).toEqual({ ...input[1].json, error: INVALID });
			expect(errors[1].json).toEqual({ ...input[2].json, error: UNKNOWN });
			// n8n itself answers for an expression that throws, and gives its item no pair
			expect(placesOf(errors)).toEqual([1, 2, undefined]);
			expect(errors[2].error).toMatchObject({ context: { itemIndex: 4 } });
		});
	});

	it('pairs the several items of one input with it', async () => {
		await withWorld(async (world) => {
			const fields = world.service.store.fields(demoForms.contact).length;
			const { outputs } = await outputsOf(
				world,
				listFields.breakable.parameters,
				'continueErrorOutput',
			);
			expect(placesOf(outputs[0])).toEqual([...Array(fields).fill(0), ...Array(fields).fill(3)]);
			expect(placesOf(outputs[1]).slice(0, 2)).toEqual([1, 2]);
		});
	});
});
