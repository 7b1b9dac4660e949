import { readBoolean } from './readers';
import { getId, getIdentity, isRecord, isUuid } from './records';

/** What a reply contains, whether or not it answers the request. */
export type Content =
	| { kind: 'json'; value: unknown; isGarbled?: boolean }
	/** JSON that is `cutOff` ends too early; n8n cannot store what is `tooDeep`. */
	| { kind: 'webPage' | 'empty' | 'cutOff' | 'unreadable' | 'tooDeep' | 'tooLarge' };

/**
 * Reads the body of a reply (specification, section 1: every body is JSON); undefined if it was too large.
 * JSON is garbled if some of its bytes are no text: an error where answers are compared, else a hint.
 */
export function readContent(headers: Readonly<Record<string, unknown>>, body?: Buffer): Content {
	if (body === undefined) return { kind: 'tooLarge' };
	const type = String(headers['content-type'] ?? '');
	const { text, isGarbled } = decodeText(type, body);
	try {
		const value: unknown = JSON.parse(text);
		if (hasMoreLevels(MAX_LEVELS, value)) return { kind: 'tooDeep' };
		return { kind: 'json', value, isGarbled };
	} catch {
		const start = text.trimStart().slice(0, 20);
		if (start === '') return { kind: 'empty' };
		if (/\bhtml\b/i.test(type) || /^<(!doctype|html|head|body|\?xml)/i.test(start)) {
			return { kind: 'webPage' };
		}
		return { kind: /^[[{]/.test(start) ? 'cutOff' : 'unreadable' };
	}
}

/**
 * The text of a body in the charset that its type names, else in UTF-8 (RFC 8259, section 8.1). It is garbled
 * if some bytes are no text in either: an error where answers are compared or matched, else a hint in the log.
 */
function decodeText(type: string, body: Buffer): { text: string; isGarbled?: boolean } {
	const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]+)/i.exec(type) ?? [];
	for (const name of [charset, 'utf-8']) {
		try {
			return { text: new TextDecoder(name, { fatal: true }).decode(body) };
		} catch {
			// an unknown charset, or one that the body is not in
		}
	}
	return { text: new TextDecoder().decode(body), isGarbled: true };
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
export type Envelope = {
	failed: boolean;
	isConfirmed: boolean;
	id?: string;
	message?: string;
	details: string[];
	data: unknown;
};

/**
 * Unwraps `{success, message, data}`. What comes without an envelope is the data itself. A
 * `success: false` is a failure at any status. `details` are messages on single fields. `id` is the `uuid` or
 * `id` in the data, or next to it. A request that acts is confirmed by `success: true`, or by an ID and no error.
 */
export function unwrap(value: unknown): Envelope {
	if (!isRecord(value)) return { failed: false, isConfirmed: false, details: [], data: value };
	const { success, data, message, error, errors, status, title, detail } = value;
	const errorText = isRecord(error) ? error.message : error;
	// a problem (RFC 9457) has a title and a detail; a form has a title as well
	const texts = [message, ...(getIdentity(value) === undefined ? [title, detail] : [])];
	const said = [message, errorText, ...texts].find(isText);
	const details = listDetails(errors);
	const isBare = success === undefined && !('data' in value) && getIdentity(value) === undefined;
	const hasError = status === 'error' || error === true || isText(errorText) || details.length > 0;
	const succeeded = readBoolean(success);
	const id = isUuid(data) ? data : ((isRecord(data) ? getId(data) : undefined) ?? getId(value));
	return {
		// a reply with an error and nothing else is a failure at any status
		failed: succeeded === false || (isBare && hasError),
		isConfirmed: succeeded ?? (id !== undefined && !hasError),
		id,
		...(said !== undefined && { message: said.trim() }),
		details: [...listMessages(texts.filter((text) => text !== said)), ...details],
		data: 'data' in value ? data : value,
	};
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

/** Messages on fields: `{field: [text]}`, `{field: text}`, or a list of texts or of `{message}`, also nested. */
function listDetails(errors: unknown, above = ''): string[] {
	if (!isRecord(errors)) return listMessages(errors);
	return Object.entries(errors).flatMap(([field, given]) =>
		// PHP can send a list as an object
		listMessages(given, /^\d+$/.test(field) ? above : field),
	);
}

function listMessages(given: unknown, field = ''): string[] {
	if (isText(given)) return [given.includes(field) ? given : `${field}: ${given}`];
	if (Array.isArray(given)) return given.flatMap((one) => listMessages(one, field));
	if (!isRecord(given)) return [];
	const text = [given.message, given.detail, given.msg, given.title].find(isText);
	return text === undefined ? listDetails(given, field) : listMessages(text, field);
}

/** For an error: the names in an object, or what kind of value something else is; never the value. */
export function describeShape(value: unknown): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const names = Object.keys(value).slice(0, 20);
	if (names.length === 0) return 'an empty object';
	return `an object with ${names.map((name) => `"${name.slice(0, 60)}"`).join(', ')}`;
}
