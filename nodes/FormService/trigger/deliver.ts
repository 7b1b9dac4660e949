import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TriggerEvent } from './seen';
import { asNodeError } from './trouble';
import type { World } from './world';

/** An event that is to be delivered. */
export type Due = { record: IDataObject; event: TriggerEvent };

export type DeliverOptions = {
	/** Items at most. */
	limit: number;
	/** No further item is begun after this time, in epoch milliseconds. */
	until: number;
	/** Whether a file that cannot be had now may be waited for. */
	isPatient: boolean;
	world: Pick<World, 'node' | 'now' | 'log' | 'toItem' | 'toItemWithoutFiles'>;
};

/**
 * Makes items of events, in order, as many as there is room and time for: at least one, or nothing
 * would ever get through. A file that cannot be had holds an event up for a few looks and then no
 * longer; one that the host says is not there does not hold it up at all.
 *
 * @returns one item for each of the first events; the others are for the next poll
 * @throws the error of the first event's file, while it may be waited for
 */
export async function deliver(
	events: readonly Due[],
	{ limit, until, isPatient, world }: DeliverOptions,
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	for (const { record, event } of events.slice(0, limit)) {
		if (items.length > 0 && world.now() >= until) break;
		try {
			items.push(await world.toItem(record, event));
		} catch (error) {
			if (isPatient && !isGone(error)) {
				if (items.length > 0) break;
				throw asNodeError(world.node, error);
			}
			const reason = error instanceof Error ? error.message : String(error);
			world.log.warn(`A response is delivered without its files: ${reason}`);
			items.push(await world.toItemWithoutFiles(record, event, reason));
		}
	}
	return items;
}

/** Statuses of a host that may give the file later (RFC 9110 and RFC 6585). */
const LATER = ['408', '425', '429'];

function isGone(error: unknown): boolean {
	const status = error instanceof NodeApiError ? (error.httpCode ?? '') : '';
	return status.startsWith('4') && !LATER.includes(status);
}
