import { filter, flatMap, map } from 'lodash';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { workflowNode } from '../../../scripts/lib/n8n/rest.mts';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/built.mts';
import { operationCases } from '../resources/operations.mts';

/** What n8n’s editor makes of the description: subtitles, lists, and the parameters that it shows. */

const { displayParameter, getNodeParameters } = workflow.NodeHelpers;

/** The type of a node, or of its tool: `formServiceTool`. */
function describeType(name: string) {
	return { ...nodeOf(name.replace('Tool', '')).description, name };
}

const createNode = (name: string, parameters: INodeParameters) =>
	workflowNode('Form Service', typeOf(name), { parameters });

/** What the editor keeps of the parameters of a node, with the defaults of all others. */
function keepShown(parameters: INodeParameters, name = 'formService'): INodeParameters {
	const type = describeType(name);
	const node = createNode(name, parameters);
	return getNodeParameters(type.properties, parameters, true, false, node, type)!;
}

const contact = { __rl: true, mode: 'list', value: 'a', cachedResultName: 'Contact' };

it.each<[string, string, object]>([
	['create: response', '', { resource: 'response', operation: 'create' }],
	['Contact: completed', 'Trigger', { events: ['responseCompleted'], formId: contact }],
	['completed, form created', 'Trigger', { events: ['responseCompleted', 'formCreated'] }],
])('The subtitle "%s" is that of formService%s with %j', (expected, kind, parameters) => {
	const name = `formService${kind}`;
	const node = createNode(name, { watch: 'one', ...parameters });
	const given = { id: 'w', nodes: [node], connections: {}, active: false, nodeTypes };
	const { expression } = new workflow.Workflow(given);
	const text = describeType(name).subtitle;
	expect(expression.getSimpleParameterValue(node, text, 'internal', {})).toBe(expected);
});

it.each(['formService', 'formServiceTrigger'])('The lists of %s have their methods', (name) => {
	const { description: own, methods = {} } = nodeOf(name);
	const { listSearch, loadOptions, resourceMapping } = methods;
	const text = JSON.stringify(own.properties);
	const named = [...text.matchAll(/"(?:loadOptions|searchList|resourceMapper)Method":"(\w+)"/g)];
	const names = named.map(([, method]) => method);
	const existing = Object.keys({ ...listSearch, ...loadOptions, ...resourceMapping });
	expect([...new Set(names)].sort()).toEqual(existing.sort());
	// n8n's editor fills a list of fields again once another form is chosen
	const ofFields = names.filter((method) => method.includes('Field'));
	const dependent = text.match(/"loadOptionsDependsOn":\["formId.value"/g);
	expect(dependent ?? []).toHaveLength(ofFields.length);
	// n8n 1.x activates no workflow with a rule that is undefined
	for (const { displayOptions = {} } of own.properties)
		expect(Object.values(displayOptions)).not.toContain(undefined);
});

it('A new node gets the newest 50 responses, simplified', () => {
	const defaults = { returnAll: false, limit: 50, status: 'all', sort: {}, simplify: true };
	expect(keepShown({})).toMatchObject({ resource: 'response', operation: 'getAll', ...defaults });
});

const isOptions = ({ name }: INodeProperties) => name === 'options';

/** The parameters that the panel of a node shows, with the options that can be added. */
function listShown(parameters: INodeParameters, name: string): string[] {
	const type = describeType(name);
	const node = createNode(name, parameters);
	const all = keepShown(parameters, name);
	const listIn = (some: INodeProperties[], values: INodeParameters): string[] =>
		some
			.filter((one) => displayParameter(values, one, node, type, all))
			.map((one) => {
				if (!isOptions(one)) return one.name;
				const given = (all.options ?? {}) as INodeParameters;
				return ['options:', ...listIn(one.options as INodeProperties[], given)].join(' ');
			});
	const ofAll = ['resource', 'operation', 'requestOptions', 'pollTimes', 'events'];
	return listIn(type.properties, all).filter((one) => !ofAll.includes(one));
}

const adding = 'options: allowOtherChoices allowMissingAnswers skipDuplicatesBy';
const filtered = 'filters simplify options: downloadFiles emitExistingSince';
const ofResponses = `${filtered} maxPerPoll nameAnswersBy columns requestsPerDay`;
const ofForms = 'simplify options: maxPerPoll requestsPerDay';

const panels = `
	response getAll | {} | formId returnAll limit status filters simplify options: downloadFiles nameAnswersBy columns sort
	response getAll | {"simplify": false, "returnAll": true} | formId returnAll status filters simplify options: downloadFiles sort
	response getAll Tool | {} | toolDescription formId limit skip status filters output options: downloadFiles sort
	response get | {"options": {"columns": true, "downloadFiles": true}} | formId responseId simplify options: downloadFiles nameAnswersBy columns
	response create | {} | formId inputMode fields ${adding}
	response create | {"inputMode": "json"} | formId inputMode answersJson ${adding}
	response getPdf | {"download": false} | formId responseId download
	response getPdf Tool | {} | toolDescription formId responseId
	setting update | {} | formId inputMode settings clear preview options: skipUnchanged
	setting update | {"inputMode": "auto"} | formId inputMode preview options: skipUnchanged clearText
	form get Tool | {"output": "selectedFields"} | toolDescription formId output outputFields
	field getAll | {} | formId returnAll limit
	Trigger | {} | watch formId requestsNotice ${ofResponses}
	Trigger | {"watch": "several"} | watch formIds requestsNotice ${ofResponses}
	Trigger | {"watch": "all"} | watch exceptFormIds requestsNotice ${ofResponses}
	Trigger | {"simplify": false} | watch formId requestsNotice ${filtered} maxPerPoll requestsPerDay
	Trigger | {"events": ["responseAbandoned"]} | abandonedAfterHours watch formId requestsNotice ${ofResponses}
	Trigger | {"events": ["responseUpdated", "formUpdated"]} | watch formId requestsNotice ${ofResponses}
	Trigger | {"events": ["formUpdated"]} | watch formId ${ofForms}
	Trigger | {"events": ["formCreated"], "watch": "several"} | exceptFormIds ${ofForms}
	Trigger | {"options": {"requestsPerDay": 100}} | watch formId ${ofResponses}`;

it.each(panels.trim().split('\n'))('The panel shows only what has an effect: %s', (line) => {
	const [ids, given, shown] = line.trim().split(' | ');
	const [resource, operation, ...kind] = ids === 'Trigger' ? ['', '', ids] : ids.split(' ');
	const events = ['responseCompleted'];
	const parameters = { resource, operation, events, ...(JSON.parse(given) as INodeParameters) };
	expect(listShown(parameters, `formService${kind.join('')}`).join(' ')).toBe(shown);
});

it('A switch that is added to the options is on, since it is off without it', () => {
	const options = operationCases.flatMap(({ properties }) => properties.filter(isOptions));
	const switches = filter(flatMap(options, 'options'), { type: 'boolean' });
	expect(map(switches, 'default')).toEqual(switches.map(() => true));
});
