import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { readDay, readNumber, readTime } from '../readers';
import { isUuid } from '../records';
import { findChoice, indexChoices } from './choices';
import { findField } from './fields';
import type { FormField } from './fields';
import { isNothing, normalizeAnswer, readAnswer, readMidnight } from './kinds';
import type { AnsweredField, FieldKind } from './kinds';
import { matchAnswers } from './match';
import { RESPONSE_ATTRIBUTES, toCaseless } from './names';
import { getSubmittedAt } from './order';
import { listFiles } from './uploads';

/** How a value is compared, in the order of the editor's list. */
export const operators = [
	'after',
	'before',
	'contains',
	'greater',
	'is',
	'isEmpty',
	'isNot',
	'isNotEmpty',
	'less',
] as const;

export type Operator = (typeof operators)[number];

export type Condition = {
	/**
	 * The label, UUID or custom key of a field, else the name of an attribute of the response. With
	 * `ATTRIBUTE` before it, it is an attribute in any case.
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
 * Why the conditions cannot be checked: the first name that is neither a field nor an attribute, with the
 * names that there are. Such a condition would hold every response back, or none.
 *
 * @param records responses of the form, whose attributes count too
 * @returns the message of the error, and what to do
 */
export function explainUnknownField(
	{ conditions }: Conditions,
	fields: readonly FormField[],
	records: readonly IDataObject[] = [],
): { message: string; description: string } | undefined {
	const unknown = conditions.findIndex(({ field }) => {
		const name = getAttribute(field);
		const isAttribute = RESPONSE_ATTRIBUTES.includes(name);
		const isField = findField(field, fields).length > 0;
		return !isField && !isAttribute && !records.some((record) => Object.hasOwn(record, name));
	});
	if (unknown < 0) return undefined;
	const name = conditions[unknown].field.trim();
	const titles = fields.map(({ title }) => `"${title}"`).join(', ');
	const known = titles === '' ? 'The form has no fields.' : `The form's fields are ${titles}.`;
	return isUuid(name)
		? {
				message: `The field of condition ${unknown + 1} is no longer in the form`,
				description: `Choose the field again, or remove the condition. ${known}`,
			}
		: {
				message: `The form has no field "${name}"`,
				description: `Correct the field of condition ${unknown + 1}. ${known}`,
			};
}

function getAttribute(name: string): string {
	return name.trim().replace(ATTRIBUTE, '');
}

/** The entries that meet the conditions, and how many answers could not be compared. */
export type Filtered<Entry> = { met: Entry[]; uncompared: number };

/**
 * Keeps the entries whose responses meet the conditions; without any, each does. An answer that cannot be
 * compared, such as "1,200" with a number, meets no comparison.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export function filterByConditions<Entry extends { record: IDataObject }>(
	entries: readonly Entry[],
	{ match, conditions, zone }: Conditions,
	fields: readonly FormField[],
): Filtered<Entry> {
	if (conditions.length === 0) return { met: [...entries], uncompared: 0 };
	const subjects = conditions.map((condition) => findSubject(condition, fields, zone));
	const met: Entry[] = [];
	let uncompared = 0;
	for (const entry of entries) {
		const { answers } = matchAnswers(entry.record, fields);
		const outcomes = subjects.map((subject) => {
			const answer = answers.find(({ field }) => field !== undefined && field === subject.field);
			const value = subject.field ? answer?.value : readAttribute(entry.record, subject.attribute);
			return checkCondition(value, subject, zone);
		});
		uncompared += outcomes.filter(({ isCertain }) => !isCertain).length;
		const isMet = ({ isTrue }: Outcome) => isTrue;
		if (match === 'all' ? outcomes.every(isMet) : outcomes.some(isMet)) met.push(entry);
	}
	return { met, uncompared };
}

/** A sentence for the log of a run; undefined if all answers could be compared. */
export function describeUncompared(uncompared: number): string | undefined {
	if (uncompared === 0) return undefined;
	const count = uncompared === 1 ? '1 answer' : `${uncompared} answers`;
	return `${count} could not be compared with the conditions, such as a number with a comma or a date that is not written as 2026-01-31.`;
}

/** A condition with what it is about, a field or an attribute of the response, and what its value means. */
type Subject = AnsweredField & {
	operator: Operator;
	field?: FormField;
	attribute: string;
	wanted: {
		text: string;
		number?: number;
		time?: number;
		day?: string;
		/** In the spelling in which answers of a kind are compared. */
		normal: Partial<Record<FieldKind, string>>;
	};
};

function findSubject(
	{ field: name, operator, value }: Condition,
	fields: readonly FormField[],
	zone: string,
): Subject {
	const [field] = findField(name, fields);
	const attribute = getAttribute(name);
	const isTime = attribute.endsWith('_at');
	const kind = field?.kind ?? FILTER_ATTRIBUTES[attribute]?.kind ?? (isTime ? 'dateTime' : 'text');
	const choices = field?.choices ?? [];
	const normal = [kind, 'number', 'boolean'].map((one) => [
		one,
		toCaseless(normalizeAnswer(value, { kind: one as FieldKind, choices }, zone) ?? value),
	]);
	const wanted = {
		text: toCaseless(value),
		number: readNumber(value),
		time: readTime(value, zone),
		day: readDay(value),
		normal: Object.fromEntries(normal) as Subject['wanted']['normal'],
	};
	return { operator, field, attribute, kind, choices, wanted };
}

function readAttribute(record: IDataObject, name: string): unknown {
	// a service can have the time of submission under another name
	return record[name] ?? (name === 'submitted_at' ? getSubmittedAt(record) : undefined);
}

type Value = string | number | boolean;

/** Whether a condition is met, and whether all that it depends on could be compared. */
type Outcome = { isTrue: boolean; isCertain: boolean };

/** A list meets a condition that one of its entries meets; `isNot`, `isEmpty` and `isNotEmpty` are about all of them. */
function checkCondition(given: unknown, subject: Subject, zone: string): Outcome {
	const { operator } = subject;
	const values = listParts(readAnswer(given as GenericValue, subject));
	if (operator === 'isEmpty' || operator === 'isNotEmpty') {
		return { isTrue: (operator === 'isEmpty') === (values.length === 0), isCertain: true };
	}
	const outcomes = values.map((value) => compareValue(value, subject, zone));
	const isAny = outcomes.includes(true);
	const isCertain = isAny || !outcomes.includes(undefined);
	return { isTrue: operator === 'isNot' ? !isAny : isAny, isCertain };
}

/**
 * The texts, numbers and booleans in the value of an answer, also inside lists and objects. An uploaded
 * file gives its name: nobody searches its address.
 */
export function listParts(value: unknown): Value[] {
	if (Array.isArray(value)) return value.flatMap(listParts);
	const files = listFiles(value as GenericValue);
	if (files.length > 0) return files.map(({ name }) => name);
	if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listParts);
	const isValue = ['string', 'number', 'boolean'].includes(typeof value) && !isNothing(value);
	return isValue ? [value as Value] : [];
}

