import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../clock';
import { parseDay, parseNumber, parseTimeMs } from '../parseValues';
import { isRecord } from '../records';
import { findChoice } from './choices';
import { findField, type FormField } from './fields';
import {
	isBlank,
	normalizeAnswer,
	parseAnswer,
	type AnswerSpec,
	type FieldKind,
} from './fieldKinds';
import { matchAnswers, type MatchResult } from './matchAnswers';
import { SIMPLIFIED_ATTRIBUTES } from '../responseAttributes';
import { formatNames, foldCase } from '../spelling';
import { getSubmissionTimeMs } from '../recordTimes';
import { collectFiles } from './uploads';

/** How a value is compared, each way with its name in the editor. */
export const OPERATORS = {
	after: 'After',
	before: 'Before',
	contains: 'Contains',
	greater: 'Greater Than',
	is: 'Is',
	isEmpty: 'Is Empty',
	isNot: 'Is Not',
	isNotEmpty: 'Is Not Empty',
	less: 'Less Than',
};

export type Operator = keyof typeof OPERATORS;

export type Condition = {
	/**
	 * The label, UUID or custom key of a field, else the name of an attribute of the response. With
	 * `ATTRIBUTE` before it, it is always an attribute.
	 */
	field: string;
	operator: Operator;
	/** What the field is compared with; not used by `isEmpty` and `isNotEmpty`. */
	value: string;
};

export type ConditionSet = {
	match: 'all' | 'any';
	conditions: readonly Condition[];
	/** The time zone of the workflow, for times that do not state their own zone. */
	zone: string;
};

/** What stands before the name of an attribute in the value of the editor's list: a field can have the name too. */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** The attributes of a response by which people filter, as the editor lists them. */
export const FILTERABLE_ATTRIBUTES: Readonly<Record<string, { title: string; kind: FieldKind }>> = {
	is_incomplete: { title: 'Incomplete', kind: 'boolean' },
	number: { title: 'Number', kind: 'number' },
	referrer: { title: 'Referrer', kind: 'text' },
	submitted_at: { title: 'Submitted At', kind: 'dateTime' },
};

/** Whether the fields of the form are needed: a name that is not marked as an attribute can be that of a field. */
export function conditionsNeedFields({ conditions }: ConditionSet): boolean {
	return conditions.some(({ field }) => !field.startsWith(ATTRIBUTE_PREFIX));
}

/**
 * Why the conditions cannot be checked, and what to do: the first name that is neither a field nor an
 * attribute. Such a condition would hold every response back, or none.
 */
export function findConditionProblem(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
): { message: string; description: string } | undefined {
	const wrong = conditions.findIndex(
		({ field }) =>
			findField(field, fields) === undefined &&
			!SIMPLIFIED_ATTRIBUTES.includes(getAttribute(field)),
	);
	if (wrong < 0) return undefined;
	const message = `The form has no field "${conditions[wrong].field}"`;
	const titles = formatNames(fields.map(({ title }) => `"${title}"`)) || 'none';
	const description = `Choose the field of condition ${wrong + 1} again, or remove the condition. The form's fields are ${titles}.`;
	return { message, description };
}

function getAttribute(name: string): string {
	return name.replace(ATTRIBUTE_PREFIX, '');
}

/**
 * Keeps the entries whose responses meet the conditions; without any, each does. n8n's own
 * `executeFilterCondition` is not used: in its loose mode, null is less than 5, "1,200" and times in epoch
 * seconds are errors, and 01/02/2026 is a time; it knows no time zone, and it takes 50 times as long.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export async function filterByConditions<Entry extends { record: IDataObject }>(
	entries: readonly Entry[],
	{ match, conditions, zone }: ConditionSet,
	fields: readonly FormField[],
): Promise<Entry[]> {
	if (conditions.length === 0) return [...entries];
	const subjects = conditions.map((condition) => createSubject(condition, fields, zone));
	const met: Entry[] = [];
	for (const entry of entries) {
		await yieldIfDue();
		const answers = matchAnswers(entry.record, fields);
		const isMet = (subject: Subject) => meetsCondition(entry.record, answers, subject);
		if (match === 'all' ? subjects.every(isMet) : subjects.some(isMet)) met.push(entry);
	}
	return met;
}

/** A condition with what it is about, a field or an attribute of the response, and what its value means. */
type Subject = ReturnType<typeof createSubject>;

