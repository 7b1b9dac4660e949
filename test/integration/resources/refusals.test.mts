import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';
import { operationNamed } from './operations.mts';

/** Input that an operation refuses before it changes anything. The texts are in refusals.txt. */

const { service, n8n } = await running();

const id = 'orders';
const fields = [
	{ label: 'Name', mandatory: true },
	{ label: 'Email', mandatory: true },
	{ label: 'Size', type: 'dropdown', options: ['M', 'L'] },
	{ label: 'Topics', type: 'checkboxes', options: ['A', 'B, C'] },
	{ label: 'CV', type: 'file_upload' },
	{ label: 'Order', type: 'number' },
	{ label: 'Day', type: 'date' },
	...['Same', 'Same'].map((label) => ({ label })),
];
service.store.addForm({ id, name: 'Orders', fields });

type Row = [parameters: object, ...items: IDataObject[]];

const inMode = (mode: string) => ({ formId: { ...locator('={{ $json.form }}'), mode } });
const gone = { formId: { ...locator('gone42', 'list'), cachedResultName: 'Summer Party' } };

const getMany: Row[] = [
	[{ formId: locator('absent') }],
	[gone],
	[inMode('id'), { form: '' }],
	[inMode('id'), { form: 'a/b' }],
	[inMode('id'), { form: -1 }],
	[inMode('url'), { form: 'https://forms.example.com/' }],
	[{ returnAll: false, limit: 0 }],
	[{ returnAll: false, limit: '1.000' }],
	...[
		...[{ text: '={{ $json.missing }}' }, { after: '={{ null }}' }, { after: 'soon' }],
		...[{ conditions: '[{"field": "uuid", "value": "b"}]' }, '={{ ({ text: "ada" }) }}'],
		...[
			{ operator: 'is', value: 'x' },
			{ field: 'Name', operator: 'is', value: ' ' },
			{ field: 'Name', operator: 'contains', value: '={{ undefined }}' },
			{ field: 'Name', operator: 'like', value: 'x' },
			{ field: 'Order', operator: 'greater', value: '1.000' },
			{ field: 'Order', operator: 'less', value: '1,000' },
			{ field: 'Day', operator: 'after', value: '31/12/2026' },
			{ field: 'Size', operator: 'is', value: 'XL' },
			{ field: 'Size', operator: 'isNot', value: 'XL' },
			{ field: 'Shoe', operator: 'isEmpty', value: '' },
			{ field: 'attribute:is_incomplete', operator: 'is', value: 'maybe' },
		].map((condition) => ({ conditions: { conditions: [condition] } })),
	].map((filters): Row => [{ filters }]),
];

const answered = { Name: 'x', Email: 'a' };
const json = { inputMode: 'json', answersJson: '={{ $json }}' };
const skipBy = (skipDuplicatesBy: unknown) => ({ ...json, options: { skipDuplicatesBy } });

const create: Row[] = [
	[{ ...json, ...gone }, answered],
	[{ ...json, answersJson: '{"Name": Ada}' }],
	[{ ...json, answersJson: '[]' }],
	[json, {}],
	[json, { ...answered, Nmae: null }],
	[json, { ...answered, Name: '#REF!', Size: 'S' }],
	[json, { ...answered, Order: '1.000', Day: '31/12/2026' }],
	[{ inputMode: 'auto' }, { Name: 'x', mail: 'a', score: 1 }],
	[{ inputMode: 'auto', options: { allowMissingAnswers: true } }, { score: 1 }],
	[{ inputMode: 'auto' }, { ...answered, 'E-Mail': 'b' }],
	[{ inputMode: 'auto' }, { ...answered, Topics: 'A, #REF!' }],
	[{ inputMode: 'auto' }, { ...answered, Topics: ['A', NaN] }],
	[skipBy(['Topics']), answered],
	[skipBy(['CV']), answered],
	[skipBy(['Same']), answered],
	[skipBy(['None']), answered],
	[skipBy(['Order']), answered],
	[skipBy(['Order']), { ...answered, Order: '9007199254740993' }],
	[skipBy(' , '), answered],
	[skipBy('={{ null }}'), answered],
	[skipBy([]), answered],
	// several items: by row, by reason
	[json, answered, { ...answered, Size: 'S', row_number: 3 }],
	[
		{ ...json, ...inMode('id'), answersJson: answered },
		...['a/b', 'a/b'].map((form) => ({ form })),
	],
	[
		{ ...json, ...inMode('id'), answersJson: answered },
		{ form: id, row_number: 2 },
		{ form: 'a/b', row_number: '3' },
		{ form: '', row_number: 4 },
		{ form: 'absent', row_number: 5 },
		{ form: 'a/b', row_number: 6 },
	],
];