/** Whether one value meets a comparison; undefined if that cannot be said. */
function compareValue(value: Value, subject: Subject, zone: string): boolean | undefined {
	const { operator, choices, wanted } = subject;
	switch (operator) {
		case 'contains': {
			const choice = findChoice(value, indexChoices(choices));
			const texts = [String(value), choice?.name ?? ''];
			return texts.some((text) => toCaseless(text).includes(wanted.text));
		}
		case 'greater':
		case 'less': {
			const number = readNumber(value);
			if (number === undefined || wanted.number === undefined) return undefined;
			return operator === 'greater' ? number > wanted.number : number < wanted.number;
		}
		case 'before':
		case 'after': {
			const difference = compareTimes(value, subject, zone);
			if (difference === undefined) return undefined;
			return operator === 'after' ? difference > 0 : difference < 0;
		}
		default:
			return isEqual(value, subject, zone);
	}
}

/** By their texts, without regard to case, else by what they mean to their field: a number, a time, a choice. */
function isEqual(value: Value, subject: Subject, zone: string): boolean | undefined {
	const { choices, wanted } = subject;
	// JSON.parse has rounded a number of many digits
	if (typeof value !== 'number' && toCaseless(String(value)) === wanted.text) return true;
	const kind = getKind(value, subject.kind);
	if (kind === 'date' || kind === 'dateTime') {
		const difference = compareTimes(value, subject, zone);
		return difference === undefined ? undefined : difference === 0;
	}
	const normal = normalizeAnswer(value, { kind, choices }, zone);
	return normal === undefined ? undefined : toCaseless(normal) === wanted.normal[kind];
}

/** The kind of a value: an attribute, or a field of unknown type, can have numbers and booleans. */
function getKind(value: Value, kind: FieldKind): FieldKind {
	if (kind === 'file') return 'text';
	if (kind !== 'text') return kind;
	if (typeof value === 'boolean') return 'boolean';
	return typeof value === 'number' ? 'number' : 'text';
}

/**
 * How a date or time lies to that of the condition: above 0 if it is later. A date and a date with a time
 * are compared by their days in the workflow's zone.
 */
function compareTimes(value: Value, { field, kind, wanted }: Subject, zone: string) {
	// the service's own times are UTC (specification, section 2.1); an answered date is one of the calendar
	const time = readTime(value, field === undefined ? 'utc' : zone);
	if (time === undefined || wanted.time === undefined) return undefined;
	const day = kind === 'date' ? readMidnight(value, zone) : readDay(value);
	if (day === undefined && wanted.day === undefined) return time - wanted.time;
	const toDay = (one: number) => DateTime.fromMillis(one, { zone }).toISODate()!;
	return (day ?? toDay(time)).localeCompare(wanted.day ?? toDay(wanted.time));
}
