import { gt, lt } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { readBoolean, readNumber, readTime } from '../readers';
import { comparableId } from '../records';
import { decodeAnswers } from './decode';
import type { FieldKind, FormField } from './fields';
import { matchAnswers } from './match';
import { comparable, RESPONSE_ATTRIBUTES } from './names';
import { newestFirst, oldestFirst, submittedAt } from './order';
import { filesIn } from './uploads';

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
	/** An attribute of the response, or the label, UUID or custom key of a field. */
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

/** The responses that are wanted of a list, and their order. */
export type Wanted = {
	/** Submitted after and before these times, in epoch milliseconds; the times themselves are out. */
	after?: number;
	before?: number;
	/** A text that one of the answers contains, in capital or small letters. */
	text?: string;
	conditions: Conditions;
	sort: 'newest' | 'oldest' | 'listed';
};

/** Whether all responses are wanted as they are listed, so that the first ones are enough. */
export function wantsAll({ after, before, text, conditions, sort }: Wanted): boolean {
	const isUnfiltered = [after, before, text].every((one) => one === undefined);
	return isUnfiltered && conditions.conditions.length === 0 && sort === 'listed';
}

/**
 * The responses that are wanted, in order. A response without a time that can be read is neither after
 * nor before another; equally old ones stay as they are listed.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export function findResponses(
	records: readonly IDataObject[],
	{ after, before, text, conditions, sort }: Wanted,
	fields: readonly FormField[] = [],
): IDataObject[] {
	const found = records.filter(
		(record) =>
			(after === undefined || gt(submittedAt(record), after)) &&
			(before === undefined || lt(submittedAt(record), before)) &&
			(text === undefined || hasText(record, text)) &&
			meets(record, conditions, fields),
	);
	if (sort === 'listed') return found;
	const entries = found.map((record) => ({ record }));
	const ordered = sort === 'newest' ? newestFirst(entries) : oldestFirst(entries);
	return ordered.map(({ record }) => record);
}

function hasText(record: IDataObject, text: string): boolean {
	const wanted = searchable(text);
	return textsOf(record).some((one) => searchable(one).includes(wanted));
}

/** The texts and numbers in the answers of a response, however deep; of an uploaded file, its name. */
export function textsOf(record: IDataObject): string[] {
	return decodeAnswers(record).answers.flatMap(({ value }) => partsOf(value).map(String));
}

/** A text in the form in which it is searched: without case, and in one Unicode form. */
export function searchable(text: string): string {
	return text.normalize('NFC').toLowerCase();
}

/** Whether the fields of the form are needed: an answer in a reply does not have all names of its field. */
export function conditionsNeedFields({ conditions }: Conditions): boolean {
	return conditions.some(({ field }) => !isAttribute(field));
}

/**
 * Why the conditions cannot be checked: the first name that is neither a field nor an attribute, with the
 * names that there are. Such a condition would hold every response back, or none.
 *
 * @param records responses of the form, whose attributes count too
 * @returns a sentence without a period
 */
export function conditionProblem(
	{ conditions }: Conditions,
	fields: readonly FormField[],
	records: readonly IDataObject[] = [],
): string | undefined {
	const unknown = conditions.find(
		({ field }) =>
			!isAttribute(field) &&
			fieldNamed(field, fields) === undefined &&
			!records.some((record) => Object.hasOwn(record, field.trim())),
	);
	if (unknown === undefined) return undefined;
	const titles = fields.map(({ title }) => `"${title}"`).join(', ');
	const known = titles === '' ? 'The form has no fields' : `Its fields are ${titles}`;
	return `The form has no field "${unknown.field.trim()}". ${known}`;
}

function isAttribute(name: string): boolean {
	return RESPONSE_ATTRIBUTES.includes(name.trim());
}

/**
 * The field of a form that a name means: by UUID or ID, by label with its number ("Full name (2)"), by
 * custom key, by its name in items, or by label or custom key in other capitals.
 */
