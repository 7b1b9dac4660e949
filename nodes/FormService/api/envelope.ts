import { readBoolean } from './readers';
import { getIdentity, isRecord } from './records';

/** What a reply contains, whether or not it answers the request. */
export type Content =
	| { kind: 'json'; value: unknown }
	/** JSON that is `cutOff` ends too early; n8n cannot store what is `tooDeep`. */
	| { kind: 'webPage' | 'empty' | 'cutOff' | 'unreadable' | 'tooDeep' | 'tooLarge' };

/** Reads the body of a reply (specification, section 1: every body is JSON); undefined if it was too large. */
export function readContent(headers: Readonly<Record<string, unknown>>, body?: Buffer): Content {
	if (body === undefined) return { kind: 'tooLarge' };
	const text = body.toString('utf8').replace(/^\uFEFF/, '');
	try {
		const value: unknown = JSON.parse(text);
		return hasMoreLevels(MAX_LEVELS, value) ? { kind: 'tooDeep' } : { kind: 'json', value };
	} catch {
		const start = text.trimStart().slice(0, 20);
		if (start === '') return { kind: 'empty' };
		const type = String(headers['content-type'] ?? '');
		if (/\bhtml\b/i.test(type) || /^<(!doctype|html|head|body|\?xml)/i.test(start)) {
			return { kind: 'webPage' };
		}
		return { kind: /^[[{]/.test(start) ? 'cutOff' : 'unreadable' };
	}
}

/** Ten times the levels of a listing. JSON.stringify and structuredClone overflow the stack at some 5,000. */
const MAX_LEVELS = 100;

function hasMoreLevels(levels: number, value: unknown): boolean {
	if (!isRecord(value) && !Array.isArray(value)) return false;
	if (levels === 0) return true;
	if (Array.isArray(value)) return value.some((one) => hasMoreLevels(levels - 1, one));
	// without a list of the values: a listing can have a million objects
	for (const name in value) if (hasMoreLevels(levels - 1, value[name])) return true;
	return false;
}

/** The envelope around every reply (specification, sections 4 and 7). */
export type Envelope = { failed: boolean; message?: string; details: string[]; data: unknown };

/**
 * Unwraps `{success, message, data}`. What comes without an envelope is the data itself. A
 * `success: false` is a failure at any status. `details` are messages on single fields.
 */
export function unwrap(value: unknown): Envelope {
	if (!isRecord(value)) return { failed: false, details: [], data: value };
	const { success, data, message, error, errors, status } = value;
	const errorText = isRecord(error) ? error.message : error;
	const said = [message, errorText].find(isText);
	const details = listDetails(errors);
	const isBare = success === undefined && !('data' in value) && getIdentity(value) === undefined;
	const hasError = status === 'error' || error === true || isText(errorText) || details.length > 0;
	return {
		// a reply with an error and nothing else is a failure at any status
		failed: readBoolean(success) === false || (isBare && hasError),
		...(said !== undefined && { message: said.trim() }),
		details,
		data: 'data' in value ? data : value,
	};
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

/** Messages on fields: `{field: [text]}`, `{field: text}`, or a list of texts or of `{message}`. */
function listDetails(errors: unknown): string[] {
	if (!isRecord(errors)) return listMessages(errors);
	return Object.entries(errors).flatMap(([field, given]) =>
		listMessages(given).map((text) => (text.includes(field) ? text : `${field}: ${text}`)),
	);
}

function listMessages(given: unknown): string[] {
	const texts = [given].flat().map((one) => (isRecord(one) ? (one.message ?? one.detail) : one));
	return texts.filter(isText);
}

/** For an error: the names in an object, or what kind of value something else is; never the value. */
export function describeShape(value: unknown): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const names = Object.keys(value).slice(0, 20);
	if (names.length === 0) return 'an empty object';
	return `an object with ${names.map((name) => `"${name.slice(0, 60)}"`).join(', ')}`;
}
