import type { INode, INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const type = typeOf('formService');
const { description } = nodeOf(type);
const chosen = (value: string, cachedResultName?: string) =>
	({ __rl: true, mode: 'list', value, cachedResultName }) as unknown as INodeParameters;

const nodeWith = (parameters: INodeParameters): INode => ({
	id: 'node-1',
	name: 'Form Service',
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters,
});

/** What the editor shows under the node's name. */
function subtitle(parameters: INodeParameters): unknown {
	const node = nodeWith(parameters);
	const settings = { id: 'w', nodes: [node], connections: {}, active: false, nodeTypes };
	const { expression } = new workflow.Workflow(settings);
	const text = description.subtitle;
	return expression.getSimpleParameterValue(node, text, 'internal', {}, undefined, 'unknown');
}

/** The parameters that the panel shows. */
function shown(parameters: INodeParameters): string[] {
	const { getNodeParameters, displayParameter } = workflow.NodeHelpers;
	const node = nodeWith(parameters);
	const { properties } = description;
	const all = getNodeParameters(properties, parameters, true, false, node, description)!;
	return properties
		.filter((property) => displayParameter(all, property, node, description))
		.map(({ name }) => name)
		.filter((name) => !['resource', 'operation', 'requestOptions'].includes(name));
}

describe('the subtitle of the node', () => {
	it.each<[string, INodeParameters]>([
		[
			'Contact: Create response',
			{ resource: 'response', operation: 'create', formId: chosen('aB3xY9', 'Contact') },
		],
		['Get forms', { resource: 'form', operation: 'getAll' }],
		['Get PDF: response', { resource: 'response', operation: 'getPdf' }],
		[
			'Update settings',
			{ resource: 'settings', operation: 'update', formId: locator('={{ $json.id }}') },
		],
	])('is "%s"', (expected, parameters) => {
		expect(subtitle(parameters)).toBe(expected);
	});
});

describe('the panel of the node', () => {
	it('shows nothing below Form that depends on it before a form is chosen', () => {
		const create = { resource: 'response', operation: 'create' };
		const get = { resource: 'response', operation: 'get' };
		expect(shown({ ...create, formId: chosen('') })).toEqual(['noEmailNotice', 'formId']);
		const answers = ['inputMode', 'fields', 'options'];
		expect(shown({ ...create, formId: chosen('aB3xY9') })).toEqual([
			'noEmailNotice',
			'formId',
			...answers,
		]);
		expect(shown({ ...get, formId: chosen('') })).not.toContain('responseId');
		expect(shown({ ...get, formId: chosen('aB3xY9') })).toContain('responseId');
		expect(shown({ ...get, formId: locator('={{ $json.id }}') })).toContain('responseId');
	});

	it('lists the responses of the chosen form for Get PDF, also of one that is given by its URL', async () => {
		const search = async (formId: INodeParameters) =>
			await n8n.callMethod<INodeListSearchResult>('listSearch', 'searchResponses', {
				resource: 'response',
				operation: 'getPdf',
				formId,
			});
		const { results } = await search(locator(demoForms.contact));
		expect(results.length).toBeGreaterThan(0);
		const byUrl = { ...locator(`https://forms.example.com/f/${demoForms.contact}`), mode: 'url' };
		expect((await search(byUrl)).results).toEqual(results);
		const [{ value }] = results;
		const getPdf = { resource: 'response', operation: 'getPdf', responseId: chosen(String(value)) };
		const { items } = await n8n.runNode({ ...getPdf, formId: locator(demoForms.contact) });
		expect(items[0].json).toMatchObject({ uuid: value });
	});

	it('needs no form for Get PDF with the ID of a response', async () => {
		const [{ uuid }] = service.store.responses(demoForms.contact);
		const getPdf = { resource: 'response', operation: 'getPdf', responseId: locator(uuid) };
		const { items, error } = await n8n.runNode(getPdf);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ uuid });
	});
});
