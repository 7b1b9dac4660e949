import { compact, isEmpty } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { describeShape } from '../envelope';
import { isRecord, isUuid, listEntries } from '../records';

/** One answer of a response, with the names of its field in the reply. */
export type Answer = {
	/** In a map, the key: a label, or the UUID or custom key of the field. */
	label: string;
	/** The UUID of the field, as the service writes it. */
	uuid?: string;
	customKey?: string;
	/** As the service gave it; null if nothing was answered. */
	value: GenericValue;
};

/** The answers of a response. */
export type Decoded = {
	answers: Answer[];
	/** A sentence on answers that could not be read. It names attributes, never values. */
	problem?: string;
};

/** Attributes that have been seen to hold the answers. A response without them can have the answers in `data`. */
const SEEN_ATTRIBUTES = ['responses', 'answers'];

/** The attributes of a response that hold its answers, or may hold them. */
export function getAnswerAttributes(record: IDataObject): string[] {
	const seen = SEEN_ATTRIBUTES.filter((name) => Object.hasOwn(record, name));
	return seen.length > 0 ? seen : ['data'];
}

/**
 * Finds the answers of a response: a list of objects, a list of such lists, one for each page of the form,
 * or a map. The specification does not show the shape (section 2.4). Anything else is a problem, never a part
 * of the answers.
 */
export function decodeAnswers(record: IDataObject): Decoded {
	const names = getAnswerAttributes(record).filter((name) => Object.hasOwn(record, name));
	if (names.length === 0) {
		return { answers: [], problem: `No answers were found in ${describeShape(record)}` };
	}
	const containers = names.map((name) => record[name]);
	const container = containers.find((one) => typeof one === 'number' || !isEmpty(one));
	if (container === undefined) return { answers: [] };
	const pages = toList(container);
	if (pages !== undefined) return decodeList(pages.flatMap((page) => toList(page) ?? [page]));
	if (isRecord(container) && !Object.values(container).some(isListOfAnswers)) {
		return { answers: Object.entries(container).map(decodePair) };
	}
	return { answers: [], problem: `The answers could not be read from ${describeShape(container)}` };
}

/** The entries of a list, also of one that PHP sends as an object with numbers for names; labels can be numbers too. */
function toList(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value as unknown[];
	const entries = listEntries(value);
	return entries?.some(isRecord) ? entries : undefined;
}

/** Whether a value in a map is no answer but holds answers itself. Choices have labels and values alone. */
function isListOfAnswers(value: unknown): boolean {
	const isAnswer = (entry: unknown) =>
		isRecord(entry) && ['key', 'response', 'uuid'].some((name) => name in entry);
	return Array.isArray(value) && value.some(isAnswer);
}

function decodeList(list: readonly unknown[]): Decoded {
	const decoded = list.map(decodeEntry);
	const answers = compact(decoded);
	if (answers.length === list.length) return { answers };
	const count = `${list.length - answers.length} of ${list.length} entries`;
	const example = describeShape(list[decoded.indexOf(undefined)]);
	return { answers, problem: `The answers could not be read from ${count}, such as ${example}` };
}

/** Attributes of an entry without a value: a heading, or a field that was not answered. */
const WITHOUT_VALUE = ['label', 'key', 'uuid', 'custom_key', 'type', 'id'];

/** `{key, value}`, as listings have it, or `{label, response, uuid, custom_key}`, as events have it. */
function decodeEntry(entry: unknown): Answer | undefined {
	if (!isRecord(entry)) return undefined;
	const { value, response } = entry;
	const uuid = readLabelText(entry.uuid) || undefined;
	// services give a field without a label null or ""
	const unlabelled = [entry.label, entry.key].includes(null) ? '' : undefined;
	const label = readLabelText(entry.label) ?? readLabelText(entry.key) ?? uuid ?? unlabelled;
	const hasValue = 'value' in entry || 'response' in entry;
	const isWhole = hasValue || Object.keys(entry).every((name) => WITHOUT_VALUE.includes(name));
	if (label === undefined || !isWhole) return undefined;
	const customKey = readLabelText(entry.custom_key);
	return { label, uuid, customKey, value: (value ?? response ?? null) as GenericValue };
}

function decodePair([label, value]: [string, unknown]): Answer {
	const uuid = isUuid(label) ? label : undefined;
	return { label, uuid, value: (value ?? null) as GenericValue };
}

/** A text, also from a number: PHP sends the label "2024" as a number. */
export function readLabelText(value: unknown): string | undefined {
	const text = Number.isFinite(value) ? String(value) : value;
	return typeof text === 'string' ? text : undefined;
}