const skip = { options: { skipUnchanged: true } };

const update: Row[] = [
	[{ settings: {} }],
	[{ settings: { seo_title: '={{ $json.absent }}' } }],
	[{ settings: { seo_title: 'x' }, clear: ['seo_title'] }],
	[{ settings: '={{ 1 }}' }],
	[{ clear: ['name'] }],
	[{ inputMode: 'json', settingsJson: '{}' }],
	[{ inputMode: 'json', settingsJson: '{"is_close": 1, "responses_limit": "1.000"}' }],
	[
		{ inputMode: 'auto', preview: true },
		{ Clsed: 'yes', row_number: 2 },
	],
	[{ inputMode: 'auto' }, { Closed: 'maybe' }],
	[{ inputMode: 'auto' }, { 'Closed: Message': '#N/A' }],
	[{ inputMode: 'auto' }, { Closed: 'yes', is_closed: 'no' }],
	[{ inputMode: 'auto' }, { Slack: 1 }, { Slack: 0 }],
	[{ settings: { seo_title: 'x' }, preview: true, ...gone }],
	[{ settings: { seo_title: 'x' }, ...skip, ...inMode('id') }, { form: id }, { form: 'absent' }],
];

const table: Record<string, Row[]> = {
	'Field: Get Many': [[gone]],
	'Form: Get': [[{ formId: locator('ORDERS') }], [gone]],
	'Response: Get': [
		[{ responseId: locator('={{ "" }}') }],
		[{ responseId: locator('a/b') }],
		[{ responseId: locator('absent') }],
	],
	'Response: Get Many': getMany,
	'Response: Get PDF': [[{ responseId: 'a', binaryPropertyName: ' ' }]],
	'Response: Create': create,
	'Setting: Update': update,
};

/** What the node says, and of which item. Nothing was changed. */
async function describeRefusal(name: string, [parameters, ...items]: Row): Promise<string> {
	service.requests.length = 0;
	const { resource, operation } = operationNamed(name);
	const given = { resource, operation, formId: locator(id), ...parameters } as INodeParameters;
	const input = items.length > 0 ? itemsOf(...items) : undefined;
	const { error, items: output } = await n8n.runNode(given, input);
	const title = [name, ...[parameters, ...items].map((one) => JSON.stringify(one))].join(' ');
	expect(output, title).toEqual([]);
	expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	const { itemIndex } = error!.context as { itemIndex: number };
	const requests = service.requests.map(({ path }) => path).toSorted();
	const texts = [error!.message, error!.description]
		.join('\n')
		.trim()
		.split(/(?:<br>)?\n/);
	const end = `Item ${itemIndex}, after: ${requests.join(', ') || 'no request'}`;
	return [title, ...[...texts, end].map((line) => `\t${line}`)].join('\n');
}

it.each(Object.entries(table))(
	'%s refuses what it cannot use, and says why',
	async (name, rows) => {
		const texts: string[] = [];
		for (const row of rows) texts.push(await describeRefusal(name, row));
		const path = join(import.meta.dirname, 'refusals', `${name.replace(/\W+/g, '')}.txt`);
		await expect(`${texts.join('\n\n')}\n`).toMatchFileSnapshot(path);
	},
);
