import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { toResponseItem } from '../api/answers/responseItem';
import type { ResponseOutput } from '../api/answers/responseItem';
import { NotSent } from '../api/errors';
import { steadyClock } from '../api/gate/accounts';
import type { Sender } from '../api/sender';
import { listResponses } from '../api/service';
import type { Settings } from './readSettings';
import type { TriggerEvent } from './seen';
import { queueTooLong, tooSlow } from './trouble';
import type { World } from './world';

/**
 * The service and n8n as a poll reaches them. Nothing is sent again within a poll: the next look
 * makes up for it. What the service has not answered when the time of the poll is up has failed.
 */
export function worldOf(context: IPollFunctions, settings: Settings, budgetMs: number): World {
	const { formId } = settings;
	const node = context.getNode();
	const signal = AbortSignal.timeout(budgetMs);
	let requests = 0;
	const sender: Sender = { context, urgency: 'prompt', retry: false, signal };
	const counted: Sender = { ...sender, onSend: () => (requests += 1) };
	const items = itemsBy(sender, settings);
	return {
		node,
		now: steadyClock.now,
		log: context.logger,
		requestsSent: () => requests,
		async list(goOn) {
			// all of them, not only the complete ones: what is known must hold when the events change
			const tooLate = () => (requests === 0 ? queueTooLong(node) : tooSlow(node));
			const work = listResponses(counted, formId, { status: 'all', goOn });
			return await inTime(signal, work, tooLate);
		},
		...items,
		toItem: async (record, event) =>
			await inTime(signal, items.toItem(record, event), () => tooSlow(node)),
	};
}

/** How responses become items. */
export function itemsBy(
	sender: Sender,
	{ output }: Pick<Settings, 'output'>,
): Pick<World, 'toItem' | 'toItemWithoutFiles'> {
	const plain: ResponseOutput = { ...output, filePrefix: undefined };
	return {
		async toItem(record, event) {
			return toEventItem(await toResponseItem(sender, record, output), event, output);
		},
		async toItemWithoutFiles(record, event, reason) {
			const item = toEventItem(await toResponseItem(sender, record, plain), event, output);
			return { ...item, json: { ...item.json, fileError: reason } };
		},
	};
}

/** Simplified items say which event they are; raw ones are as they came, and `is_incomplete` tells it. */
function toEventItem(
	item: INodeExecutionData,
	event: TriggerEvent,
	{ simplify }: ResponseOutput,
): INodeExecutionData {
	return simplify ? { ...item, json: { event, ...item.json } } : item;
}

/** Waits for work until the time is up; a request that is under way then ends by itself, unheard. */
async function inTime<T>(signal: AbortSignal, work: Promise<T>, tooLate: () => Error): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const giveUp = () => reject(tooLate());
		signal.addEventListener('abort', giveUp);
		if (signal.aborted) giveUp();
		void work
			.then(resolve, (error: unknown) => reject(error instanceof NotSent ? tooLate() : error))
			.finally(() => signal.removeEventListener('abort', giveUp));
	});
}
