import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../gate/rateHeaders';
import { identityOf, isRecord } from '../records';

/** What a reply holds, before it is known whether it is what was asked for. */
export type Content =
	| { kind: 'json'; value: unknown }
	| { kind: 'webPage' }
	| { kind: 'empty' }
	/** Neither JSON nor a page, or JSON that ends too early. */
	| { kind: 'unreadable' }
	/** JSON of more levels than n8n could store. */
	| { kind: 'tooDeep' };

/** The levels of a reply that are read: ten times what a listing of responses has. */
const MAX_LEVELS = 100;

/** Reads the body of a reply as text in UTF-8 (specification, section 1: every body is JSON). */
export function readContent(headers: Headers, body: Buffer): Content {
	const text = body
		.toString('utf8')
		.replace(/^\uFEFF/, '')
		.trim();
	if (text === '') return { kind: 'empty' };
	try {
		const value: unknown = JSON.parse(text);
		return isTooDeep(value) ? { kind: 'tooDeep' } : { kind: 'json', value };
	} catch {
		const type = String(headers['content-type'] ?? '');
		const page = /\bhtml\b/i.test(type) || /^<(!doctype|html|head|body|\?xml)/i.test(text);
		return { kind: page ? 'webPage' : 'unreadable' };
	}
}

/** Level by level: going down into it would end where the stack does. */
function isTooDeep(value: unknown): boolean {
	let level = [value].filter(isContainer);
	for (let depth = 0; level.length > 0; depth++) {
		if (depth === MAX_LEVELS) return true;
		level = level.flatMap((one) => Object.values(one).filter(isContainer));
	}
	return false;
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
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
		failed: isFailure(success) || (success === undefined && tellsOnlyErrors(value)),
		...(message !== undefined && { message }),
		details: detailsOf(errors),
		data: 'data' in value ? data : value,
	};
}

function isFailure(success: unknown): boolean {
	return success === false || success === 0 || /^(false|0)$/i.test(String(success));
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
function messageOf({ message, error }: Record<string, unknown>): string | undefined {
	const given = [message, error, isRecord(error) ? error.message : undefined];
	const text = given.find((one) => typeof one === 'string' && one.trim() !== '');
	return (text as string | undefined)?.trim();
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
	return isRecord(value) && typeof value.message === 'string' ? [value.message] : [];
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
