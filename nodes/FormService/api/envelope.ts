import type { IDataObject } from 'n8n-workflow';
import { parseJson, textOf, TooMuch } from './json';
import { identityOf, isRecord, saysNo } from './records';

/** What a reply holds, before it is known whether it is what was asked for. */
export type Content =
	| { kind: 'json'; value: unknown }
	| { kind: 'webPage' }
	| { kind: 'empty' }
	/** Neither JSON nor a page, or JSON that ends too early. */
	| { kind: 'unreadable' }
	/** JSON of more levels than n8n could store. */
	| { kind: 'tooDeep' }
	/** JSON of more objects and lists than n8n's memory stands. */
	| { kind: 'tooMany' };

/** Reads the body of a reply as text in UTF-8 (specification, section 1: every body is JSON). */
export async function readContent(
	headers: Readonly<Record<string, unknown>>,
	body: Buffer,
): Promise<Content> {
	try {
		return { kind: 'json', value: await parseJson(body) };
	} catch (error) {
		if (error instanceof TooMuch) return { kind: error.kind };
		const text = textOf(body);
		if (text === '') return { kind: 'empty' };
		const type = String(headers['content-type'] ?? '');
		const page = /\bhtml\b/i.test(type) || /^<(!doctype|html|head|body|\?xml)/i.test(text);
		return { kind: page ? 'webPage' : 'unreadable' };
	}
}

/** The envelope around every reply (specification, sections 4 and 7). */
export type Envelope = { failed: boolean; message?: string; details: string[]; data: unknown };

/**
 * Unwraps `{success, message, data}`. What comes without an envelope is the data itself. A
 * `success: false` is a failure at any status. `details` are the messages on single fields, where
 * the service gives them.
 */
export function unwrap(value: unknown): Envelope {
	if (!isRecord(value)) return { failed: false, details: [], data: value };
	const { success, data, errors } = value;
	const message = messageOf(value);
	return {
		failed: saysNo(success) || (success === undefined && tellsOnlyErrors(value)),
		...(message !== undefined && { message }),
		details: detailsOf(errors),
		data: 'data' in value ? data : value,
	};
}

/** A reply that has an error and nothing else to give is no success, whatever its status. */
function tellsOnlyErrors(value: IDataObject): boolean {
	const { error, errors, status } = value;
	if ('data' in value || identityOf(value) !== undefined) return false;
	return (
		status === 'error' ||
		error === true ||
		messageOf({ error }) !== undefined ||
		detailsOf(errors).length > 0
	);
}

/** The `message` of the specification, or what others send in its place. */
function messageOf(value: Record<string, unknown>): string | undefined {
	const { message, error } = value;
	const given = [message, error, isRecord(error) ? error.message : undefined, problemIn(value)];
	const text = given.find((one) => typeof one === 'string' && one.trim() !== '');
	return (text as string | undefined)?.trim();
}

/** The title and the detail of problem details (RFC 9457), which a record of the service can have too. */
function problemIn(value: Record<string, unknown>): string | undefined {
	if ('data' in value || 'success' in value || identityOf(value as IDataObject) !== undefined) {
		return undefined;
	}
	const texts = [value.title, value.detail].filter((one) => typeof one === 'string');
	return texts.map((text) => text.trim()).join(' ');
}

/** Messages on fields: `{field: [text]}`, `{field: text}` or a list of texts. */
function detailsOf(errors: unknown): string[] {
	if (Array.isArray(errors)) return errors.flatMap(textsOf);
	if (!isRecord(errors)) return [];
	return Object.entries(errors).flatMap(([field, texts]) =>
		(Array.isArray(texts) ? texts : [texts])
			.flatMap(textsOf)
			.map((text) => (text.includes(field) ? text : `${field}: ${text}`)),
	);
}

function textsOf(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (!isRecord(value)) return [];
	return [value.message, value.detail].filter((one) => typeof one === 'string').slice(0, 1);
}

/** The names in an object or what else a value is, for an error; never a value. */
export function shapeOf(value: unknown): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const keys = Object.keys(value);
	if (keys.length === 0) return 'an object with nothing in it';
	const shown = keys.slice(0, 20).map((key) => `"${key.slice(0, 60)}"`);
	return `an object with ${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}`;
}
