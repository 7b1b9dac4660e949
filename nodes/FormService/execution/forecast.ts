import { groupBy } from 'lodash';
import { createTarget, endpoints } from '../api/endpoints';
import { createInputError } from '../api/errors';
import { forecastDay, REQUESTS_PER_DAY } from '../api/request/limits';
import { getQueue } from '../api/request/requestQueue';
import { getWorkspace } from '../api/service';
import type { NodeError } from './itemErrors';
import type { CheckResult, Item, ItemRequest } from './operation';
import type { Run } from './run';

/** An item that is about to send a request, which items with the same order key may share. */
export type PlannedItem = Pick<CheckResult, 'sendsNothing'> & {
	item: Item;
	orderKey: string;
	request: ItemRequest;
};

/**
 * Compares the requests of a run, before the first of them, with what is left of the day. Logs the numbers if
 * the requests may not fit. Items of later batches only count there: with long pauses, they have another day.
 *
 * @returns the error if the requests of an account never fit into a day, in a node that stops on failure
 */
export async function forecastRun(
	planned: readonly PlannedItem[],
	{ continues, total }: Pick<Run, 'continues' | 'total'>,
): Promise<{ item: Item; error: NodeError } | undefined> {
	const byAccount = groupBy(planned, ({ request }) => request.context.account.key);
	for (const [key, items] of Object.entries(byAccount)) {
		const [{ item, request }] = items;
		const { account, n8n } = request.context;
		const { index: itemIndex, endpoint } = item;
		const requests = countRequests(items);
		const neverFits = () => forecastDay(requests, getQueue(key).countLeftToday()) === 'neverFits';
		if (!continues && neverFits()) {
			// any reply shows whether the account has the limits of the specification
			const target = createTarget(account, endpoints.getWorkspace);
			await getWorkspace(request.context, target).catch(() => {});
			const message = `The items need ${format(requests)} requests, but Form Service allows ${format(REQUESTS_PER_DAY)} a day`;
			const description = 'Split the items into several runs, on different days.';
			const error = createInputError(n8n.getNode(), { message, description, itemIndex });
			if (neverFits()) return { item, error };
		}
		const later =
			itemIndex === 0 && endpoint.effect.kind !== 'safe' ? total - 1 - items.at(-1)!.item.index : 0;
		const left = getQueue(key).countLeftToday() ?? Infinity;
		if (forecastDay(requests + later, left) !== 'fits') {
			const count = format(requests + later);
			n8n.logger.warn(`${count} items, about ${format(left)} requests left today`);
		}
	}
	return undefined;
}

function format(number: number): string {
	return number.toLocaleString('en-US');
}

/** How many requests items need at least: equal reads are shared, and equal responses are added once. */
export function countRequests(planned: readonly PlannedItem[]): number {
	const sending = planned.filter(({ sendsNothing }) => sendsNothing !== true);
	const requests = sending.map(({ item: { index, endpoint }, orderKey, request }) => {
		const { kind } = endpoint.effect;
		return kind === 'safe' ? request.target.url : kind === 'once' ? orderKey : index;
	});
	return new Set(requests).size;
}
