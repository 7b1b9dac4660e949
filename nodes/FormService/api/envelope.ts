import { isEmpty, isObject, uniq } from 'lodash';
import { asSentence, cutText } from './errorTexts';
import { parseBoolean } from './parseValues';
import { getId, isRecord, isUuid } from './records';

/** The envelope around every reply: `{success, message, data}` (specification, sections 4 and 7). */
export type Envelope = {
	/** The JSON of the whole reply. */
	body: unknown;
	/** What comes without an envelope is the data itself. */
	data: unknown;
	/** `success` is false, at whatever status. */
	isFailure: boolean;
	/** A request that acts is confirmed by `success: true`, or by an ID and no errors. */
	isConfirmed: boolean;
	/** The `uuid` or `id` in the data, or next to it. */
	id?: string;
	/** The message, then the messages on single fields that the message does not repeat. */
	message?: string;
};

/** Parses the JSON of a reply; undefined if its text is not JSON. */
export function parseEnvelope(text: string): Envelope | undefined {
	try {
		return unwrapEnvelope(JSON.parse(text));
	} catch {
		return undefined;
	}
}

export function unwrapEnvelope(body: unknown): Envelope {
	const reply = isRecord(body) ? body : {};
	const { success, message, errors, data = body } = reply;
	const succeeded = parseBoolean(success);
	const id = isUuid(data) ? data : ((isRecord(data) ? getId(data) : undefined) ?? getId(reply));
	return {
		body,
		data,
		id,
		isFailure: succeeded === false,
		isConfirmed: succeeded ?? (id !== undefined && isEmpty(errors)),
		message: joinMessages(message, collectMessages(errors)),
	};
}

/** Joins the texts that say why a request failed; undefined if there is none. */
function joinMessages(message: unknown, fieldMessages: readonly string[]): string | undefined {
	const summary = typeof message === 'string' ? message.trim() : '';
	const others = uniq(fieldMessages).filter((text) => !summary.includes(text));
	if (others.length === 0) return summary || undefined;
	return [summary, ...others]
		.filter((text) => text !== '')
		.map(asSentence)
		.join(' ');
}

/** Collects all texts in the errors, such as Laravel's `{field: [text]}`, in which the texts name their field. */
function collectMessages(errors: unknown): string[] {
	if (typeof errors === 'string') return [errors];
	return isObject(errors) ? Object.values(errors).flatMap(collectMessages) : [];
}

/** Describes a value for an error: the names in an object, or its type; never the value. */
export function describeShape(value: unknown): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const names = Object.keys(value).slice(0, 20);
	if (names.length === 0) return 'an empty object';
	return `an object with ${names.map((name) => `"${cutText(name, 60)}"`).join(', ')}`;
}
