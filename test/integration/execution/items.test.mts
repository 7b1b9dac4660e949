import { partition } from 'lodash';
import type { INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, NODE_NAME, placesOf, time } from '../harness.mts';
import { breakableForm, inputFor, operationNamed } from '../resources/operations.mts';
import { AT_ONCE, createWorld, running } from '../world.mts';

/** What a run does with its items: all are checked before one is sent, and each has an outcome. */

const { service, n8n } = await running();

const create = operationNamed('Response: Create');
const breakable = { ...create.parameters, formId: breakableForm };

describe.each(['Response: Get Many', 'Response: Create', 'Setting: Update'])('%s', (name) => {
	it.each(['value', 'expression'])('sends nothing if one item has a broken %s', async (broken) => {
		const { service, n8n } = await createWorld(AT_ONCE);
		const [{ json }] = inputFor(service);
		const input = Array.from({ length: 5 }, () => ({ json }));
		input[3] = { json: { ...json, broken } };
		const given = { ...operationNamed(name).parameters, formId: breakableForm };
		const { error, items } = await n8n.runNode(given, input);
		await time.settled();
		expect(error).toMatchObject({ context: { itemIndex: 3 } });
		expect(items).toEqual([]);
		// the fields of the form are part of the check of a new response
		const isCheck = (path: string) => name.endsWith('Create') && path.endsWith('/fields');
		expect(service.requests.filter(({ path }) => !isCheck(path))).toEqual([]);
	});
});

it('Batching checks a batch after the earlier batches were sent', async () => {
	const [, { json }] = inputFor(service);
	const input = itemsOf(json, json, { ...json, broken: 'value' }, json);
	const batching = { batch: { batchSize: 2, batchInterval: 1 } };
	const { error } = await n8n.runNode({ ...breakable, requestOptions: { batching } }, input);
	expect(error).toMatchObject({ context: { itemIndex: 2 } });
	expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
});

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
	] as const)('in %s, and tries none again', async (_, onError, places, placesOfFailed) => {
		const [{ json }] = inputFor(service);
		const broken = [{}, { broken: 'value' }, { formId: 'none' }, {}, { broken: 'expression' }];
		const input = itemsOf(...broken.map((one) => ({ ...json, ...one, error: 'earlier' })));
		input[2].binary = { letter: { data: '', mimeType: 'text/plain' } };
		const node = { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { run } = await n8n.runNode(breakable, input, { node });
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
		expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
	});
});

it('Execute Once sends the first item alone', async () => {
	const { parameters } = operationNamed('Setting: Update');
	const node = { executeOnce: true };
	const { items } = await n8n.runNode(parameters, inputFor(service), { node });
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
