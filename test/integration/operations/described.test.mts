import { readFileSync } from 'node:fs';
import type { IDataObject, INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { withBothEngines } from '../checked/bothEngines.mts';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases, operationNamed } from '../tables/operations.mts';
import { running } from '../world.mts';

/** What n8n and people learn from the description of the node: requests, subtitle, panel and output. */

const { service, n8n } = await running();
const type = typeOf('formService');
const { description } = nodeOf(type);

describe('The request that is declared', () => {
	const { runNode } = n8nFor({ accessToken: service.token, baseUrl: `${service.url}/api/v1//` });

	/** What the service receives at last. */
	async function sendLast(parameters: INodeParameters) {
		const [, { json }] = inputFor(service);
		service.requests.length = 0;
		await runNode(parameters, itemsOf({ ...json, responseId: ` ${String(json.responseId)} ` }));
		const { method, path, query, headers, body } = service.requests.at(-1)!;
		return { method, path, query, headers, body };
	}

	async function expectToBeSent(parameters: INodeParameters) {
		const sent = await sendLast(parameters);
		// without the pagination function, n8n itself sends what is declared
		const { requestOperations } = description;
		delete description.requestOperations;
		const declared = await sendLast(parameters).finally(() => {
			description.requestOperations = requestOperations;
		});
		expect(declared).toEqual(sent);
		expect(declared.headers).toMatchObject({ accept: 'application/json' });
	}

	it.each(operationCases)('by $name is the one that is sent', async ({ parameters }) => {
		await expectToBeSent(parameters);
	});

	// the base URL and the status are the only expressions in what is declared
	withBothEngines('by Response: Get Many', () => {
		it.each(['complete', 'incomplete'])('reads %s responses', async (status) => {
			const { parameters } = operationNamed('Response: Get Many');
			await expectToBeSent({ ...parameters, status });
		});
	});
});

const choose = (value: string, cachedResultName?: string) =>
	({ __rl: true, mode: 'list', value, cachedResultName }) as unknown as INodeParameters;

const nodeWith = (parameters: INodeParameters): INode => ({
	...{ id: 'node-1', name: 'Form Service', type, typeVersion: 1, position: [0, 0], parameters },
});

it.each<[string, INodeParameters]>([
	[
		'Contact: Create response',
		{ resource: 'response', operation: 'create', formId: choose('aB3xY9', 'Contact') },
	],
	['Get forms', { resource: 'form', operation: 'getAll' }],
	['Get PDF: response', { resource: 'response', operation: 'getPdf' }],
	[
		'Update settings',
		{ resource: 'settings', operation: 'update', formId: locator('={{ $json.id }}') },
	],
])('The subtitle of the node can be "%s"', (expected, parameters) => {
	const node = nodeWith(parameters);
	const settings = { id: 'w', nodes: [node], connections: {}, active: false, nodeTypes };
	const { expression } = new workflow.Workflow(settings);
	const text = description.subtitle;
	expect(expression.getSimpleParameterValue(node, text, 'internal', {})).toBe(expected);
});

it.each([
	['create', 721, true],
	['create', 720, false],
	['get', 721, false],
])(
	'The output of %s hints at the limit of the day for %i items: %s',
	async (operation, count, is) => {
		const node = nodeWith({ resource: 'response', operation });
		const settings = { id: 'w', nodes: [node], connections: {}, active: false, nodeTypes };
		const { expression } = new workflow.Workflow(settings);
		const hint = description.hints!.find(({ message }) => /requests per day/.test(message));
		const shown = hint!.displayCondition!;
		const items = Array.from({ length: count }, () => ({ json: {} }));
		const evaluate = async () =>
			expression.getParameterValue(shown, null, 0, 0, node.name, items, 'manual', {});
		expect(await expression.withIsolate(evaluate)).toBe(is);
	},
);

/** The parameters that the panel shows. */
function listShown(parameters: INodeParameters): string[] {
	const { getNodeParameters, displayParameter } = workflow.NodeHelpers;
	const node = nodeWith(parameters);
	const { properties } = description;
	const all = getNodeParameters(properties, parameters, true, false, node, description)!;
	return properties
		.filter((property) => displayParameter(all, property, node, description))
		.map(({ name }) => name)
		.filter((name) => !['resource', 'operation', 'requestOptions'].includes(name));
}

const isOptions = ({ name }: INodeProperties) => name === 'options';

describe('The panel of the node', () => {
	it('shows nothing below Form that depends on it before a form is chosen', () => {
		const create = { resource: 'response', operation: 'create' };
		const get = { resource: 'response', operation: 'get' };
		const before = ['noEmailNotice', 'formId'];
		const answers = ['inputMode', 'fields', 'options'];
		expect(listShown({ ...create, formId: choose('') })).toEqual(before);
		expect(listShown({ ...create, formId: choose('aB3xY9') })).toEqual([...before, ...answers]);
		expect(listShown({ ...get, formId: choose('') })).not.toContain('responseId');
		expect(listShown({ ...get, formId: choose('aB3xY9') })).toContain('responseId');
		expect(listShown({ ...get, formId: locator('={{ $json.id }}') })).toContain('responseId');
	});

	it.each(operationCases.filter(({ properties }) => properties.some(isOptions)))(
		'shows Options last for $name',
		({ properties }) => expect(properties.findIndex(isOptions)).toBe(properties.length - 1),
	);
});

type Schema = { type: string; properties?: Record<string, Schema>; items?: Schema };

/** The preview that n8n shows as the output of a node; the path is below __schema__. */
function readPreview(path: string): Schema {
	const folder = new URL('../../../nodes/FormService/__schema__/', import.meta.url);
	return JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as Schema;
}

describe('The output preview', () => {
	it.each(operationCases)('of $name shows what the operation gives', async (operationCase) => {
		const { resource, operation, parameters } = operationCase;
		const schema = readPreview(`v1.0.0/${resource}/${operation}.json`);
		const [input] = inputFor(service);
		const { items, error } = await n8n.runNode(parameters, [input]);
		expect(error).toBeUndefined();
		expectToFit(items[0].json, schema, resource);
	});

	it('of the trigger shows what "Fetch test event" gives', async () => {
		const { items } = await n8n.runPoll(
			{ formId: locator(demoForms.contact), events: ['responseCompleted'] },
			{ mode: 'manual' },
		);
		const schema = readPreview('v1.0.0.json');
		expectToFit(items![0].json, schema, 'trigger');
		expect(Object.keys(schema.properties!)).toEqual(Object.keys(items![0].json));
	});
});

/** Every property of the preview is there, with its type or null. */
function expectToFit(value: unknown, schema: Schema, path: string): void {
	if (value === null) return;
	const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
	expect(type, path).toBe(schema.type);
	if (Array.isArray(value)) {
		for (const [index, entry] of value.entries())
			expectToFit(entry, schema.items!, `${path}[${index}]`);
	}
	for (const [name, property] of Object.entries(schema.properties ?? {})) {
		expect(value, path).toHaveProperty(name);
		expectToFit((value as IDataObject)[name], property, `${path}.${name}`);
	}
}
