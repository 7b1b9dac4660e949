import type { INode, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, NODE_NAME, placesOf } from '../harness.mts';
import { inputFor, operationNamed } from '../resources/operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

const create = operationNamed('Response: Create');

const errorsOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ error, json }) => error?.message ?? json.error);

it('A run that stops on failure does not retry the other items after a failure', async () => {
	const path = new RegExp(`^/forms/${demoForms.survey}`);
	service.faults.set({ fault: 'unavailable', match: { path } });
	service.faults.set({ fault: 'forbidden' });
	const { parameters } = operationNamed('Field: Get Many');
	const { error } = await n8n.runNode(parameters, inputFor(service).toReversed());
	expect(error).toMatchObject({ httpCode: '503', context: { itemIndex: 0 } });
	expect(service.requests).toHaveLength(2);
});

const INVALID = "'Form' is not a valid ID";
const UNKNOWN = 'Form not found';
const THROWN = "Referenced node doesn't exist";

/** Both outputs of a run over five items: valid, invalid, unknown to the service, valid, throwing. */
async function listOutputs(onError: INode['onError']) {
	const [{ json }] = inputFor(service);
	const invalid = { broken: 'value', error: 'of an earlier run' };
	const changes = [{}, invalid, { formId: 'unknown' }, {}, { broken: 'expression' }];
	const input = itemsOf(...changes.map((change) => ({ ...json, ...change })));
	input[2].binary = { letter: { data: '', mimeType: 'text/plain' } };
	const options = { node: { onError } };
	const { run, error } = await n8n.runNode(create.breakable.parameters, input, options);
	expect(error).toBeUndefined();
	const outputs = run.data.resultData.runData[NODE_NAME].at(-1)!.data!.main;
	return [input, ...outputs.map((output) => output ?? [])];
}

describe('A run that continues', () => {
	it('returns in its regular output the outcome of each item, a failed one with its input', async () => {
		const [input, items] = await listOutputs('continueRegularOutput');
		expect(placesOf(items)).toEqual([0, 1, 2, 3, 4]);
		expect(errorsOf(items)).toEqual([undefined, INVALID, UNKNOWN, undefined, THROWN]);
		expect(items[1].json).toEqual({ ...input[1].json, error: INVALID });
		expect(items[2].json).toEqual({ ...input[2].json, error: UNKNOWN });
		expect(items[2].binary).toEqual(input[2].binary);
		expect(items[0]).not.toHaveProperty('binary');
		expect([items[0], items[3]].map(({ json }) => json.status)).toEqual(['created', 'created']);
		expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
	});

	it('returns failed items in its error output, paired with their input', async () => {
		const [input, items, errors] = await listOutputs('continueErrorOutput');
		expect(placesOf(items)).toEqual([0, 3]);
		expect(errorsOf(errors)).toEqual([INVALID, UNKNOWN, THROWN]);
		expect(errors[0].json).toEqual({ ...input[1].json, error: INVALID });
		expect(errors[1].json).toEqual({ ...input[2].json, error: UNKNOWN });
		expect(errors[1].binary).toEqual(input[2].binary);
		// n8n itself returns an expression that throws, and gives its item no pair
		expect(placesOf(errors)).toEqual([1, 2, undefined]);
		expect(errors[2].error).toMatchObject({ context: { itemIndex: 4 } });
	});
});
