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
	['On response completed: Contact', { events: ['responseCompleted'], formId: chosen }],
	['On response completed', { events: ['responseCompleted'] }],
	[
		'On response started or response abandoned: 2 forms',
		{ events: ['responseStarted', 'responseAbandoned'], watch: 'several', formIds: ['a', 'b'] },
	],
	['On form created: all forms', { events: ['formCreated'], watch: 'all', formId: chosen }],
])('The subtitle says "%s"', (expected, parameters) => {
	expect(subtitle({ watch: 'one', ...parameters })).toBe(expected);
});
