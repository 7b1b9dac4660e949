import { attempt, isEmpty, isError, isNil, isObject, isString, uniq } from 'lodash';
import { isRecord } from './records';
import { isBlank, parseBoolean } from './values';

/** A reply without its headers: `{success, message, data}` (docs/contract.md). */
export type Envelope = {
	body: unknown;
	/** If the reply has no `data`, the whole body. */
	data: unknown;
	isFailure: boolean;
	hasErrors: boolean;
	message?: string;
};

/** Parses a reply. Undefined if the reply is not JSON. */
export function parseEnvelope(text: string): Envelope | undefined {
	const body: unknown = attempt(JSON.parse, text);
	return isError(body) ? undefined : unwrapEnvelope(body);
}

export function unwrapEnvelope(body: unknown): Envelope {
	const { success, message, errors, data = body } = isRecord(body) ? body : {};
	// a list of texts, or texts or lists of texts by field
	const texts = isObject(errors) ? Object.values(errors).flat().filter(isString) : [];
	// Laravel's message repeats the first text: "Too long. (and 2 more errors)"
	const isRepetition = texts.some((text) => isString(message) && message.startsWith(`${text} (`));
	const sentences = (isRepetition ? texts : [message, ...texts]).filter(isString);
	return {
		body,
		data,
		// 0 for false must not pass for success
		isFailure: parseBoolean(success) === false,
		hasErrors: !isEmpty(errors),
		message: uniq(sentences.filter((text) => !isBlank(text))).join(' ') || undefined,
	};
}

/** Describes a value by names and types, without values: `an object with "id" (string)`. */
export function describeShape(value: unknown): string {
	if (isNil(value)) return String(value);
	if (Array.isArray(value)) return `a list with ${uniq(value.map(describeType)).join(', ')}`;
	if (!isRecord(value)) return `a ${typeof value}`;
	const attributes = Object.entries(value).slice(0, 20);
	const names = attributes.map(([name, entry]) => `"${name}" (${describeType(entry)})`);
	return `an object with ${names.join(', ') || 'nothing'}`;
}

function describeType(value: unknown): string {
	if (Array.isArray(value)) return 'list';
	return value === null ? 'null' : typeof value;
}
