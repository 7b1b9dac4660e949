import { Workflow, type INode, type INodeTypes, type IPollFunctions } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	keepStates,
	readSavedState,
	readTriggerId,
	writeSavedState,
} from '../../../nodes/FormService/trigger/staticData.ts';
import { DAY_MS } from '../../time.mts';

const NOW_MS = Date.UTC(2026, 10, 28);

it.each<[string, string[] | undefined, number, boolean]>([
	['another trigger', ['1', 'other'], 90, true],
	['a trigger that was deleted 29 days ago', ['1'], 29, true],
	['a trigger that was deleted 31 days ago', ['1'], 31, false],
	['a trigger of which n8n does not say whether it exists', undefined, 90, true],
])('Whether the state of %s is kept', (_text, nodeIds, days, isKept) => {
	const states = { other: { revision: NOW_MS - days * DAY_MS } };
	expect(keepStates(states, nodeIds, NOW_MS)).toEqual(isKept ? states : {});
});

/** The context of each node's poll, in a workflow with nodes of these IDs. */
function createContexts(ids: string[]): IPollFunctions[] {
	const nodes = ids.map((id, index): INode => {
		const node = { type: 'node', typeVersion: 1, position: [0, 0], parameters: {} } as const;
		return { ...node, position: [0, 0], id, name: `Trigger ${index}` };
	});
	const nodeTypes = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;
	const workflow = new Workflow({ id: '1', nodes, connections: {}, active: true, nodeTypes });
	return nodes.map((node) => {
		const getWorkflowStaticData = (type: string) => workflow.getStaticData(type, node);
		return { workflow, getNode: () => node, getWorkflowStaticData } as unknown as IPollFunctions;
	});
}

it.each([
	['with IDs of their own', ['a', 'b']],
	['with one ID', ['a', 'a']],
])('Triggers of one workflow %s have states of their own', (_text, ids) => {
	const contexts = createContexts(ids);
	const states = contexts.map((_context, revision) => ({ revision }));
	for (const [index, context] of contexts.entries()) writeSavedState(context, states[index], 1);
	expect(contexts.map(readSavedState)).toEqual(states);
	expect(new Set(contexts.map((context) => readTriggerId(context))).size).toBe(2);
});

it('A trigger goes on with its state of the default mode when the mode becomes durable', () => {
	const [context] = createContexts(['a']);
	const state = { revision: 1 };
	writeSavedState(context, state, 1);
	// in durable mode, n8n passes a copy of the static data of the node
	const getWorkflowStaticData = (type: string) =>
		type === 'node' ? {} : context.getWorkflowStaticData(type);
	expect(readSavedState({ ...context, getWorkflowStaticData })).toEqual(state);
});
