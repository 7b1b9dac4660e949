import { jsonParse } from 'n8n-workflow';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { shapeOf } from '../envelope';
import { isRecord, isUuid } from '../records';

/** One answer of a response, with the names of its field in the reply. */
export type Answer = {
	label: string;
	/** The UUID or ID of the field, as the service writes it. */
	uuid?: string;
	/** An ID that is that of the field, or else of the answer itself. */
	id?: string;
	/** The name that the form's author gave to the field for programs. */
	customKey?: string;
	/** As the service gave it; null if nothing was answered. */
	value: GenericValue;
};

/** The answers of a response. The problem says in a sentence which of them could not be read. */
type Decoded = { answers: Answer[]; problem?: string };

/** Attributes that always hold the answers. */
const CERTAIN_ATTRIBUTES = ['answers', 'responses'];
/** Attributes that can hold the answers of a response without those, the likeliest first. */
const OTHER_ATTRIBUTES = ['response', 'submission', 'fields', 'values', 'data'];

const LABEL_ATTRIBUTES = ['label', 'key', 'name', 'title', 'question', 'field'];
const VALUE_ATTRIBUTES = ['value', 'response', 'answer', 'values', 'text'];
const UUID_ATTRIBUTES = ['field_uuid', 'field_id', 'uuid'];
const ID_ATTRIBUTES = [...UUID_ATTRIBUTES, 'id'];
const CUSTOM_KEY_ATTRIBUTES = ['custom_key', 'customKey'];

/**
 * Finds the answers of a response: pairs, a list of objects, a list of such lists or a map, since the
 * specification does not show the shape (section 2.4). A known attribute that is empty means that there
 * are no answers.
 */
export function decodeAnswers(record: IDataObject): Decoded {
	const names = answerAttributes(record);
	const containers = names.filter((name) => Object.hasOwn(record, name));
	const values = containers.map((name) => parsed(record[name]));
	const isCertain = CERTAIN_ATTRIBUTES.includes(names[0]);
	const container = isCertain
		? values.find((one) => !isEmptyContainer(one))
		: values.find((one) => listOf(one)?.some(isLabelled));
	if (container !== undefined) return decode(container);
	if (values.some(isEmptyContainer)) return { answers: [] };
	const map = values.find((one) => isRecord(one) && Object.values(one).every(isPlain));
	if (map !== undefined) return decode(map);
	return { answers: [], problem: `No answers were found in ${shapeOf(record)}` };
}

/** The attributes of a response that hold its answers, or may hold them. */
export function answerAttributes(record: IDataObject): string[] {
	const certain = CERTAIN_ATTRIBUTES.filter((name) => Object.hasOwn(record, name));
	return certain.length > 0 ? certain : OTHER_ATTRIBUTES;
}

/** Services that store answers as JSON text can return the text. */
function parsed(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
	return jsonParse<unknown>(value, { fallbackValue: value });
}

function isEmptyContainer(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
	return value === undefined || value === null || value === '';
}

function decode(container: unknown): Decoded {
	const list = listOf(container);
	if (list !== undefined) return decodeList(list, container);
	if (!isRecord(container)) {
		return { answers: [], problem: `The answers could not be read from ${shapeOf(container)}` };
	}
	const inner = CERTAIN_ATTRIBUTES.map((name) => container[name]).find((one) =>
		listOf(one)?.every(isLabelled),
	);
	if (inner !== undefined) return decode(inner);
	const entries = Object.entries(container);
	return { answers: entries.map(([key, value]) => decodeMapEntry(key, value)) };
}

function decodeList(list: readonly unknown[], container: unknown): Decoded {
	const answers = list.map(decodeEntry).filter((answer) => answer !== undefined);
	const unread = list.length - answers.length;
	if (unread === 0) return { answers };
	const what = answers.length === 0 ? shapeOf(container) : `${unread} of ${list.length} entries`;
	return { answers, problem: `The answers could not be read from ${what}` };
}

/** The entries of a list, of nested lists, or of a list with gaps, which PHP sends as an object. */
function listOf(container: unknown): unknown[] | undefined {
	if (Array.isArray(container)) {
		return (container as unknown[]).flatMap((entry) =>
			Array.isArray(entry) && !isPair(entry) ? listOf(entry)! : [entry],
		);
	}
	if (!isRecord(container) || !Object.keys(container).every((key) => /^\d+$/.test(key)))
		return undefined;
	const entries = Object.values(container);
	// a list of two choices in a map by field ID looks like a pair
	const isList = entries.some((entry) => isRecord(entry) && isLabelled(entry));
	return isList ? listOf(entries) : undefined;
}

function isPair(entry: unknown[]): boolean {
	return entry.length === 2 && ['string', 'number'].includes(typeof entry[0]);
}

/** Whether an entry of a list has the label or the UUID of its field. */
function isLabelled(entry: unknown): boolean {
	return decodeEntry(entry) !== undefined;
}

function decodeEntry(entry: unknown): Answer | undefined {
	if (Array.isArray(entry)) {
		const [label, value] = entry as GenericValue[];
		return isPair(entry) ? { label: String(label), value } : undefined;
	}
	if (!isRecord(entry)) return undefined;
	const described = [entry.field, entry.question].find(isRecord);
	const field: IDataObject = { ...entry, ...described };
	const uuid = firstText(described ?? {}, ID_ATTRIBUTES) ?? firstText(entry, UUID_ATTRIBUTES);
	const id = firstText(entry, ['id']);
	if (uuid === undefined && id === undefined && !hasAny(field, LABEL_ATTRIBUTES)) return undefined;
	const valueName = VALUE_ATTRIBUTES.find((name) => Object.hasOwn(entry, name));
	return {
		label: firstText(field, LABEL_ATTRIBUTES) ?? uuid ?? id ?? '',
		uuid,
		id,
		customKey: firstText(field, CUSTOM_KEY_ATTRIBUTES),
		// headings and unanswered questions have no value
		value: (valueName === undefined ? null : (entry[valueName] as GenericValue)) ?? null,
	};
}

/**
 * In a map, the key is the label. If the value is an object that describes the field, the key is the
 * field's UUID or custom key. An object with only a label and a value is a chosen option.
 */
function decodeMapEntry(key: string, value: unknown): Answer {
	const describesField =
		isRecord(value) &&
		hasAny(value, VALUE_ATTRIBUTES) &&
		(isUuid(key) ||
			ID_ATTRIBUTES.some((name) => value[name] === key || isUuid(value[name])) ||
			hasAny(value, ['question', 'answer', 'field', ...CUSTOM_KEY_ATTRIBUTES]));
	const answer = describesField ? decodeEntry(value) : undefined;
	if (answer === undefined) {
		const uuid = isUuid(key) ? key : undefined;
		return { label: key, uuid, value: (value ?? null) as GenericValue };
	}
	return isUuid(key)
		? { ...answer, uuid: answer.uuid ?? key }
		: { ...answer, customKey: answer.customKey ?? key };
}

function hasAny(object: IDataObject, names: readonly string[]): boolean {
	return names.some((name) => Object.hasOwn(object, name));
}

/** The first of these attributes that is text or a number: PHP sends the label "2024" as a number. */
function firstText(object: IDataObject, names: readonly string[]): string | undefined {
	return names
		.map((name) => object[name])
		.map((value) => (Number.isFinite(value) ? String(value) : value))
		.find((value): value is string => typeof value === 'string' && value !== '');
}

/** Whether a value can stand in a map of answers: it has no objects inside objects. */
function isPlain(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isPlain);
	return !isRecord(value) || Object.values(value).every((part) => !isRecord(part));
}
