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
	/** Whether these are answers only if a field of the form has one of the names. */
	isGuess?: boolean;
};

/** Attributes that always hold the answers. A response without them can have the answers in `data`. */
const CERTAIN_ATTRIBUTES = ['responses', 'answers'];

/** The attributes of a response that hold its answers, or may hold them. */
export function getAnswerAttributes(record: IDataObject): string[] {
	const certain = CERTAIN_ATTRIBUTES.filter((name) => Object.hasOwn(record, name));
	return certain.length > 0 ? certain : ['data'];
}

/**
 * Finds the answers of a response: a list of objects, a list of such lists, one for each page of the form,
 * or a map. The specification does not show the shape (section 2.4); these have been seen, or are close to
 * what has been seen. Anything else is a problem, never a part of the answers.
 */
export function decodeAnswers(record: IDataObject): Decoded {
	const names = getAnswerAttributes(record).filter((name) => Object.hasOwn(record, name));
	if (names.length === 0) return { answers: [], problem: describeMissing(record) };
	const container = names
		.map((name) => record[name])
		.find((value) => ['number', 'boolean'].includes(typeof value) || !isEmpty(value));
	if (container === undefined) return { answers: [] };
	// a form of several pages can have a list for each page
	const list = toList(container)?.flatMap((page) => toList(page) ?? [page]);
	if (list !== undefined) return decodeList(list);
	if (!isRecord(container) || Object.values(container).some(isContainer)) {
		const problem = `The answers could not be read from ${describeShape(container)}`;
		return { answers: [], problem };
	}
	const answers = Object.entries(container).map(([label, value]) => ({
		label,
		uuid: isUuid(label) ? label : undefined,
		value: (value ?? null) as GenericValue,
	}));
	const isGuess = names[0] === 'data' && !answers.some(({ uuid }) => uuid !== undefined);
	return { answers, isGuess };
}

/** The problem of a response in which no answers were found. */
export function describeMissing(record: IDataObject): string {
	return `No answers were found in ${describeShape(record)}`;
}

/** The entries of a list of answers. A map can have numbers for names too: those of fields. */
function toList(value: unknown): unknown[] | undefined {
	const entries = listEntries(value) ?? [];
	const isList =
		Array.isArray(value) ||
		entries.some((entry) => decodeEntry(entry) !== undefined || isContainer(entry));
	return isList ? entries : undefined;
}

/** Whether a value is no answer but a list of answers. A list of choices has labels and values alone. */
function isContainer(value: unknown): boolean {
	return (toList(value) ?? []).some(
		(entry) =>
			isRecord(entry) &&
			['key', 'response', 'uuid'].some((name) => name in entry) &&
			decodeEntry(entry) !== undefined,
	);
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
	const isWhole =
		'value' in entry ||
		'response' in entry ||
		Object.keys(entry).every((name) => WITHOUT_VALUE.includes(name));
	if (label === undefined || !isWhole) return undefined;
	const customKey = readLabelText(entry.custom_key);
	return { label, uuid, customKey, value: (value ?? response ?? null) as GenericValue };
}

/** A text, also from a number: PHP sends the label "2024" as a number. */
export function readLabelText(value: unknown): string | undefined {
	const text = Number.isFinite(value) ? String(value) : value;
	return typeof text === 'string' ? text : undefined;
}
