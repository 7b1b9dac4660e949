import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import {
	inputFor,
	operationCases,
	operationNamed,
	type OperationCase,
} from '../resources/operations.mts';
import { AT_ONCE, createWorld } from '../world.mts';

/** All items of a run, or of a batch, are checked before any of them is sent. */

const PLACES = [0, 1, 2, 3, 4, 5];

type Broken = Readonly<Record<number, 'value' | 'expression'>>;

async function runWith({ breakable }: OperationCase, broken: Broken, batchSize?: number) {
	// n8n waits between batches in real time
	const batching = { batch: { batchSize: batchSize ?? 0, batchInterval: 1 } };
	const { service, n8n } = await createWorld(AT_ONCE);
	const [, { json }] = inputFor(service);
	const input = PLACES.map((place) => ({ json: { ...json, broken: broken[place] } }));
	const requestOptions: INodeParameters = batchSize === undefined ? {} : { batching };
	const run = await n8n.runNode({ ...breakable.parameters, requestOptions }, input);
	await time.settled();
	return { ...run, requests: service.requests };
}

const THROWN = /No such node|node doesn't exist/;

describe.each(operationCases)('$name', (operation) => {
	it.each([
		['value', operation.breakable.message],
		['expression', THROWN],
	] as const)('sends nothing if an item has a broken %s', async (kind, message) => {
		const { error, items, requests } = await runWith(operation, { 3: kind });
		expect(error?.message).toMatch(message);
		expect(error).toMatchObject({ context: { itemIndex: 3 } });
		const changes = requests.filter(({ method }) => method !== 'GET');
		expect([items, changes]).toEqual([[], []]);
		// the other items of a change are checked
		if (operation.effect === 'safe' || kind === 'expression') expect(requests).toEqual([]);
	});
});

const create = operationNamed('Response: Create');

it.each<[Broken, number | undefined, number, number]>([
	[{ 1: 'value', 3: 'expression' }, undefined, 3, 0],
	[{ 2: 'value' }, 2, 2, 2],
])('A run broken like %j, in batches of %j, names item %i and sends %i', async (...given) => {
	const [broken, batchSize, named, sent] = given;
	const { error, requests } = await runWith(create, broken, batchSize);
	expect(error).toMatchObject({ context: { itemIndex: named } });
	expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(sent);
});

/** Sends items for these forms, after one that is valid. Returns the message and the lines that n8n shows. */
async function runWithForms(
	formIds: string[],
	attributesOf: (index: number) => object = () => ({}),
) {
	const { service, n8n } = await createWorld(AT_ONCE);
	const [{ json }] = inputFor(service);
	const items = [{}, ...formIds.map((formId) => ({ formId }))];
	const input = items.map((item, index) => ({
		json: { ...json, ...item, ...attributesOf(index) },
	}));
	const { error } = await n8n.runNode(create.parameters, input);
	const [firstLine, ...lines] = String(error?.description).split('<br>\n');
	expect(firstLine).toBe('Nothing was sent.');
	return { message: error?.message, lines };
}

// a number or a text, as different nodes read a sheet
const ofSheet = (index: number) => ({ row_number: index % 2 === 0 ? index + 2 : `${index + 2}` });
const INVALID = /^'Form' is not a valid ID$/;

it.each([
	[
		['a/b', '', 'a/b'],
		[/^Rows 3, 5: 'Form' is not a valid ID\. /, /^Row 4: 'Form' is empty\. /],
	],
	[
		['x', 'a/b', 'y'],
		[/^Rows 3, 5: Form not found\. /, /^Row 4: 'Form' is not a valid ID\. /],
	],
])(
	'One error lists by row which of the forms %j are invalid or unknown',
	async (formIds, listed) => {
		const { message, lines } = await runWithForms(formIds, ofSheet);
		expect(message).toBe(`${formIds.length} of ${formIds.length + 1} items are invalid`);
		expect(lines).toEqual(listed.map((line) => expect.stringMatching(line)));
	},
);

it('The error of the only invalid item of several says the reason and its row', async () => {
	const { message, lines } = await runWithForms(['a/b'], ofSheet);
	expect(message).toMatch(INVALID);
	expect(lines).toEqual(['Affected: row 3.', expect.stringMatching(/^Choose it from the list/)]);
});

it('If all items are invalid for the same reason, the reason is the message', async () => {
	const { message, lines } = await runWithForms(['a/b', 'a/b'], () => ({ formId: 'a/b' }));
	expect(message).toMatch(INVALID);
	const advice = expect.stringMatching(/^Choose it from the list/);
	expect(lines).toEqual(['Affected: items 0, 1, 2.', advice]);
});
