import type { INode, INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';
import { running } from '../world.mts';

/** What people see of a node before it runs: its subtitle and its panel. */

const { n8n } = await running();
const type = typeOf('formService');
const { description } = nodeOf(type);
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

	it('shows Filters and Sort of Get Many before a form is chosen, with Sort at the end', () => {
		const getMany = { resource: 'response', operation: 'getAll', formId: choose('') };
		const shown = listShown(getMany);
		expect(shown).toContain('filters');
		expect(shown.slice(-2)).toEqual(['options', 'sort']);
	});

	it('lists the responses of the form for Get PDF, also of a form that is given by its URL', async () => {
		const search = async (formId: INodeParameters) =>
			await n8n.callMethod<INodeListSearchResult>('listSearch', 'searchResponses', {
				...{ resource: 'response', operation: 'getPdf', formId },
			});
		const { results } = await search(locator(demoForms.contact));
		expect(results).toHaveLength(2);
		const url = `https://forms.example.com/f/${demoForms.contact}`;
		expect((await search({ ...locator(url), mode: 'url' })).results).toEqual(results);
	});
});
