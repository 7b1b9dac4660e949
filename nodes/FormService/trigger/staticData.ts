import { maxBy, pickBy } from 'lodash';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { isRecord } from '../api/records';
import { hasElapsed } from './requestBudget';
import { readRevision } from './savedState';
import { RETENTION_MS } from './triggerState';

/**
 * Where in n8n's static data the saved state of a trigger is.
 *
 * In its default mode, n8n keeps the static data of a node by the node's name. A renamed node would lose them,
 * and another node of that name would get them. So the state is in the static data of the workflow, by the
 * node's ID. In durable mode, n8n keeps the static data of a node by the node's ID, and saves only these
 * together with an execution.
 */

/** The name of a state in the static data of a node. */
const STATE_KEY = 'state';
/** The name of the entries of all triggers in the static data of a workflow. */
const ENTRIES_KEY = 'formServiceTriggers';

const entrySchema = z.object({
	/** The name of the node. */
	name: z.string(),
	/** IDs of other nodes of the workflow. */
	otherIds: z.array(z.string()),
	/** The saved state. */
	state: z.unknown(),
});

/** The entry of a trigger in the static data of its workflow. */
export type Entry = z.infer<typeof entrySchema>;

/** The entries of a workflow's triggers by their IDs. */
export type Entries = Readonly<Record<string, Entry>>;

/** A trigger among the nodes of its workflow. */
export type TriggerNode = Readonly<{
	/** The node's ID; with the name behind it if n8n gives several nodes this ID. */
	id: string;
	name: string;
	/** The IDs of all other nodes; undefined if n8n does not pass them. */
	otherIds: readonly string[] | undefined;
}>;

/** How many IDs of other nodes an entry has at most. */
const MAX_OTHER_IDS = 10;

/** Reads the saved state of a trigger; undefined if there is none. */
export function readSavedState(n8n: IPollFunctions): unknown {
	const nodeData = n8n.getWorkflowStaticData('node');
	const saved = n8n.getWorkflowStaticData('global')[ENTRIES_KEY];
	const node = readTriggerNode(n8n);
	const byId = isRecord(saved) ? getState(saved[node.id]) : saved;
	if (!isKeptByName(nodeData)) return nodeData[STATE_KEY] ?? byId;
	// 0.1.0 kept the state in the static data of the node
	return byId ?? nodeData[STATE_KEY] ?? findEntryWithNewId(readEntries(saved), node)?.state;
}

/** Returns the state of a saved entry, or the entry itself if it cannot be read. */
function getState(entry: unknown): unknown {
	return isRecord(entry) ? entry.state : entry;
}

/** Puts the state of a trigger into the static data. */
export function writeSavedState(n8n: IPollFunctions, state: IDataObject, nowMs: number): void {
	const nodeData = n8n.getWorkflowStaticData('node');
	if (!isKeptByName(nodeData)) {
		nodeData[STATE_KEY] = state;
		return;
	}
	const workflowData = n8n.getWorkflowStaticData('global');
	const entries = readEntries(workflowData[ENTRIES_KEY]);
	// n8n sees only that an attribute of the static data is replaced, and no change within
	workflowData[ENTRIES_KEY] = putState(entries, readTriggerNode(n8n), state, nowMs) as IDataObject;
	delete nodeData[STATE_KEY];
}

/**
 * Whether n8n keeps the static data of a node by the node's name. n8n then watches the static data for changes.
 * In durable mode, it passes a copy.
 */
function isKeptByName(nodeData: IDataObject): boolean {
	return '__dataChanged' in nodeData;
}

/** Reads the entries of a workflow's triggers, without those that cannot be read. */
function readEntries(saved: unknown): Entries {
	const pairs = Object.entries(isRecord(saved) ? saved : {}).flatMap(([id, value]) => {
		const entry = entrySchema.safeParse(value).data;
		return entry === undefined ? [] : [[id, { ...entry, state: entry.state }] as const];
	});
	return Object.fromEntries(pairs);
}

/** The nodes of the workflow, which n8n passes to a poll although its type does not declare them. */
const contextSchema = z.object({
	workflow: z.object({ nodes: z.record(z.string(), z.object({ id: z.string() })) }),
});

/** Reads the ID and name of the node that polls, and the IDs of the other nodes. */
export function readTriggerNode(n8n: IPollFunctions): TriggerNode {
	const { id, name } = n8n.getNode();
	const nodes = contextSchema.safeParse(n8n).data?.workflow.nodes;
	const ids = nodes && Object.values(nodes).map((node) => node.id);
	const otherIds = ids?.filter((nodeId) => nodeId !== id);
	// some versions of n8n accept a workflow whose nodes have equal IDs
	const isShared = ids !== undefined && otherIds !== undefined && ids.length - otherIds.length > 1;
	return { id: isShared ? `${id}:${name}` : id, name, otherIds };
}

/**
 * Finds the entry of a trigger that has got a new ID. When a client of n8n's API saves a workflow without the
 * IDs of its nodes, n8n gives each node a new ID. If another node has kept its ID, the trigger is new and
 * replaces a deleted trigger of this name.
 */
export function findEntryWithNewId(
	entries: Entries,
	{ name, otherIds = [] }: TriggerNode,
): Entry | undefined {
	const ofName = Object.entries(entries).filter(
		([id, entry]) => entry.name === name && !otherIds.includes(id),
	);
	const [, entry] = maxBy(ofName, ([, { state }]) => readRevision(state)) ?? [];
	return entry?.otherIds.some((id) => otherIds.includes(id)) ? undefined : entry;
}

/**
 * Returns the entries with a trigger's new state. Entries of deleted triggers stay for 30 days, because a
 * user may restore a trigger, unless this trigger has the name of the deleted one.
 */
export function putState(
	entries: Entries,
	{ id, name, otherIds }: TriggerNode,
	state: IDataObject,
	nowMs: number,
): Entries {
	const kept = pickBy(entries, (entry, entryId) => {
		if (otherIds === undefined || otherIds.includes(entryId)) return true;
		// a revision is about the time when the trigger last changed its state
		return entry.name !== name && !hasElapsed(readRevision(entry.state), RETENTION_MS, nowMs);
	});
	return { ...kept, [id]: { name, otherIds: (otherIds ?? []).slice(0, MAX_OTHER_IDS), state } };
}
