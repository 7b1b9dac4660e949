import { maxBy, pickBy } from 'lodash';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { hasElapsed } from './schedule';
import { RETENTION_MS } from './responseEvents';
import { readRevision } from './triggerState';

/*
 * Reads and writes the state of a trigger in n8n's static data.
 *
 * - In default mode, n8n keeps the static data of a node by its name, so a renamed node would lose them. The state
 *   is in the static data of the workflow, by the ID of the node.
 * - In durable mode, n8n keeps the static data of a node by its ID, and saves only them together with items.
 */

const STATE_KEY = 'state';
const ENTRIES_KEY = 'formServiceTriggers';

/** The entry of a trigger in the static data of its workflow. */
export type Entry = { name: string; state: IDataObject };

/** The entries of all triggers of a workflow, by the ID of the node. */
export type Entries = Readonly<Record<string, Entry>>;

/** A node by which n8n polls. */
export type TriggerNode = Readonly<{
	/** The ID of the node. If several nodes have this ID, the name is added to it. */
	id: string;
	name: string;
	/** The IDs of all nodes of the workflow. Undefined if n8n does not pass them. */
	workflowIds: readonly string[] | undefined;
}>;

export function readSavedState(n8n: IPollFunctions): unknown {
	const nodeData = n8n.getWorkflowStaticData('node');
	const entries = readEntries(n8n);
	const node = readTriggerNode(n8n);
	const byId = entries[node.id]?.state;
	if (!isKeptByName(nodeData)) return nodeData[STATE_KEY] ?? byId;
	return byId ?? findEntryByName(entries, node)?.state;
}

export function writeSavedState(n8n: IPollFunctions, state: IDataObject, nowMs: number): void {
	const nodeData = n8n.getWorkflowStaticData('node');
	if (!isKeptByName(nodeData)) {
		nodeData[STATE_KEY] = state;
		return;
	}
	const entries = putState(readEntries(n8n), readTriggerNode(n8n), state, nowMs);
	// replace the attribute, because n8n does not notice a change within the attribute
	n8n.getWorkflowStaticData('global')[ENTRIES_KEY] = entries as IDataObject;
}

/** In default mode, n8n watches the static data. In durable mode, it passes a copy without this attribute. */
function isKeptByName(nodeData: IDataObject): boolean {
	return '__dataChanged' in nodeData;
}

function readEntries(n8n: IPollFunctions): Entries {
	return (n8n.getWorkflowStaticData('global')[ENTRIES_KEY] ?? {}) as Entries;
}

/** n8n passes the nodes of the workflow to a poll, although its type does not say so. */
const contextSchema = z.object({
	workflow: z.object({ nodes: z.record(z.string(), z.object({ id: z.string() })) }),
});

export function readTriggerNode(n8n: IPollFunctions): TriggerNode {
	const { id, name } = n8n.getNode();
	const nodes = contextSchema.safeParse(n8n).data?.workflow.nodes;
	const workflowIds = nodes && Object.values(nodes).map((node) => node.id);
	// in some versions of n8n, nodes of a workflow can have the same ID
	const count = workflowIds?.filter((nodeId) => nodeId === id).length ?? 0;
	return { id: count > 1 ? `${id}:${name}` : id, name, workflowIds };
}

/**
 * Finds the entry of a trigger that has a new ID: the latest one with its name whose node is no longer in the
 * workflow. n8n gives all nodes new IDs for clients of its API that send none.
 */
export function findEntryByName(
	entries: Entries,
	{ name, workflowIds = [] }: TriggerNode,
): Entry | undefined {
	const ofName = Object.entries(entries).filter(
		([id, entry]) => entry.name === name && !workflowIds.includes(id),
	);
	const [, entry] = maxBy(ofName, ([, { state }]) => readRevision(state)) ?? [];
	return entry;
}

/**
 * Returns the entries with the new state of a trigger. A deleted trigger may be restored, so its entry stays for 30
 * days, unless this trigger has its name.
 */
export function putState(
	entries: Entries,
	{ id, name, workflowIds }: TriggerNode,
	state: IDataObject,
	nowMs: number,
): Entries {
	const kept = pickBy(entries, (entry, entryId) => {
		if (workflowIds === undefined || workflowIds.includes(entryId)) return true;
		// the revision is the time of the last state
		return entry.name !== name && !hasElapsed(readRevision(entry.state), RETENTION_MS, nowMs);
	});
	return { ...kept, [id]: { name, state } };
}
