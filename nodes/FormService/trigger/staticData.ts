import { maxBy, pickBy } from 'lodash';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { isRecord } from '../api/records';
import { hasElapsed } from './requestBudget';
import { readRevision } from './savedState';
import { RETENTION_MS } from './triggerState';

/*
 * Reads and writes the saved state of a trigger in n8n's static data. The place depends on the mode of n8n.
 *
 * - In default mode, n8n stores the static data of a node under the name of the node. A renamed node would lose
 *   its data, and another node with this name would get the data. So the trigger saves its state in the static
 *   data of the workflow, under the ID of the node.
 * - In durable mode, n8n stores the static data of a node under the ID of the node. n8n saves only this data
 *   together with an execution. So the trigger saves its state in the static data of the node.
 */

/** The attribute of a node's static data that has the state. */
const STATE_KEY = 'state';
/**
 * The attribute of a workflow's static data that has the entries of all triggers. An entry has the saved state
 * of one trigger.
 */
const ENTRIES_KEY = 'formServiceTriggers';

const entrySchema = z.object({
	/** The name of the node. */
	name: z.string(),
	/** The IDs of other nodes of the workflow, at most `MAX_OTHER_IDS`, see `findEntryWithNewId`. */
	otherIds: z.array(z.string()),
	/** The saved state. */
	state: z.unknown(),
});

/** The entry of a trigger in the static data of its workflow. */
export type Entry = z.infer<typeof entrySchema>;

/** The entries of all triggers of a workflow, by the ID of the node. */
export type Entries = Readonly<Record<string, Entry>>;

/**
 * What identifies a trigger in the static data: its ID and name, and the IDs of the other nodes. By the other
 * IDs, a trigger finds its state after n8n has given all nodes new IDs.
 */
export type TriggerIdentity = Readonly<{
	/**
	 * The ID of the node: `4f2a`. If n8n gives several nodes the same ID, the name of the node follows:
	 * `4f2a:Feedback`.
	 */
	id: string;
	name: string;
	/** The IDs of all other nodes. Undefined if n8n does not pass the nodes of the workflow. */
	otherIds: readonly string[] | undefined;
}>;

/** The maximum number of IDs that an entry stores in `otherIds`. */
const MAX_OTHER_IDS = 10;

/** Returns the saved state of a trigger. Undefined if there is no saved state. */
export function readSavedState(n8n: IPollFunctions): unknown {
	const nodeData = n8n.getWorkflowStaticData('node');
	const saved = n8n.getWorkflowStaticData('global')[ENTRIES_KEY];
	const node = readTriggerNode(n8n);
	const byId = isRecord(saved) ? getState(saved[node.id]) : saved;
	if (!isKeptByName(nodeData)) return nodeData[STATE_KEY] ?? byId;
	// 0.1.0 kept the state in the static data of the node
	return byId ?? nodeData[STATE_KEY] ?? findEntryWithNewId(readEntries(saved), node)?.state;
}

/**
 * Returns the state in an entry. If the entry is not an object, returns the entry as the state, and the trigger
 * reports this state as damaged.
 */
function getState(entry: unknown): unknown {
	return isRecord(entry) ? entry.state : entry;
}

/** Writes the state of a trigger to the static data. */
export function writeSavedState(n8n: IPollFunctions, state: IDataObject, nowMs: number): void {
	const nodeData = n8n.getWorkflowStaticData('node');
	if (!isKeptByName(nodeData)) {
		nodeData[STATE_KEY] = state;
		return;
	}
	const workflowData = n8n.getWorkflowStaticData('global');
	const entries = readEntries(workflowData[ENTRIES_KEY]);
	// replace the attribute, because n8n does not notice a change within the attribute
	workflowData[ENTRIES_KEY] = putState(entries, readTriggerNode(n8n), state, nowMs) as IDataObject;
	delete nodeData[STATE_KEY];
}

/**
 * Whether n8n stores the static data of a node under the name of the node. In default mode, n8n does so, and
 * the static data has the attribute `__dataChanged`. In durable mode, n8n passes a copy without this
 * attribute.
 */
function isKeptByName(nodeData: IDataObject): boolean {
	return '__dataChanged' in nodeData;
}

/** Returns the entries of all triggers of a workflow. Leaves out entries that cannot be read. */
function readEntries(saved: unknown): Entries {
	const pairs = Object.entries(isRecord(saved) ? saved : {}).flatMap(([id, value]) => {
		const entry = entrySchema.safeParse(value).data;
		return entry === undefined ? [] : [[id, { ...entry, state: entry.state }] as const];
	});
	return Object.fromEntries(pairs);
}

/**
 * The nodes of the workflow. n8n passes the nodes to a poll, although n8n's type does not declare the nodes.
 */
const contextSchema = z.object({
	workflow: z.object({ nodes: z.record(z.string(), z.object({ id: z.string() })) }),
});

/** Returns the ID and the name of the node that polls, and the IDs of the other nodes. */
export function readTriggerNode(n8n: IPollFunctions): TriggerIdentity {
	const { id, name } = n8n.getNode();
	const nodes = contextSchema.safeParse(n8n).data?.workflow.nodes;
	const ids = nodes && Object.values(nodes).map((node) => node.id);
	const otherIds = ids?.filter((nodeId) => nodeId !== id);
	// in some versions of n8n, nodes of a workflow can have the same ID
	const isShared = ids !== undefined && otherIds !== undefined && ids.length - otherIds.length > 1;
	return { id: isShared ? `${id}:${name}` : id, name, otherIds };
}

/**
 * Finds the entry of a trigger by its name, if n8n has given the trigger a new ID. n8n gives all nodes new
 * IDs if a client of n8n's API saves the workflow without IDs. If another node has kept its old ID, returns
 * undefined: the entry belongs to a deleted trigger with the same name.
 */
export function findEntryWithNewId(
	entries: Entries,
	{ name, otherIds = [] }: TriggerIdentity,
): Entry | undefined {
	const ofName = Object.entries(entries).filter(
		([id, entry]) => entry.name === name && !otherIds.includes(id),
	);
	const [, entry] = maxBy(ofName, ([, { state }]) => readRevision(state)) ?? [];
	return entry?.otherIds.some((id) => otherIds.includes(id)) ? undefined : entry;
}

/**
 * Returns the entries with the new state of a trigger. Keeps the entry of a deleted trigger for 30 days,
 * because the user may restore the trigger. But if this trigger has the same name as the deleted trigger,
 * removes the entry of the deleted trigger immediately.
 */
export function putState(
	entries: Entries,
	{ id, name, otherIds }: TriggerIdentity,
	state: IDataObject,
	nowMs: number,
): Entries {
	const kept = pickBy(entries, (entry, entryId) => {
		if (otherIds === undefined || otherIds.includes(entryId)) return true;
		// the revision serves as the time of the last change
		return entry.name !== name && !hasElapsed(readRevision(entry.state), RETENTION_MS, nowMs);
	});
	return { ...kept, [id]: { name, otherIds: (otherIds ?? []).slice(0, MAX_OTHER_IDS), state } };
}