function createSubject(
	{ field: name, operator, value }: Condition,
	fields: readonly FormField[],
	zone: string,
) {
	const attribute = getAttribute(name);
	const field = findField(name, fields);
	const ofAttribute = { kind: FILTERABLE_ATTRIBUTES[attribute]?.kind ?? 'text', choices: [] };
	const { kind, choices }: AnswerSpec = field ?? ofAttribute;
	// a value that is no time is neither before nor after one
	const [timeMs = NaN, day] = [parseTimeMs(value, zone), parseDay(value)];
	return { operator, field, attribute, kind, choices, zone, value, timeMs, day };
}

/** Whether a response meets a condition. A list meets a condition that one of its entries meets. */
function meetsCondition(record: IDataObject, { byField }: MatchResult, subject: Subject): boolean {
	const { operator, field, attribute, value } = subject;
	// a service can have the time of submission under another name
	const spare = attribute === 'submitted_at' ? getSubmissionTimeMs(record) : null;
	const given = field ? byField[field.position]?.value : (record[attribute] ?? spare);
	const parts = flattenAnswer(parseAnswer(given as GenericValue, subject));
	switch (operator) {
		case 'isEmpty':
			return parts.length === 0;
		case 'isNotEmpty':
			return parts.length > 0;
		case 'is':
			return parts.some((part) => isSame(part, subject));
		case 'isNot':
			return !parts.some((part) => isSame(part, subject));
		case 'contains':
			return parts.some((part) => containsText(part, subject));
		case 'greater':
			return parts.some((part) => (parseNumber(part) ?? NaN) > Number(value));
		case 'less':
			return parts.some((part) => (parseNumber(part) ?? NaN) < Number(value));
		case 'after':
			return parts.some((part) => compareTimes(part, subject) > 0);
		case 'before':
			return parts.some((part) => compareTimes(part, subject) < 0);
	}
}

type Part = string | number | boolean;

/**
 * The texts, numbers and booleans in the value of an answer, also inside lists and objects. An uploaded
 * file gives its name: nobody searches its address.
 */
export function flattenAnswer(value: unknown): Part[] {
	if (Array.isArray(value)) return value.flatMap(flattenAnswer);
	const files = collectFiles(value as GenericValue);
	if (files.length > 0) return files.map(({ name }) => name);
	if (isRecord(value)) return Object.values(value).flatMap(flattenAnswer);
	return isBlank(value) ? [] : [value as Part];
}

function containsText(part: Part, { choices, value }: Subject): boolean {
	const texts = [part, findChoice(part, choices)?.name ?? ''];
	return texts.some((text) => foldCase(String(text)).includes(foldCase(value)));
}

/** Values are the same by what they mean to their field, such as a number, a time or a choice, or by their texts. */
function isSame(part: Part, subject: Subject): boolean {
	const { kind, choices, value } = subject;
	if (compareTimes(part, subject) === 0) return true;
	// a part of a list is one choice
	const field = { kind: kind === 'multipleChoice' ? 'singleChoice' : kind, choices } as const;
	const [one, other] = [part, value].map((each) => normalizeAnswer(field, each) ?? String(each));
	return foldCase(one) === foldCase(other);
}

/**
 * How a time lies to that of the condition: 0 if it is the same, above 0 if it is later, NaN if it is no time.
 * If one of them is a day, their days in the workflow's zone are compared.
 */
function compareTimes(part: Part, { field, kind, timeMs, day, zone }: Subject): number {
	// the service's own times are UTC (specification, section 2.1); an answered date is one of the calendar
	const partMs = parseTimeMs(part, field === undefined ? 'utc' : zone) ?? NaN;
	const difference = partMs - timeMs;
	// services list a day as its midnight in one zone or another
	const partDay = parseDay(kind === 'date' ? String(part).trim().slice(0, 10) : part);
	if (Number.isNaN(difference) || (partDay ?? day) === undefined) return difference;
	const toDay = (one: number) => DateTime.fromMillis(one, { zone }).toISODate()!;
	return (partDay ?? toDay(partMs)).localeCompare(day ?? toDay(timeMs));
}
