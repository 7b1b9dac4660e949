import type { INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { workflow } from '../n8n/core.mts';
import { nodeOf, nodeTypes, typeOf } from '../n8n/package.mts';

const type = typeOf('formServiceTrigger');

/** What the editor shows under the trigger's name. */
function readSubtitle(parameters: INodeParameters): unknown {
	const place = { id: 'node-1', name: 'Trigger', position: [0, 0] as [number, number] };
	const node = { ...place, type, typeVersion: 1, parameters };
	const nodes = { nodes: [node], connections: {}, active: false, nodeTypes };
	const { expression } = new workflow.Workflow({ id: 'workflow', ...nodes });
	const text = nodeOf(type).description.subtitle;
	return expression.getSimpleParameterValue(node, text, 'internal', {}, undefined, 'unknown');
}

const choose = (cachedResultName: string) => ({
	formId: { __rl: true, mode: 'list', value: 'aB3xY9', cachedResultName },
});

it.each<[string, INodeParameters]>([
	['Contact: completed', choose('Contact')],
	['Customer Satis…: completed', choose('Customer Satisfaction Survey')],
	['On completed', {}],
	[
		'2 forms: started, abandoned',
		{ events: ['responseStarted', 'responseAbandoned'], watch: 'several', formIds: ['a', 'b'] },
	],
	['All forms: form created', { events: ['formCreated'], watch: 'all', ...choose('Contact') }],
	['All forms: form created', { events: ['formCreated'] }],
])('The subtitle says "%s"', (expected, parameters) => {
	const given = { watch: 'one', events: ['responseCompleted'], ...parameters };
	expect(readSubtitle(given)).toBe(expected);
});
