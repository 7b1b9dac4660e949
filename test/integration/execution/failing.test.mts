import { partition } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, NODE_NAME, placesOf, time } from '../harness.mts';
import { inputFor, operationNamed } from '../resources/operations.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

const create = operationNamed('Response: Create');

it('A run that stops on failure retries no other item, and reports the failure that stopped the run', async () => {
	const path = new RegExp(`^/forms/${demoForms.survey}`);
	service.faults.set({ fault: 'unavailable', match: { path } });
	service.faults.set({ fault: 'forbidden' });
	const { parameters } = operationNamed('Field: Get Many');
	const { error } = await n8n.runNode(parameters, inputFor(service).toReversed());
	expect(error).toMatchObject({ httpCode: '403', context: { itemIndex: 1 } });
	expect(service.requests).toHaveLength(2);
});

describe('A run that continues returns the outcome of each item, a failed one with its input,', () => {
	it.each([
		['its regular output', 'continueRegularOutput', [0, 1, 2, 3, 4], []],
		// n8n itself returns an expression that throws, and gives its item no pair
		['its error output if it failed', 'continueErrorOutput', [0, 3], [1, 2, undefined]],
	] as const)('in %s', async (_, onError, places, placesOfFailed) => {
		const [{ json }] = inputFor(service);
		const broken = [{}, { broken: 'value' }, { formId: 'none' }, {}, { broken: 'expression' }];
		const input = itemsOf(...broken.map((one) => ({ ...json, ...one, error: 'earlier' })));
		input[2].binary = { letter: { data: '', mimeType: 'text/plain' } };
		const { run } = await n8n.runNode(create.breakable.parameters, input, { node: { onError } });
		const outputs = run.data.resultData.runData[NODE_NAME].at(-1)!.data!.main;
		const [items, errors = []] = outputs.map((output) => output ?? []);
		expect(placesOf(items)).toEqual(places);
		expect(placesOf(errors)).toEqual(placesOfFailed);
		const isCreated = (item: INodeExecutionData) => item.json.status === 'created';
		const [created, failed] = partition([...items, ...errors], isCreated);
		expect(created).toHaveLength(2);
		const invalid = expect.stringMatching(/^'Form' is not a valid ID\. Choose/);
		const unknown = expect.stringMatching(/^Form not found\. Check the ID/);
		expect(failed).toMatchObject([
			{ json: { ...input[1].json, error: invalid } },
			{ json: { ...input[2].json, error: unknown }, binary: input[2].binary },
			{ error: { message: "Referenced node doesn't exist", context: { itemIndex: 4 } } },
		]);
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
