import { Workflow, type INode, type INodeTypes, type IPollFunctions } from 'n8n-workflow';
import { expect, it } from 'vitest';
import {
	findEntryWithNewId,
	putState,
	readSavedState,
	readTriggerNode,
	writeSavedState,
} from '../../../nodes/FormService/trigger/staticData.ts';
import { DAY_MS } from '../../time.mts';

const NOW_MS = Date.UTC(2026, 10, 28);

const createEntry = (name: string, otherIds: string[], revision = NOW_MS) => ({
	name,
	otherIds,
	state: { revision },
});

it.each<[string, string[], string[] | undefined, boolean]>([
	['all nodes have new IDs', ['a', 'b'], ['c', 'd'], true],
	['the workflow has no other nodes', [], [], true],
	['n8n does not say the IDs of other nodes', ['a', 'b'], undefined, true],
	['another node has kept its ID', ['a', 'b'], ['c', 'b'], false],
	['the trigger with the old ID has another name now', ['a', 'b'], ['old', 'c'], false],
])('If %s, a trigger with a new ID and an old name', (_text, before, otherIds, continues) => {
	const entries = { old: createEntry('Trigger', before) };
	const found = findEntryWithNewId(entries, { id: 'new', name: 'Trigger', otherIds });
	expect(found).toBe(continues ? entries.old : undefined);
});

it.each<[string, string, string[] | undefined, number, boolean]>([
	['another trigger', 'Another', ['other'], 90, true],
	['another trigger whose name the trigger has got', 'Trigger', ['other'], 0, true],
	['a deleted trigger', 'Another', [], 29, true],
	['a trigger that was deleted 31 days ago', 'Another', [], 31, false],
	['a deleted trigger of this name', 'Trigger', [], 0, false],
	['a trigger of which n8n does not say whether it exists', 'Trigger', undefined, 90, true],
])('The state of %s', (_text, name, otherIds, days, isKept) => {
	const entries = { other: createEntry(name, ['1'], NOW_MS - days * DAY_MS) };
	const trigger = { id: '1', name: 'Trigger', otherIds };
	const state = { revision: NOW_MS };
	const after = putState(entries, trigger, state, NOW_MS);
	expect(after).toEqual({
		...(isKept && entries),
		1: { name: 'Trigger', otherIds: otherIds ?? [], state },
	});
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
	expect(new Set(contexts.map((context) => readTriggerNode(context).id)).size).toBe(2);
});
