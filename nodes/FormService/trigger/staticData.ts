import { pickBy } from 'lodash';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { hasElapsed } from '../api/clock';
import { RETENTION_MS } from './responseEvents';
import { readRevision } from './triggerState';

/*
 * Reads and writes the state of a trigger in n8n's static data.
 *
 * - In default mode, n8n keeps the static data of a node by its name, so a renamed node would lose them. The state
 *   is in the static data of the workflow, by the ID of the node.
 * - In durable mode, n8n keeps the static data of a node by its ID. Together with items, it saves only these.
 */

const STATE_KEY = 'state';
const TRIGGERS_KEY = 'formServiceTriggers';

/** The states of all triggers of a workflow, by the ID of the node. */
type TriggerStates = Readonly<Record<string, IDataObject>>;

export function readSavedState(n8n: IPollFunctions): unknown {
	const nodeData = n8n.getWorkflowStaticData('node');
	const byId = readTriggerStates(n8n)[readTriggerId(n8n)];
	// a trigger continues in durable mode from the state of default mode
	return isKeptByName(nodeData) ? byId : (nodeData[STATE_KEY] ?? byId);
}

export function writeSavedState(n8n: IPollFunctions, state: IDataObject, nowMs: number): void {
	const nodeData = n8n.getWorkflowStaticData('node');
	if (!isKeptByName(nodeData)) {
		nodeData[STATE_KEY] = state;
		return;
	}
	const kept = keepStates(readTriggerStates(n8n), listNodeIds(n8n), nowMs);
	// replace the attribute, because n8n does not notice a change within the attribute
	const states = { ...kept, [readTriggerId(n8n)]: state };
	n8n.getWorkflowStaticData('global')[TRIGGERS_KEY] = states;
}

/** In default mode, n8n watches the static data. In durable mode, it passes a copy without `__dataChanged`. */
function isKeptByName(nodeData: IDataObject): boolean {
	return '__dataChanged' in nodeData;
}

function readTriggerStates(n8n: IPollFunctions): TriggerStates {
	return (n8n.getWorkflowStaticData('global')[TRIGGERS_KEY] ?? {}) as TriggerStates;
}

/** n8n passes the nodes of the workflow to a poll, although its type does not say so. */
const contextSchema = z.object({
	workflow: z.object({ nodes: z.record(z.string(), z.object({ id: z.string() })) }),
});

/** Undefined if n8n does not pass the nodes. */
function listNodeIds(n8n: IPollFunctions): string[] | undefined {
	const nodes = contextSchema.safeParse(n8n).data?.workflow.nodes;
	return nodes && Object.values(nodes).map(({ id }) => id);
}

/** Returns the ID of the node. In some versions of n8n, several nodes can have it. Then the name is added. */
export function readTriggerId(n8n: IPollFunctions): string {
	const { id, name } = n8n.getNode();
	const sameIds = listNodeIds(n8n)?.filter((nodeId) => nodeId === id) ?? [];
	return sameIds.length > 1 ? `${id}:${name}` : id;
}

/** Leaves out the states of triggers that were deleted 30 days ago. Until then, a user may restore them. */
export function keepStates(
	states: TriggerStates,
	nodeIds: readonly string[] | undefined,
	nowMs: number,
): TriggerStates {
	// the revision is the time of the last state
	return pickBy(states, (state, id) => {
		const isPresent = nodeIds === undefined || nodeIds.includes(id);
		return isPresent || !hasElapsed(readRevision(state), RETENTION_MS, nowMs);
	});
}
