import type { IDataObject, INode } from 'n8n-workflow';
import { inputError } from '../api/errors';
import type { Due } from './deliver';
import { isIncomplete } from './identify';
import { oldestFirst } from './oldestFirst';
import type { TriggerEvent } from './seen';

/**
 * The newest response that can start the workflow, and the event that it would be, for "Fetch test event".
 *
 * @throws NodeOperationError that says how to make one when there is none
 */
export function newestResponse(
	node: INode,
	records: readonly IDataObject[],
	events: readonly TriggerEvent[],
): Due {
	const examples = records
		.map((record) => ({
			record,
			event: isIncomplete(record) ? ('responseStarted' as const) : ('responseCompleted' as const),
		}))
		.filter(({ event }) => events.includes(event));
	const newest = oldestFirst(examples).at(-1);
	if (newest !== undefined) return newest;
	throw inputError(node, {
		message: 'The form has no response yet that would start this workflow',
		description: HOW_TO_MAKE_ONE[events.includes('responseCompleted') ? 'completed' : 'started'],
	});
}

const HOW_TO_MAKE_ONE = {
	completed:
		'Open the page of the form, fill it in and submit it, then fetch the test event again.',
	started:
		'Turn on "Track incomplete submissions" in the form, begin to fill it in on its page without submitting it, then fetch the test event again.',
};
