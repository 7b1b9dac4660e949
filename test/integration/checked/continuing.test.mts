import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { NODE_NAME } from '../harness.mts';
import { running } from '../operations/running.mts';
import { addMapped, itemsWith, listFieldsOfEach } from './brokenInput.mts';

const { service, n8n } = await running();

/** Both outputs of a run over five items: fine, not valid, unknown to the service, fine, throwing. */
async function outputsOf(parameters: INodeParameters, onError: INode['onError']) {
	const input = itemsWith(5, {
		1: { formId: '../workspace' },
		2: { formId: 'unknown' },
		4: { throws: 'formId' },
	});
	const { run, error } = await n8n.runNode(parameters, input, {
		node: { onError },
		hasSource: true,
	});
	expect(error).toBeUndefined();
	const outputs = run.data.resultData.runData[NODE_NAME].at(-1)!.data!.main;
	return outputs.map((items) => items ?? []);
}

const placesOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ pairedItem }) => (pairedItem as { item: number } | undefined)?.item);
const errorsOf = (items: readonly INodeExecutionData[]) =>
	items.map(({ error, json }) => error?.message ?? json.error);
const failedInput = [
	{ formId: '../workspace', answer: 'Very', error: "'Form' is not a valid ID" },
	{ formId: 'unknown', answer: 'Very', error: expect.stringMatching(/form was not found/) },
];
const EXPRESSION_ERROR = "Referenced node doesn't exist";

describe('a node that continues with its regular output', () => {
	it('has the outcome of each item in its place', async () => {
		const [items] = await outputsOf(addMapped(service), 'continueRegularOutput');
		expect(placesOf(items)).toEqual([0, 1, 2, 3, 4]);
		expect(errorsOf(items)).toEqual([
			undefined,
			"'Form' is not a valid ID",
			expect.stringMatching(/form was not found/),
			undefined,
			EXPRESSION_ERROR,
		]);
		// the service may take them in any order
		const added = service.store.responses(demoForms.survey).slice(-2);
		expect([items[0], items[3]].map(({ json }) => json.uuid).sort()).toEqual(
			added.map(({ uuid }) => uuid).sort(),
		);
	});

	it('shows the input of an item that failed beside its error', async () => {
		const [items] = await outputsOf(addMapped(service), 'continueRegularOutput');
		expect([items[1], items[2]].map(({ json }) => json)).toEqual(failedInput);
	});

	it('sends the items that are valid, and only those', async () => {
		await outputsOf(addMapped(service), 'continueRegularOutput');
		expect(service.requests.map(({ path }) => path).sort()).toEqual(
			[
				`/forms/${demoForms.survey}/response`,
				`/forms/${demoForms.survey}/response`,
				'/forms/unknown/response',
			].sort(),
		);
	});
});

describe('a node that continues with its error output', () => {
	it('parts what came out well from what did not, each paired with its input', async () => {
		const [items, errors] = await outputsOf(addMapped(service), 'continueErrorOutput');
		expect(placesOf(items)).toEqual([0, 3]);
		expect(errorsOf(errors)).toEqual([
			"'Form' is not a valid ID",
			expect.stringMatching(/form was not found/),
			EXPRESSION_ERROR,
		]);
		// n8n itself answers for an expression that throws, and gives its item no pair
		expect(placesOf(errors)).toEqual([1, 2, undefined]);
		expect(errors[2].error).toMatchObject({ context: { itemIndex: 4 } });
	});

	it('shows the input of an item that failed beside its error', async () => {
		const [, errors] = await outputsOf(addMapped(service), 'continueErrorOutput');
		expect(errors.slice(0, 2).map(({ json }) => json)).toEqual(failedInput);
	});

	it('pairs the several items of one input with it', async () => {
		const fields = service.store.fields(demoForms.survey).length;
		const [items, errors] = await outputsOf(listFieldsOfEach, 'continueErrorOutput');
		expect(placesOf(items)).toEqual([...Array(fields).fill(0), ...Array(fields).fill(3)]);
		expect(placesOf(errors).slice(0, 2)).toEqual([1, 2]);
	});
});
