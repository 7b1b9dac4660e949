import type { GenericValue, IDataObject } from 'n8n-workflow';
import { isRecord } from '../records';

/** One answer of a response: the field's label, its UUID where the service gives it, the value as it came. */
export type Answer = { label: string; uuid?: string; value: GenericValue };

/** Where a response may keep its answers, the most telling name first. */
const ANSWER_ATTRIBUTES = [
	'answers',
	'responses',
	'response',
	'submission',
	'fields',
	'values',
	'data',
];
const LABEL_ATTRIBUTES = ['label', 'key', 'name', 'title', 'question', 'field'];
const VALUE_ATTRIBUTES = ['value', 'response', 'answer', 'values', 'text'];
const UUID_ATTRIBUTES = ['field_uuid', 'field_id', 'uuid', 'id'];

/**
 * Finds the answers of a response, whether they come as pairs, as a list of objects or as a map
 * (the specification leaves it open). Undefined when nothing in the record reads as answers.
 */
export function decodeAnswers(record: IDataObject): Answer[] | undefined {
	const candidates = ANSWER_ATTRIBUTES.map((attribute) => decode(record[attribute])).filter(
		(answers) => answers !== undefined,
	);
	return candidates.find((answers) => answers.length > 0) ?? candidates[0];
}

function decode(container: unknown): Answer[] | undefined {
	if (Array.isArray(container)) return allOrNone(container.map(decodeEntry));
	if (!isRecord(container)) return undefined;
	const entries = Object.entries(container);
	// PHP turns a list with gaps into an object with numeric keys.
	if (entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))) {
		const list = allOrNone(entries.map(([, entry]) => decodeEntry(entry)));
		if (list !== undefined) return list;
	}
	return allOrNone(entries.map(([key, value]) => decodeMapEntry(key, value)));
}

function decodeEntry(entry: unknown): Answer | undefined {
	if (Array.isArray(entry)) {
		const [label, value] = entry as unknown[];
		return entry.length === 2 && typeof label === 'string' && isValue(value)
			? { label, value }
			: undefined;
	}
	if (!isRecord(entry)) return undefined;
	const field = isRecord(entry.field) ? { ...entry, ...entry.field } : entry;
	const uuid = uuidOf(field);
	const labelAttribute = LABEL_ATTRIBUTES.find((name) => Object.hasOwn(field, name));
	const valueAttribute = VALUE_ATTRIBUTES.find((name) => Object.hasOwn(entry, name));
	if ((labelAttribute ?? uuid) === undefined || valueAttribute === undefined) return undefined;
	return {
		label: labelOf(field) ?? uuid ?? '',
		...(uuid !== undefined && { uuid }),
		value: entry[valueAttribute] as GenericValue,
	};
}

/** In a map the key is the label, or the field's UUID when the value brings the label itself. */
function decodeMapEntry(key: string, value: unknown): Answer | undefined {
	const answer = isRecord(value) ? decodeEntry(value) : undefined;
	if (answer !== undefined) return { ...answer, uuid: answer.uuid ?? key };
	return isValue(value) ? { label: key, value } : undefined;
}

/** PHP makes a number of a label that looks like one, such as "2024". */
function labelOf(field: IDataObject): string | undefined {
	return LABEL_ATTRIBUTES.map((name) => field[name])
		.map((label) => (typeof label === 'number' ? String(label) : label))
		.find(isText);
}

function uuidOf(field: IDataObject): string | undefined {
	return UUID_ATTRIBUTES.map((name) => field[name]).find(isText);
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

/** What an answer can be: text, a number, a list, or an object of a few such parts, as an address is. */
function isValue(value: unknown): value is GenericValue {
	if (Array.isArray(value)) return value.every(isValue);
	return !isRecord(value) || Object.values(value).every((part) => !isRecord(part));
}

function allOrNone(answers: Array<Answer | undefined>): Answer[] | undefined {
	return answers.every((answer) => answer !== undefined) ? answers : undefined;
}