function fieldNamed(name: string, fields: readonly FormField[]): FormField | undefined {
	const wanted = comparable(name);
	const small = wanted.toLowerCase();
	return (
		fields.find(({ ids }) => ids.includes(comparableId(wanted))) ??
		fields.find(({ match }) => match.title === wanted) ??
		fields.find(({ match }) => match.customKey === wanted) ??
		fields.find(({ match }) => match.name === wanted) ??
		fields.find(({ match }) => match.title.toLowerCase() === small) ??
		fields.find(({ match }) => match.customKey?.toLowerCase() === small)
	);
}

/**
 * Whether a response meets the conditions; without any, each does.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export function meets(
	record: IDataObject,
	{ match, conditions, zone }: Conditions,
	fields: readonly FormField[],
): boolean {
	if (conditions.length === 0) return true;
	const { answers } = matchAnswers(record, fields);
	const holds = (condition: Condition) => {
		const { field: name } = condition;
		const field = isAttribute(name) ? undefined : fieldNamed(name, fields);
		const answer = answers.find((one) => one.field === field);
		const value = field === undefined ? record[name.trim()] : answer?.value;
		const parts = partsOf(value).filter((part) => normal(part) !== '');
		return isTrue(condition, parts, zone, field);
	};
	return match === 'all' ? conditions.every(holds) : conditions.some(holds);
}

type Value = string | number | boolean;

/**
 * The texts, numbers and booleans in the value of an answer, also inside lists and objects. An uploaded
 * file gives its name: nobody searches its address.
 */
function partsOf(value: unknown): Value[] {
	if (Array.isArray(value)) return value.flatMap(partsOf);
	const files = filesIn(value as GenericValue);
	if (files.length > 0) return files.map(({ name }) => name);
	if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(partsOf);
	return ['string', 'number', 'boolean'].includes(typeof value) ? [value as Value] : [];
}

/**
 * A list meets a condition that one of its entries meets; `isNot`, `isEmpty` and `isNotEmpty` are about all
 * of them.
 *
 * @param field the field that was answered; undefined for an attribute of the response
 */
function isTrue(
	{ operator, value: wanted }: Condition,
	values: readonly Value[],
	zone: string,
	field?: FormField,
): boolean {
	// the service's own times are UTC (specification, section 2.1); an answered date is one of the calendar
	const timeOf = (value: Value) => readTime(value, field === undefined ? 'utc' : zone);
	switch (operator) {
		case 'is':
			return values.some((value) => isEqual(value, wanted, field?.kind));
		case 'isNot':
			return !values.some((value) => isEqual(value, wanted, field?.kind));
		case 'contains':
			return values.some((value) => normal(value).includes(normal(wanted)));
		case 'isEmpty':
			return values.length === 0;
		case 'isNotEmpty':
			return values.length > 0;
		// gt and lt are false for a number or time that cannot be read
		case 'greater':
			return values.some((value) => gt(readNumber(value), readNumber(wanted)));
		case 'less':
			return values.some((value) => lt(readNumber(value), readNumber(wanted)));
		case 'before':
			return values.some((value) => lt(timeOf(value), readTime(wanted, zone)));
		case 'after':
			return values.some((value) => gt(timeOf(value), readTime(wanted, zone)));
	}
}

/** By their texts, without regard to case; a number also by its value, and yes or no however written. */
function isEqual(value: Value, wanted: string, kind?: FieldKind): boolean {
	if (normal(value) === normal(wanted)) return true;
	const number = readNumber(wanted);
	const isNumber = typeof value === 'number' || kind === 'number';
	if (isNumber && number !== undefined && readNumber(value) === number) return true;
	const isBoolean =
		typeof value === 'boolean' || kind === 'boolean' || ['true', 'false'].includes(normal(wanted));
	const boolean = isBoolean ? readBoolean(wanted) : undefined;
	return boolean !== undefined && readBoolean(value) === boolean;
}

function normal(value: Value): string {
	return comparable(String(value)).toLowerCase();
}
