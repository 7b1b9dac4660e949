import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';
import { operationCases } from '../resources/operations.mts';
import { placesIn } from '../resources/parameters.mts';

/** What n8n’s editor makes of the description: subtitles, lists, and the parameters that it shows. */

const { description } = nodeOf('formService');

const choose = (value: string, cachedResultName?: string) =>
	({ __rl: true, mode: 'list', value, cachedResultName }) as unknown as INodeParameters;

/** A workflow with one node, and what evaluates its expressions. */
function createNode(parameters: INodeParameters, name = 'formService') {
	const place = { id: 'node-1', name: 'Form Service', position: [0, 0] as [number, number] };
	const node: INode = { ...place, type: typeOf(name), typeVersion: 1, parameters };
	const settings = { id: 'w', nodes: [node], connections: {}, active: false, nodeTypes };
	return { node, expression: new workflow.Workflow(settings).expression };
}

const contact = choose('a', 'Contact');
const events = ['responseStarted', 'responseAbandoned'];

it.each<[string, INodeParameters]>([
	['create: response', { resource: 'response', operation: 'create', formId: contact }],
	['Contact: completed', { events: ['responseCompleted'], formId: contact }],
	['started, abandoned', { watch: 'several', formIds: ['a', 'b'], events }],
	['completed, form created', { events: ['responseCompleted', 'formCreated'] }],
])('The subtitle of a node can be "%s"', (expected, parameters) => {
	const name = 'events' in parameters ? 'formServiceTrigger' : 'formService';
	const { node, expression } = createNode({ watch: 'one', ...parameters }, name);
	const text = nodeOf(name).description.subtitle;
	expect(expression.getSimpleParameterValue(node, text, 'internal', {})).toBe(expected);
});

it.each(['formService', 'formServiceTrigger'])('The lists of %s have their methods', (name) => {
	const { description: own, methods = {} } = nodeOf(name);
	const { listSearch, loadOptions, resourceMapping } = methods;
	const text = JSON.stringify(own.properties);
	const named = [...text.matchAll(/"(?:loadOptions|searchList|resourceMapper)Method":"(\w+)"/g)];
	const existing = Object.keys({ ...listSearch, ...loadOptions, ...resourceMapping });
	expect([...new Set(named.map(([, method]) => method))].sort()).toEqual(existing.sort());
	expect(text.match(/"searchListMethod":"\w+"(?!,"searchable":true)/)).toBeNull();
	for (const { displayOptions = {} } of own.properties) {
		// n8n 1.x activates no workflow with a rule that is undefined
		expect(Object.values(displayOptions)).not.toContain(undefined);
	}
	for (const { property } of placesIn(own.properties)) {
		const { resourceMapper, loadOptionsMethod, loadOptionsDependsOn } = property.typeOptions ?? {};
		if ((resourceMapper ?? loadOptionsMethod) === undefined || loadOptionsMethod === 'getForms')
			continue;
		// n8n's editor fills them again once another form is chosen
		expect(loadOptionsDependsOn).toContain('formId.value');
	}
});

const { displayParameter, getNodeParameters } = workflow.NodeHelpers;

/** The parameters of a node that has these, and its defaults for all others. */
function fillIn(parameters: INodeParameters, type = description): INodeParameters {
	const { node } = createNode(parameters);
	return getNodeParameters(description.properties, parameters, true, false, node, type)!;
}

const isOptions = ({ name }: INodeProperties) => name === 'options';

/** The parameters that the panel of a node shows, with the options that can be added. */
function listShown(parameters: INodeParameters, tool = ''): string[] {
	const { node } = createNode(parameters);
	const type = { ...description, name: description.name + tool };
	const all = fillIn(parameters, type);
	const listIn = (some: INodeProperties[], values: INodeParameters): string[] =>
		some
			.filter((one) => displayParameter(values, one, node, type, all))
			.map((one) => {
				if (!isOptions(one)) return one.name;
				const given = (all.options ?? {}) as INodeParameters;
				return ['options:', ...listIn(one.options as INodeProperties[], given)].join(' ');
			});
	return listIn(description.properties, all).filter(
		(one) => !['resource', 'operation', 'requestOptions'].includes(one),
	);
}

it('A new node gets the newest 50 responses, simplified', () => {
	expect(description).toMatchObject({
		usableAsTool: { replacements: { description: expect.stringContaining('agent') } },
		defaults: { name: 'Form Service' },
	});
	const defaults = { returnAll: false, limit: 50, status: 'all', sort: {}, simplify: true };
	expect(fillIn({})).toMatchObject({ resource: 'response', operation: 'getAll', ...defaults });
	expect(fillIn({ resource: 'form' })).toMatchObject({ operation: 'getAll' });
});

describe('The panel of the node', () => {
	const adding = 'options: allowOtherChoices allowMissingAnswers skipDuplicatesBy';
	const panels = `
		response getAll | {} | formId returnAll limit status filters simplify options: downloadFiles nameAnswersBy columns sort
		response getAll | {"simplify": false, "returnAll": true} | formId returnAll status filters simplify options: downloadFiles sort
		response getAll Tool | {} | toolDescription formId limit skip status filters output options: downloadFiles sort
		response get | {"options": {"columns": true, "downloadFiles": true}} | formId responseId simplify options: downloadFiles nameAnswersBy columns
		response create | {"inputMode": "auto"} | formId inputMode fields ${adding}
		response create | {} | formId inputMode fields choicesNotice ${adding}
		response create | {"inputMode": "json"} | formId inputMode fields answersJson ${adding}
		response getPdf | {} | formId responseId download binaryPropertyName
		response getPdf | {"download": false} | formId responseId download
		response getPdf Tool | {} | toolDescription formId responseId
		setting update | {} | formId inputMode settings clear preview options: skipUnchanged
		setting update | {"inputMode": "auto"} | formId inputMode columnsNotice preview options: skipUnchanged clearText
		setting update | {"inputMode": "json"} | formId inputMode settingsJson preview options: skipUnchanged
		form get | {"simplify": false} | formId simplify
		form get Tool | {"output": "selectedFields"} | toolDescription formId output outputFields
		field getAll | {} | formId returnAll limit`;

	it.each(panels.trim().split('\n'))('shows only what has an effect: %s', (line) => {
		const [operation, given, shown] = line.trim().split(' | ');
		const [resource, name, tool] = operation.split(' ');
		const parameters = { resource, operation: name, ...(JSON.parse(given) as INodeParameters) };
		expect(listShown(parameters, tool).join(' ')).toBe(shown);
	});

	it('turns a switch on that is added to the options, since the switch is off without it', () => {
		const options = operationCases.flatMap(
			({ properties }) => properties.find(isOptions)?.options ?? [],
		);
		const switches = (options as INodeProperties[]).filter(({ type }) => type === 'boolean');
		for (const { name, default: value } of switches) expect([name, value]).toEqual([name, true]);
	});
});
