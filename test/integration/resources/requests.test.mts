import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../world.mts';
import { operationCases } from './operations.mts';

/** What each operation sends for its items: method, path, query and body, in this order. */

const { service, n8n } = await running();
const { contact, survey } = demoForms;
const [name] = service.store.fields(contact).map(({ uuid }) => uuid);
const [{ uuid: first }, { uuid: second }] = service.store.responses(contact);

const formId = locator('={{ $json.form }}');
const forForm = { formId: locator(contact) };
const skip = { skipUnchanged: true };
const create = { ...forForm, inputMode: 'json', options: { allowMissingAnswers: true } };
const update = { formId, inputMode: 'auto' };
const fields = `GET /forms/${contact}/fields`;
const responses = `GET /responses/${contact}`;

type Row = [operation: string, parameters: object, items: IDataObject[], requests: string[]];

const TABLE: Row[] = [
	['Field: Get Many', forForm, [{}, {}], [fields]],
	['Form: Get', forForm, [{}, {}], ['GET /forms']],
	['Form: Get Many', {}, [{}, {}], ['GET /forms']],
	[
		'Response: Create',
		{ ...create, answersJson: '={{ $json }}' },
		[{ Name: 'Ada' }, { [name]: 'Bob' }],
		[
			fields,
			`POST /forms/${contact}/response {"data":{"${name}":"Ada"}}`,
			`POST /forms/${contact}/response {"data":{"${name}":"Bob"}}`,
		],
	],
	[
		'Response: Create',
		{
			...create,
			answersJson: '={{ $json }}',
			options: { ...create.options, skipDuplicatesBy: [name] },
		},
		[{ Name: 'Cleo' }, { Name: 'Cleo' }],
		[
			fields,
			`${responses}?incomplete=false`,
			`POST /forms/${contact}/response {"data":{"${name}":"Cleo"}}`,
		],
	],
	[
		'Response: Get',
		{ ...forForm, responseId: '={{ $json.uuid }}' },
		[{ uuid: first }, { uuid: second }],
		[responses],
	],
	['Response: Get Many', forForm, [{}, {}], [responses]],
	[
		'Response: Get Many',
		{ ...forForm, status: 'complete' },
		[{}],
		[`${responses}?incomplete=false`],
	],
	['Response: Get Many', { ...forForm, options: { columns: true } }, [{}, {}], [fields, responses]],
	[
		'Response: Get PDF',
		{ responseId: '={{ $json.uuid }}', download: false },
		[{ uuid: first }, { uuid: second }],
		[`GET /response/${first}/pdf`, `GET /response/${second}/pdf`],
	],
	[
		'Setting: Update',
		update,
		[contact, survey, contact].map((form, index) => ({ form, seo_title: `${index}` })),
		[
			`POST /forms/${contact}/settings {"seo_title":"0"}`,
			`POST /forms/${survey}/settings {"seo_title":"1"}`,
			`POST /forms/${contact}/settings {"seo_title":"2"}`,
		],
	],
	[
		'Setting: Update',
		{ ...update, options: skip },
		['same', 'same', 'other'].map((cta_label) => ({ form: contact, cta_label })),
		[
			'GET /forms',
			`POST /forms/${contact}/settings {"cta_label":"same"}`,
			`POST /forms/${contact}/settings {"cta_label":"other"}`,
		],
	],
	[
		'Setting: Update',
		{ ...update, preview: true },
		[contact, survey].map((form) => ({ form, Closed: 'yes' })),
		['GET /forms'],
	],
	['Workspace: Get', {}, [{}, {}], ['GET /workspace']],
];

it.each(operationCases)('$name has a row in the table of requests', ({ name: operation }) => {
	expect(TABLE.map(([inTable]) => inTable)).toContain(operation);
});

it.each(TABLE)('%s with %j sends these requests for the items %j', async (...row) => {
	const [operationName, parameters, items, requests] = row;
	const { resource, operation } = operationCases.find((one) => one.name === operationName)!;
	const given = { resource, operation, ...parameters } as INodeParameters;
	const { error } = await n8n.runNode(given, itemsOf(...items));
	expect(error).toBeUndefined();
	const sent = service.requests.map(({ method, path, query, body }) => {
		const search = new URLSearchParams(query as Record<string, string>).toString();
		const address = search === '' ? path : `${path}?${search}`;
		return body === undefined
			? `${method} ${address}`
			: `${method} ${address} ${JSON.stringify(body)}`;
	});
	// reads of one item can be sent side by side
	const reads = (texts: string[]) => texts.filter((text) => text.startsWith('GET')).toSorted();
	const writes = (texts: string[]) => texts.filter((text) => text.startsWith('POST'));
	expect([reads(sent), writes(sent)]).toEqual([reads(requests), writes(requests)]);
});
