import { isEmpty, isObject } from 'lodash';
import { cutText } from './errors';
import { parseBoolean } from './parseValues';
import { getId, isRecord, isUuid } from './records';

/** The envelope around every reply: `{success, message, data}` (specification, sections 4 and 7). */
export type Envelope = {
	/** The JSON of the whole reply. */
	whole: unknown;
	/** What comes without an envelope is the data itself. */
	data: unknown;
	/** `success` is false, at whatever status. */
	failed: boolean;
	/** A request that acts is confirmed by `success: true`, or by an ID and no errors. */
	isConfirmed: boolean;
	/** The `uuid` or `id` in the data, or next to it. */
	id?: string;
	message?: string;
	/** The messages on single fields. */
	details: string[];
};

/** Unwraps the JSON of a reply; undefined if its text is none. */
export function parseEnvelope(text: string): Envelope | undefined {
	try {
		return unwrapEnvelope(JSON.parse(text));
	} catch {
		return undefined;
	}
}

/** Unwraps a reply. */
export function unwrapEnvelope(whole: unknown): Envelope {
	const reply = isRecord(whole) ? whole : {};
	const { success, message, errors, data = whole } = reply;
	const succeeded = parseBoolean(success);
	const id = isUuid(data) ? data : ((isRecord(data) ? getId(data) : undefined) ?? getId(reply));
	return {
		...{ whole, data, id },
		failed: succeeded === false,
		isConfirmed: succeeded ?? (id !== undefined && isEmpty(errors)),
		...(typeof message === 'string' && { message: message.trim() }),
		details: listDetails(errors),
	};
}

/** All texts in the errors, such as Laravel's `{field: [text]}`, in which the texts name their field. */
function listDetails(errors: unknown): string[] {
	if (typeof errors === 'string') return [errors];
	return isObject(errors) ? Object.values(errors).flatMap(listDetails) : [];
}

/** For an error: the names in an object, or what kind of value something else is; never the value. */
export function describeShape(value: unknown): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const names = Object.keys(value).slice(0, 20);
	if (names.length === 0) return 'an empty object';
	return `an object with ${names.map((name) => `"${cutText(name, 60)}"`).join(', ')}`;
}
