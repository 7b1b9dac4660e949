import type { INode, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, NODE_NAME, placesOf, time } from '../harness.mts';
import { inputFor, operationNamed } from '../resources/operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

const create = operationNamed('Response: Create');

it('A run that stops on failure does not retry the other items after a failure', async () => {
	const path = new RegExp(`^/forms/${demoForms.survey}`);
	service.faults.set({ fault: 'unavailable', match: { path } });
	service.faults.set({ fault: 'forbidden' });
	const { parameters } = operationNamed('Field: Get Many');
	const { error } = await n8n.runNode(parameters, inputFor(service).toReversed());
	expect(error).toMatchObject({ httpCode: '503', context: { itemIndex: 0 } });
	expect(service.requests).toHaveLength(2);
});

const INVALID = expect.stringMatching(/^'Form' is not a valid ID\. Choose/);
const UNKNOWN = expect.stringMatching(/^Form not found\. Check the ID/);
const THROWN = "Referenced node doesn't exist";

/** Both outputs of a run over five items: valid, invalid, unknown to the service, valid, throwing. */
async function listOutputs(onError: INode['onError']) {
	const [{ json }] = inputFor(service);
	const changes = [{}, { broken: 'value' }, { formId: 'unknown' }, {}, { broken: 'expression' }];
	const input = itemsOf(...changes.map((change) => ({ ...json, ...change, error: 'earlier' })));
	input[2].binary = { letter: { data: '', mimeType: 'text/plain' } };
	const { run } = await n8n.runNode(create.breakable.parameters, input, { node: { onError } });
	const outputs = run.data.resultData.runData[NODE_NAME].at(-1)!.data!.main;
	const [items, errors] = outputs.map((output) => output ?? []);
	return { input, items, errors };
}

/** What a failed item has: its input with the error. */
const failedOf = ({ json, binary }: INodeExecutionData, error: unknown) =>
	expect.objectContaining({ json: { ...json, error }, ...(binary && { binary }) });

describe('A run that continues', () => {
	it('returns in its regular output the outcome of each item, a failed one with its input', async () => {
		const { input, items } = await listOutputs('continueRegularOutput');
		expect(placesOf(items)).toEqual([0, 1, 2, 3, 4]);
		const created = { json: { status: 'created' } };
		const failed = [failedOf(input[1], INVALID), failedOf(input[2], UNKNOWN)];
		expect(items.slice(0, 4)).toMatchObject([created, ...failed, created]);
		expect(items[4].error?.message).toBe(THROWN);
	});

	it('returns failed items in its error output, paired with their input', async () => {
		const { input, items, errors } = await listOutputs('continueErrorOutput');
		expect(placesOf(items)).toEqual([0, 3]);
		// n8n itself returns an expression that throws, and gives its item no pair
		expect(placesOf(errors)).toEqual([1, 2, undefined]);
		const failed = [failedOf(input[1], INVALID), failedOf(input[2], UNKNOWN)];
		expect(errors.slice(0, 2)).toEqual(failed);
		expect(errors[2].error).toMatchObject({ message: THROWN, context: { itemIndex: 4 } });
	});
});

it('Execute Once sends the first item alone', async () => {
	const { parameters } = operationNamed('Setting: Update');
	const { items } = await n8n.runNode(parameters, inputFor(service), {
		node: { executeOnce: true },
	});
	expect(items).toMatchObject([{ json: { id: demoForms.contact } }]);
	expect(service.requests).toHaveLength(1);
});

it.each([
	['30 seconds, and not the 300 of n8n, if it is not set', undefined, 60_000],
	['the time that is set', 300, 6_000],
])('Timeout is %s', async (_, timeout, longestMs) => {
	service.faults.set({ fault: slow(200_000), match: { method: 'POST' } });
	const begun = time.now();
	const given = { ...create.parameters, requestOptions: timeout === undefined ? {} : { timeout } };
	const { error } = await n8n.runNode(given, inputFor(service).slice(1));
	expect(time.now() - begun).toBeLessThan(longestMs);
	expect(error?.message).toMatch(/ did not reply in time\. /);
});
