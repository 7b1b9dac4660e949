import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mts';
import { withBothEngines } from '../checked/bothEngines.mts';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { workflow } from '../n8n/core.mts';
import { credentialType, nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';
import { inputFor, operationCases, operationNamed } from '../tables/operations.mts';
import { placesIn } from '../tables/parameters.mts';
import { running } from '../world.mts';

/** What n8n and people learn from the description of the node: requests, subtitle, panel and output. */

const { service, n8n } = await running();
const { description } = nodeOf('formService');

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

it.each(operationCases)('The declared request of $name is sent', async ({ parameters }) => {
	await expectToBeSent(parameters);
});

// the base URL and the status are the only expressions in what is declared
withBothEngines('The declared request of Response: Get Many', () => {
	it.each(['complete', 'incomplete'])('reads %s responses', async (status) => {
		const { parameters } = operationNamed('Response: Get Many');
		await expectToBeSent({ ...parameters, status });
	});
});

const choose = (value: string, cachedResultName?: string) =>
	({ __rl: true, mode: 'list', value, cachedResultName }) as unknown as INodeParameters;

/** A workflow with one node, and what evaluates its expressions. */
function createNode(parameters: INodeParameters, name = 'formService') {
	const place = { id: 'node-1', name: 'Form Service', position: [0, 0] as [number, number] };
	const node: INode = { ...place, type: typeOf(name), typeVersion: 1, parameters };
	const settings = { id: 'w', nodes: [node], connections: {}, active: false, nodeTypes };
	return { node, expression: new workflow.Workflow(settings).expression };
}

const [contact, survey] = [choose('a', 'Contact'), choose('b', 'Customer Satisfaction Survey')];
const events = ['responseStarted', 'responseAbandoned'];

it.each<[string, INodeParameters]>([
	['Contact: Create response', { resource: 'response', operation: 'create', formId: contact }],
	['Get forms', { resource: 'form', operation: 'getAll' }],
	['Get PDF: response', { resource: 'response', operation: 'getPdf' }],
	['Update settings', { resource: 'settings', operation: 'update', formId: choose('={{ 1 }}') }],
	['Contact: completed', { events: ['responseCompleted'], formId: contact }],
	['Customer Satis…: completed', { events: ['responseCompleted'], formId: survey }],
	['On completed', { events: ['responseCompleted'] }],
	['2 forms: started, abandoned', { watch: 'several', formIds: ['a', 'b'], events }],
	['All forms: form created', { watch: 'all', events: ['formCreated'], formId: contact }],
	['All forms: form created', { events: ['formCreated'] }],
])('The subtitle of a node can be "%s"', (expected, parameters) => {
	const name = 'events' in parameters ? 'formServiceTrigger' : 'formService';
	const { node, expression } = createNode({ watch: 'one', ...parameters }, name);
	const text = nodeOf(name).description.subtitle;
	expect(expression.getSimpleParameterValue(node, text, 'internal', {})).toBe(expected);
});

it.each([
	['create', 721, true],
	['create', 720, false],
	['get', 721, false],
])('The output of %s hints at the limit of the day for %i items: %s', async (...given) => {
	const [operation, count, is] = given;
	const { node, expression } = createNode({ resource: 'response', operation });
	const hint = description.hints!.find(({ message }) => /requests per day/.test(message))!;
	const [shown, items] = [hint.displayCondition!, Array(count).fill({ json: {} })];
	const evaluate = async () =>
		expression.getParameterValue(shown, null, 0, 0, node.name, items, 'manual', {});
	expect(await expression.withIsolate(evaluate)).toBe(is);
});

function listShown(parameters: INodeParameters): string[] {
	const { getNodeParameters, displayParameter } = workflow.NodeHelpers;
	const { node } = createNode(parameters);
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

	it.each(operationCases)('follows n8n’s guidelines for $name', (operationCase) => {
		const { resource, operation, action, properties } = operationCase;
		expect(action).toMatch(/^[A-Z][a-z]+( [a-z]+| PDF)+$/);
		expect(action).not.toMatch(/ (an?|the) /);
		const shown = properties.map(({ name }) => name);
		const isList = operation === 'getAll';
		expect([shown.includes('returnAll'), shown.includes('limit')]).toEqual([isList, isList]);
		const preview = readPreview(`v1.0.0/${resource}/${operation}.json`);
		if (Object.keys(preview.properties!).length > 10) expect(shown).toContain('simplify');
	});
});

it('Texts call parameters what the editor calls them', () => {
	const { properties: ofTrigger } = nodeOf('formServiceTrigger').description;
	const all = [description.properties, ofTrigger, credentialType.properties];
	const parameters = all.flatMap((some) => placesIn(some)).map(({ property }) => property);
	const options = parameters.flatMap(({ options = [], modes = [] }) => [...options, ...modes]);
	const labels = [...parameters, ...options].map((one) =>
		'displayName' in one ? one.displayName : one.name,
	);
	const ofN8n = ['Fetch Test Event', 'Poll Times', 'Timeout', 'On Error'];
	const known = new Set<unknown>([...labels, ...ofN8n]);
	const sources = globSync(['nodes/**/*.ts', 'credentials/*.ts'], { cwd: root });
	const texts = sources.map((path) => readFileSync(join(root, path), 'utf8'));
	// a name in single quotes within a sentence
	const NAME = /(?<=\w )'([A-Z][\w():-]*(?: [\w():-]+)*)'(?=[ .,)])/g;
	const quoted = texts.flatMap((text) => [...text.matchAll(NAME)].map(([, name]) => name));
	expect(quoted.length).toBeGreaterThan(10);
	expect(quoted.filter((name) => !known.has(name))).toEqual([]);
});

type Schema = { type: string; properties?: Record<string, Schema>; items?: Schema };

/** The preview that n8n shows as the output of a node; the path is below __schema__. */
function readPreview(path: string): Schema {
	const file = join(root, 'nodes/FormService/__schema__', path);
	return JSON.parse(readFileSync(file, 'utf8')) as Schema;
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
