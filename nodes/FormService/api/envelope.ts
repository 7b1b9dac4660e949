import { isEmpty, uniq } from 'lodash';
import { z } from 'zod';
import { addPeriod } from './errorTexts';
import { isRecord } from './records';

/** A reply without its headers: `{success, message, data}` (docs/contract.md). */
export type Envelope = {
	/** The whole JSON of the reply. */
	body: unknown;
	/** The `data` of the reply. If the reply has no `data`, the whole JSON. */
	data: unknown;
	/** Whether the reply has `success: false`, whatever its status. */
	isFailure: boolean;
	hasErrors: boolean;
	/** The message of the reply, followed by the texts of its `errors`. */
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

const textsSchema = z.union([
	z.record(z.string(), z.union([z.string(), z.array(z.string())])),
	z.array(z.string()),
]);

export function unwrapEnvelope(body: unknown): Envelope {
	const { success, message, errors, data = body } = isRecord(body) ? body : {};
	const texts = Object.values(textsSchema.safeParse(errors).data ?? {}).flat();
	return {
		body,
		data,
		isFailure: success === false,
		hasErrors: !isEmpty(errors),
		message: joinMessages(typeof message === 'string' ? message.trim() : '', texts),
	};
}

/**
 * Joins the message of a reply and the texts of its errors. Leaves out a message that repeats a text, as Laravel
 * writes it: `Too long. (and 2 more errors)`.
 */
function joinMessages(message: string, texts: readonly string[]): string | undefined {
	const repeatsText = texts.some((text) => message.startsWith(text));
	const parts = [repeatsText ? '' : message, ...texts].filter((text) => text !== '');
	if (texts.length === 0) return message || undefined;
	return uniq(parts.map(addPeriod)).join(' ');
}

/** Describes a value by names and types, without values: `an object with "id" (string)`. */
export function describeShape(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (Array.isArray(value)) return describeList(value);
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const attributes = Object.entries(value).slice(0, 20);
	if (attributes.length === 0) return 'an empty object';
	const names = attributes.map(([name, entry]) => `"${name}" (${describeType(entry)})`);
	return `an object with ${names.join(', ')}`;
}

function describeList(entries: unknown[]): string {
	const types = uniq(entries.map(describeType));
	return entries.length === 0 ? 'an empty list' : `a list with ${types.join(', ')}`;
}

function describeType(value: unknown): string {
	if (Array.isArray(value)) return 'list';
	return value === null ? 'null' : typeof value;
}
