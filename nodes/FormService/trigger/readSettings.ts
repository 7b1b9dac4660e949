import type { IPollFunctions } from 'n8n-workflow';
import { inputError } from '../api/errors';
import { REQUESTS_PER_DAY } from '../api/gate/limits';
import type { ResponseOutput } from '../api/answers/responseItem';
import { readFilePrefix, readFormId, readSwitch } from '../resources/common/input';
import type { Input } from '../routing/operation';
import type { TriggerEvent } from './seen';
import type { Trigger } from './world';

/** What a person set on the node. */
export type Settings = Pick<
	Trigger,
	'events' | 'emitExisting' | 'maxPerPoll' | 'requestsPerDay'
> & {
	formId: string;
	output: ResponseOutput;
};

export const DEFAULT_MAX_PER_POLL = 100;

/** Half of what the service takes a day: the other half is for all else that uses the account. */
export const DEFAULT_REQUESTS_PER_DAY = REQUESTS_PER_DAY / 2;

const EVENTS: readonly TriggerEvent[] = ['responseCompleted', 'responseStarted'];

/**
 * Reads the node's parameters.
 *
 * @throws NodeOperationError that names the parameter and what it must be
 */
export function readSettings(context: IPollFunctions): Settings {
	const input = inputOf(context);
	return {
		formId: readFormId(input),
		events: readEvents(input),
		emitExisting: readSwitch(input, 'options.emitExisting', 'Emit Existing Responses', false),
		maxPerPoll: readCount(input, 'maxPerPoll', 'Max Responses per Poll', DEFAULT_MAX_PER_POLL),
		requestsPerDay: readCount(
			input,
			'requestsPerDay',
			'Requests per Day',
			DEFAULT_REQUESTS_PER_DAY,
		),
		output: {
			simplify: readSwitch(input, 'simplify', 'Simplify', true),
			filePrefix: readFilePrefix(input),
		},
	};
}

/** A poll has no input; its parameters are read as those of a single item would be. */
function inputOf(context: IPollFunctions): Input {
	return {
		parameter: <T>(name: string, fallback?: T) =>
			context.getNodeParameter(name, fallback, { extractValue: name === 'formId' }) as T,
		item: { json: {} },
		itemIndex: 0,
		node: context.getNode(),
	};
}

function readEvents({ node, parameter }: Input): TriggerEvent[] {
	const given = parameter<unknown>('events', ['responseCompleted']);
	const events = EVENTS.filter((event) => Array.isArray(given) && given.includes(event));
	if (events.length > 0) return events;
	throw inputError(node, {
		message: 'Trigger On is empty',
		description: 'Choose at least one event that starts the workflow.',
		failure: { cause: 'configuration-invalid' },
	});
}

function readCount({ node, parameter }: Input, name: string, label: string, fallback: number) {
	const given = parameter<unknown>(`options.${name}`, fallback);
	const count = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 1) return count;
	throw inputError(node, {
		message: `${label} must be a whole number of at least 1`,
		description: 'Correct it in the options of the trigger.',
		failure: { cause: 'configuration-invalid' },
	});
}
