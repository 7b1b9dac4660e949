import type { INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';

const type = typeOf('formServiceTrigger');

/** What the editor shows under the trigger's name. */
function subtitle(parameters: INodeParameters): unknown {
	const node = {
		id: 'node-1',
		name: 'Trigger',
		type,
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters,
	};
	const { expression } = new workflow.Workflow({
		id: 'workflow',
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes,
	});
	const text = nodeOf(type).description.subtitle;
	return expression.getSimpleParameterValue(node, text, 'internal', {}, undefined, 'unknown');
}

const chosen = { __rl: true, mode: 'list', value: 'aB3xY9', cachedResultName: 'Contact' };

it.each<[string, INodeParameters]>([
	['Contact: completed', { events: ['responseCompleted'], formId: chosen }],
	[
		'Customer Satis…: completed',
		{
			events: ['responseCompleted'],
			formId: { ...chosen, cachedResultName: 'Customer Satisfaction Survey' },
		},
	],
	['On completed', { events: ['responseCompleted'] }],
	[
		'2 forms: started, abandoned',
		{ events: ['responseStarted', 'responseAbandoned'], watch: 'several', formIds: ['a', 'b'] },
	],
	['All forms: form created', { events: ['formCreated'], watch: 'all', formId: chosen }],
	['All forms: form created', { events: ['formCreated'] }],
])('The subtitle says "%s"', (expected, parameters) => {
	expect(subtitle({ watch: 'one', ...parameters })).toBe(expected);
});
