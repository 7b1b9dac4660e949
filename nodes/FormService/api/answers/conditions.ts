import { every, map, some, sumBy } from 'lodash';
import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { readDay, readNumber, readTime } from '../readers';
import { isRecord, isUuid } from '../records';
import { pauseIfDue } from '../clock';
import { canonicalize } from './canonical';
import { findChoices, indexChoices } from './choices';
import { explainSharedLabel, findFields } from './fields';
import type { FormField } from './fields';
import { isNothing, readAnswer } from './kinds';
import type { AnsweredField, FieldKind } from './kinds';
import { matchAnswers } from './match';
import { RESPONSE_ATTRIBUTES, toCaseless } from './names';
import { getSubmissionTime } from './order';
import { listFiles } from './uploads';

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

export type Conditions = {
	match: 'all' | 'any';
	conditions: readonly Condition[];
	/** The time zone of the workflow, for times that do not state their own zone. */
	zone: string;
};

/** What stands before the name of an attribute in the value of the editor's list: a field can have the name too. */
export const ATTRIBUTE = 'attribute:';

/** The attributes of a response by which people filter, as the editor lists them. */
export const FILTER_ATTRIBUTES: Readonly<Record<string, { title: string; kind: FieldKind }>> = {
	is_incomplete: { title: 'Incomplete', kind: 'boolean' },
	number: { title: 'Number', kind: 'number' },
	referrer: { title: 'Referrer', kind: 'text' },
	submitted_at: { title: 'Submitted At', kind: 'dateTime' },
};

/** Whether the fields of the form are needed: a name that is not marked as an attribute can be that of a field. */
export function conditionsNeedFields({ conditions }: Conditions): boolean {
	return conditions.some(({ field }) => !field.trim().startsWith(ATTRIBUTE));
}

/**
 * Why the conditions cannot be checked, and what to do: the first name that several fields have, or that is
 * neither a field nor an attribute, also of the records. Such a condition would hold every response back,
 * or none.
 */
export function findConditionProblem(
	{ conditions }: Conditions,
	fields: readonly FormField[],
	records: readonly IDataObject[] = [],
): { message: string; description: string } | undefined {
	const named = findFields(map(conditions, 'field'), fields);
	const isAttribute = (attribute: string) =>
		RESPONSE_ATTRIBUTES.includes(attribute) ||
		records.some((record) => Object.hasOwn(record, attribute));
	const wrong = named.findIndex(
		({ name, field, sharedBy }) =>
			sharedBy.length > 0 || (field === undefined && !isAttribute(getAttribute(name))),
	);
	if (wrong < 0) return undefined;
	const { name, sharedBy } = named[wrong];
	const titles = fields.map(({ title }) => `"${title}"`).join(', ');
	const known = titles === '' ? 'The form has no fields.' : `The form's fields are ${titles}.`;
	const place = `condition ${wrong + 1}`;
	const [message, advice = `Correct the field of ${place}.`] =
		sharedBy.length > 0
			? [explainSharedLabel(named[wrong]).replace(/\.$/, '')]
			: isUuid(name)
				? [`The field of ${place} is no longer in the form`, CHOOSE_AGAIN]
				: [`The form has no field "${name}"`];
	return { message, description: `${advice} ${known}` };
}

const CHOOSE_AGAIN = 'Choose the field again, or remove the condition.';

function getAttribute(name: string): string {
	return name.trim().replace(ATTRIBUTE, '');
}

/** The entries that meet the conditions, and a sentence for the log on answers that could not be compared. */
export type Filtered<Entry> = { met: Entry[]; note?: string };

/**
 * Keeps the entries whose responses meet the conditions; without any, each does. An answer that cannot be
 * compared, such as "1,200" with a number, meets no comparison.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export async function filterByConditions<Entry extends { record: IDataObject }>(
	entries: readonly Entry[],
	{ match, conditions, zone }: Conditions,
	fields: readonly FormField[],
): Promise<Filtered<Entry>> {
	if (conditions.length === 0) return { met: [...entries] };
	const named = findFields(map(conditions, 'field'), fields);
	const subjects = conditions.map((condition, index) =>
		createSubject(condition, named[index].field, zone),
	);
	const met: Entry[] = [];
	let uncompared = 0;
	for (const entry of entries) {
		await pauseIfDue();
		const outcomes = subjects.map((subject) => checkCondition(entry.record, fields, subject));
		uncompared += sumBy(outcomes, 'uncompared');
		const isMet = match === 'all' ? every(outcomes, 'isMet') : some(outcomes, 'isMet');
		if (isMet) met.push(entry);
	}
	return { met, note: describeUncompared(uncompared) };
}

function describeUncompared(uncompared: number): string | undefined {
	if (uncompared === 0) return undefined;
	const count = uncompared === 1 ? '1 answer' : `${uncompared} answers`;
	return `${count} could not be compared with the conditions, such as a number with a comma or a date that is not written as 2026-01-31.`;
}

/** A condition with what it is about, a field or an attribute of the response, and what its value means. */
type Subject = AnsweredField & {
	operator: Operator;
	field?: FormField;
	attribute: string;
	zone: string;
	/** The value as it was given, as text in small letters, and as a number, a time and a day, if it is one. */
	wanted: { value: string; text: string; number: number; timeMs: number; day?: string };
};

