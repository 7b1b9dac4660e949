import { isEmpty } from 'lodash';
import { readBoolean } from './readers';
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
	/** The messages on single fields, with the names of the fields. */
	details: string[];
};

/** Unwraps the JSON of a reply; undefined if its text is none. */
export function parseEnvelope(text: string): Envelope | undefined {
	try {
		return unwrap(JSON.parse(text));
	} catch {
		return undefined;
	}
}

/** Unwraps a reply. */
export function unwrap(whole: unknown): Envelope {
	if (!isRecord(whole)) {
		return { whole, data: whole, failed: false, isConfirmed: false, details: [] };
	}
	const { success, message, errors, data = whole } = whole;
	const succeeded = readBoolean(success);
	const id = isUuid(data) ? data : ((isRecord(data) ? getId(data) : undefined) ?? getId(whole));
	return {
		...{ whole, data, id },
		failed: succeeded === false,
		isConfirmed: succeeded ?? (id !== undefined && isEmpty(errors)),
		...(typeof message === 'string' && { message: message.trim() }),
		details: listDetails(errors),
	};
}

/** Laravel's `{field: [text]}`, and the same with one text or without fields. */
function listDetails(errors: unknown): string[] {
	if (typeof errors !== 'object' || errors === null) return [];
	return Object.entries(errors).flatMap(([field, texts]: [string, unknown]) =>
		[texts]
			.flat()
			.filter((text) => typeof text === 'string')
			// Laravel's texts name the field themselves
			.map((text) => (Array.isArray(errors) || text.includes(field) ? text : `${field}: ${text}`)),
	);
}

/** Whether a text is a web page, such as a login page, in place of JSON (specification, section 5). */
export function isWebPage(text: string): boolean {
	return /^\s*</.test(text);
}

/** For an error: the names in an object, or what kind of value something else is; never the value. */
export function describeShape(value: unknown): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const names = Object.keys(value).slice(0, 20);
	if (names.length === 0) return 'an empty object';
	return `an object with ${names.map((name) => `"${name.slice(0, 60)}"`).join(', ')}`;
}
