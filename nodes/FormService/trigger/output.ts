import { defaults, memoize, pick } from 'lodash';
import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { oldestFirst } from '../api/answers/order';
import { formFieldsOf } from '../api/answers/fields';
import { outputNeedsFields, toResponseItem } from '../api/answers/responseItem';
import type { ResponseOutput } from '../api/answers/responseItem';
import { asNodeError, inputError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import type { Dependencies, Event } from './dependencies';
import { isIncomplete } from './diff';
import type { TriggerEvent } from './diff';

/**
 * What the trigger emits: how an event becomes an item. It says which event it is and of which form,
 * and then what the service says of the response.
 */
export function itemsBy(
	context: RequestContext,
	output: ResponseOutput,
): Pick<Dependencies, 'toItem' | 'toItemWithoutFiles'> {
	// one poll makes many items of a form
	const ofForm = memoize((fields: Event['fields']) => formFieldsOf([...(fields ?? [])], output));
	const toItem = async (
		{ event, record, form, fields: given }: Event,
		options: ResponseOutput,
		onFileError?: (error: Error) => void,
	) => {
		const fields = outputNeedsFields(options) ? ofForm(given) : undefined;
		const { item, fileErrors } =
			event === 'formCreated'
				? { item: { json: formAttributes(record, options) }, fileErrors: [] }
				: await toResponseItem(context, record, options, fields);
		fileErrors.forEach((error) => onFileError?.(error));
		// an answer of such a name stays what it is
		return { ...item, json: defaults(item.json, { event, form: { ...form } }) };
	};
	return {
		toItem: async (event, onFileError) => await toItem(event, output, onFileError),
		async toItemWithoutFiles(event, reason) {
			const item = await toItem(event, { ...output, filePrefix: undefined });
			return { ...item, json: { ...item.json, fileError: reason } };
		},
	};
}

/** What simplified items keep of a form beside its ID and name. */
const FORM_ATTRIBUTES = ['slug', 'description', 'is_closed', 'created_at', 'updated_at'];

function formAttributes(record: IDataObject, { simplify }: ResponseOutput): IDataObject {
	const copy = structuredClone(record);
	return simplify ? pick(copy, FORM_ATTRIBUTES) : copy;
}

export type DeliverOptions = {
	/** Items at most. */
	limit: number;
	/** No further item is begun after this time, in epoch milliseconds. */
	until: number;
	/** Whether a file that cannot be had now may be waited for. */
	isPatient: boolean;
	deps: Pick<Dependencies, 'node' | 'now' | 'log' | 'toItem' | 'toItemWithoutFiles'>;
};

/**
 * Makes items of events, in order, as many as there is room and time for: at least one, or nothing
 * would ever get through. A file that cannot be had holds an event up for a few polls, and is then left
 * out; one that the host says is not there does not hold it up at all.
 *
 * @returns one item for each of the first events; the others are for the next poll
 * @throws the error of the first event's file, while it may be waited for
 */
export async function deliver(
	events: readonly Event[],
	{ limit, until, isPatient, deps }: DeliverOptions,
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	const onFileError = (error: Error) => {
		if (isPatient && !isGone(error)) throw error;
		deps.log.warn(`A response is delivered without one of its files: ${error.message}`);
	};
	for (const event of events.slice(0, limit)) {
		if (items.length > 0 && deps.now() >= until) break;
		try {
			items.push(await deps.toItem(event, onFileError));
		} catch (error) {
			if (isPatient) {
				if (items.length > 0) break;
				throw asNodeError(deps.node, error);
			}
			// not one file but the time for all of them
			const reason = error instanceof Error ? error.message : String(error);
			deps.log.warn(`A response is delivered without its files: ${reason}`);
			items.push(await deps.toItemWithoutFiles(event, reason));
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

/** The newest response that can start the workflow, and the event that it would be; for "Fetch test event". */
export function newestResponse(
	records: readonly IDataObject[],
	events: readonly TriggerEvent[],
): Pick<Event, 'event' | 'record'> | undefined {
	const examples = records.flatMap((record) => {
		const possible: TriggerEvent[] = isIncomplete(record)
			? ['responseStarted', 'responseAbandoned']
			: ['responseCompleted'];
		const event = possible.find((one) => events.includes(one));
		return event === undefined ? [] : [{ record, event }];
	});
	return oldestFirst(examples).at(-1);
}

/** There is nothing yet that "Fetch test event" could show. */
export function noExample(node: INode, events: readonly TriggerEvent[]) {
	const how = events.includes('responseCompleted')
		? 'Submit the form once, then fetch the test event again.'
		: 'Turn on "Track incomplete submissions" in the form, begin to fill it in without submitting it, then fetch the test event again.';
	return inputError(node, { message: 'This form has no matching response yet', description: how });
}