function createSubject(
	{ field: name, operator, value }: Condition,
	field: FormField | undefined,
	zone: string,
): Subject {
	const attribute = getAttribute(name);
	const { kind, choices = [] } = field ?? {
		kind: FILTER_ATTRIBUTES[attribute]?.kind ?? (attribute.endsWith('_at') ? 'dateTime' : 'text'),
	};
	const wanted = {
		value,
		text: toCaseless(value),
		number: readNumber(value) ?? NaN,
		timeMs: readTime(value, zone) ?? NaN,
		day: readDay(value),
	};
	return { operator, field, attribute, kind, choices, zone, wanted };
}

function readAttribute(record: IDataObject, name: string): unknown {
	// a service can have the time of submission under another name
	return record[name] ?? (name === 'submitted_at' ? getSubmissionTime(record) : undefined);
}

/**
 * Whether a response meets a condition, and whether its answer could not be compared (1 or 0). A list meets
 * a condition that one of its entries meets; `isNot`, `isEmpty` and `isNotEmpty` are about all of them.
 */
function checkCondition(record: IDataObject, fields: readonly FormField[], subject: Subject) {
	const { operator, field, attribute } = subject;
	const given = field
		? matchAnswers(record, fields).byField[field.position]?.value
		: readAttribute(record, attribute);
	const values = listParts(readAnswer(given as GenericValue, subject));
	if (operator === 'isEmpty') return { isMet: values.length === 0, uncompared: 0 };
	if (operator === 'isNotEmpty') return { isMet: values.length > 0, uncompared: 0 };
	const differences = values.map((value) => findDifference(value, subject));
	const isFound = differences.some((difference) => {
		if (operator === 'greater' || operator === 'after') return difference > 0;
		if (operator === 'less' || operator === 'before') return difference < 0;
		return difference === 0;
	});
	const isUncompared = !isFound && differences.some(Number.isNaN);
	return {
		isMet: operator === 'isNot' ? !isFound && !isUncompared : isFound,
		uncompared: isUncompared ? 1 : 0,
	};
}

type Value = string | number | boolean;

/**
 * The texts, numbers and booleans in the value of an answer, also inside lists and objects. An uploaded
 * file gives its name: nobody searches its address.
 */
export function listParts(value: unknown): Value[] {
	if (Array.isArray(value)) return value.flatMap(listParts);
	const files = listFiles(value as GenericValue);
	if (files.length > 0) return files.map(({ name }) => name);
	if (isRecord(value)) return Object.values(value).flatMap(listParts);
	return isNothing(value) ? [] : [value as Value];
}

/**
 * How a value lies to that of the condition: 0 if it is the same or contains it, above 0 if it is more or
 * later, and NaN if that cannot be said. Values are the same by their texts, without regard to case, or
 * by what they mean to their field: a number, a time, a choice.
 */
function findDifference(value: Value, subject: Subject): number {
	const { operator, choices, kind, wanted } = subject;
	if (operator === 'greater' || operator === 'less') {
		return (readNumber(value) ?? NaN) - wanted.number;
	}
	if (operator === 'before' || operator === 'after') return compareTimes(value, subject);
	const text = toCaseless(String(value));
	if (operator === 'contains') {
		const [choice] = findChoices(value, indexChoices(choices));
		const texts = [text, toCaseless(choice?.name ?? '')];
		return texts.some((one) => one.includes(wanted.text)) ? 0 : 1;
	}
	// JSON.parse has rounded a number of many digits
	if (typeof value !== 'number' && text === wanted.text) return 0;
	if (kind === 'date' || kind === 'dateTime') return compareTimes(value, subject);
	const compared = { kind: findKindOfValue(value, kind), choices };
	const [one, other] = [value, wanted.value].map((each) => canonicalize(each, compared).form);
	// "Ada" certainly differs from a number in a text field, and "1,200" not from one in a number field
	if (one === undefined || (other === undefined && compared.kind === kind)) return NaN;
	return one === other ? 0 : 1;
}

/** An attribute, or a field of unknown type, can have numbers and booleans. */
function findKindOfValue(value: Value, kind: FieldKind): FieldKind {
	if (kind !== 'text' && kind !== 'file') return kind;
	return typeof value === 'string' ? 'text' : (typeof value as 'boolean' | 'number');
}

/** A date and a date with a time are compared by their days in the workflow's zone. */
function compareTimes(value: Value, { field, kind, wanted, zone }: Subject): number {
	// the service's own times are UTC (specification, section 2.1); an answered date is one of the calendar
	const timeMs = readTime(value, field === undefined ? 'utc' : zone) ?? NaN;
	const difference = timeMs - wanted.timeMs;
	// services list a day as its midnight in one zone or another
	const day = readDay(kind === 'date' ? String(value).trim().slice(0, 10) : value);
	if (Number.isNaN(difference) || (day ?? wanted.day) === undefined) return difference;
	const toDay = (one: number) => DateTime.fromMillis(one, { zone }).toISODate()!;
	return (day ?? toDay(timeMs)).localeCompare(wanted.day ?? toDay(wanted.timeMs));
}
