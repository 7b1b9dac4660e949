import { isEmpty, isObject, pick, uniq } from 'lodash';
import { addPeriod, cutAtCharacter } from './errorTexts';
import { parseBoolean } from './parseValues';
import { getId, isRecord, isUuid } from './records';

/** A reply without its headers: `{success, message, data}` (specification, sections 4 and 7). */
export type Envelope = {
	/** The whole JSON of the reply. */
	body: unknown;
	/** The `data` of the reply. If the reply has no envelope, the whole JSON. */
	data: unknown;
	/** Whether the reply has `success: false`, whatever its status. */
	isFailure: boolean;
	/**
	 * Whether the reply confirms that the service has acted: by `success: true`, or by an ID if there are no
	 * errors.
	 */
	isConfirmed: boolean;
	/**
	 * Whether the reply has a sign that the service has acted: `success: true`, or an ID. Also true for a reply
	 * that contradicts itself with `success: false` and an ID.
	 */
	hasSuccessSign: boolean;
	/**
	 * The ID of the record in the reply: the `uuid` or `id` in `data`, or `data` itself if it is a UUID.
	 * Otherwise, the `uuid` or `id` at the top level of the reply. If the top level also has `success`, `message` or
	 * `errors`, its `id` is ignored, because that `id` identifies the request.
	 */
	id?: string;
	/** The message of the reply, followed by the messages about fields: `Invalid data. captcha: Wrong answer.` */
	message?: string;
};

/** Parses a reply. Undefined if the reply is not JSON. */
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
	const isFailure = succeeded === false;
	const hasErrors = !isEmpty(errors);
	// a reply without these attributes can be the record itself
	const isEnvelope = ['success', 'message', 'errors'].some((name) => name in reply);
	const ids = isEnvelope ? pick(reply, 'uuid') : reply;
	const id = findDataId(isRecord(body) ? body.data : body) ?? getId(ids);
	return {
		body,
		data,
		id,
		isFailure,
		isConfirmed: succeeded ?? (id !== undefined && !hasErrors),
		hasSuccessSign: succeeded === true || id !== undefined,
		message: joinMessages(message, collectMessages(errors)),
	};
}

/** Returns the ID in the data of a reply. The data can be the UUID itself. */
function findDataId(data: unknown): string | undefined {
	if (isUuid(data)) return data;
	return isRecord(data) ? getId(data) : undefined;
}

/**
 * Joins the message of a reply and the messages about fields. Undefined if there are no messages. Leaves out
 * the message of the reply if it only repeats a message about a field, as in replies of the web framework
 * Laravel: `Too long. (and 2 more errors)`.
 */
function joinMessages(
	message: unknown,
	fieldMessages: readonly FieldMessage[],
): string | undefined {
	const summary = typeof message === 'string' ? message.trim() : '';
	if (fieldMessages.length === 0) return summary || undefined;
	const repeatsField = fieldMessages.some(({ text }) => summary.startsWith(text));
	const texts = [repeatsField ? '' : summary, ...fieldMessages.map(addPath)];
	return uniq(texts.filter((text) => text !== '').map(addPeriod)).join(' ');
}

/** A message about a field. `path` is the path of the field, such as `['data', '9b1f…']`. */
type FieldMessage = { text: string; path?: readonly string[] };

/**
 * Returns the messages in the `errors` of a reply. For example, Laravel sends `{"data.9b1f…": ["The data.9b1f…
 * is required."]}`.
 */
function collectMessages(
	errors: unknown,
	path: readonly string[] | undefined = [],
): FieldMessage[] {
	if (typeof errors === 'string') return [{ text: errors.trim(), path }];
	if (Array.isArray(errors)) {
		return errors.flatMap((entry: unknown) =>
			typeof entry === 'string' ? collectMessages(entry, path) : collectListed(entry),
		);
	}
	if (!isRecord(errors)) return [];
	return Object.entries(errors).flatMap(([name, entry]) =>
		collectMessages(entry, [...(path ?? []), ...name.split('.')]),
	);
}

/**
 * Returns the messages about fields in one entry of `errors`, if `errors` is a list. An example of an entry:
 * `{"field": "data.9b1f…", "message": "Too long."}`.
 */
function collectListed(entry: unknown): FieldMessage[] {
	if (!isObject(entry)) return [];
	const { field, message, ...details } = entry as Record<string, unknown>;
	const path = typeof field === 'string' ? field.split('.') : undefined;
	const texts = collectMessages(message ?? Object.values(details));
	// leave out the path within the entry, because an attribute such as "code" is not the name of a field
	return texts.map(({ text }) => ({ text, path }));
}

/**
 * Returns the text of a message about a field. If the text does not name the field, puts the path of the
 * field before the text: `captcha: Invalid.`
 */
function addPath({ text, path = [] }: FieldMessage): string {
	const name = path.findLast((segment) => !/^\d+$/.test(segment));
	const normalize = (value: string) => value.replaceAll('_', ' ').toLowerCase();
	if (name === undefined || normalize(text).includes(normalize(name))) return text;
	return `${path.join('.')}: ${text}`;
}

/**
 * Describes the shape of a value for an error: `an object with "id", "name"`, `a list of 3`, `a string`. Never
 * contains the value.
 *
 * @param redact removes the token from a name. Long names are cut afterward, because a cut could leave half of
 * the token
 */
export function describeShape(value: unknown, redact = (name: string) => name): string {
	if (Array.isArray(value)) return `a list of ${value.length}`;
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const names = Object.keys(value).slice(0, 20);
	if (names.length === 0) return 'an empty object';
	return `an object with ${names.map((name) => `"${cutAtCharacter(redact(name), 60)}"`).join(', ')}`;
}
