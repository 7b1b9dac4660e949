import { gt, lt } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readBoolean, readNumber, readTime } from '../readers';
import { comparableId } from '../records';
import { RESPONSE_ATTRIBUTES } from './attributes';
import { partsOf } from './decode';
import type { FieldKind, FormField } from './fields';
import { comparable } from './labels';
import { matchAnswers } from './match';
import type { MatchedAnswer } from './match';

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
	/** What the field is compared with; of no account for `isEmpty` and `isNotEmpty`. */
	value: string;
};

export type Conditions = {
	match: 'all' | 'any';
	conditions: readonly Condition[];
	/** The time zone of the workflow, in which times without one are. */
	zone: string;
};

/** Whether the fields of the form are needed: only they say which answer belongs to a name, whatever a reply gives. */
export function conditionsNeedFields({ conditions }: Conditions): boolean {
	return conditions.some(({ field }) => !RESPONSE_ATTRIBUTES.includes(field.trim()));
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
			!RESPONSE_ATTRIBUTES.includes(field.trim()) &&
			fieldNamed(field, fields) === undefined &&
			!records.some((record) => Object.hasOwn(record, field.trim())),
	);
	if (unknown === undefined) return undefined;
	const titles = fields.map(({ title }) => `"${title}"`).join(', ');
	const known = titles === '' ? 'The form has no fields' : `Its fields are ${titles}`;
	return `The form has no field "${unknown.field.trim()}". ${known}`;
}

/**
 * The field of a form that a name means: by UUID or ID, by custom key, by its label as items name it
 * ("Full name (2)"), or by its label in other case or spelling.
 */
function fieldNamed(name: string, fields: readonly FormField[]): FormField | undefined {
	const wanted = comparable(name);
	const small = wanted.toLowerCase();
	const ways: Array<(field: FormField) => boolean> = [
		({ ids }) => ids.includes(comparableId(wanted)),
		({ match }) => match.title === wanted,
		({ match }) => match.customKey === wanted,
		({ match }) => match.name === wanted,
		({ match }) => match.title.toLowerCase() === small,
		({ match }) => match.customKey?.toLowerCase() === small,
	];
	for (const way of ways) {
		const field = fields.find(way);
		if (field !== undefined) return field;
	}
	return undefined;
}

/**
 * Whether a response meets the conditions; without any, each does.
 *
 * @param fields those of the form; without any, names mean what the answers say of themselves
 */
export function meets(
	record: IDataObject,
	{ match, conditions, zone }: Conditions,
	fields: readonly FormField[],
): boolean {
	if (conditions.length === 0) return true;
	const { answers } = matchAnswers(record, fields);
	const holds = (condition: Condition) =>
		isTrue(condition, valuesOf(record, answers, condition.field, fields, zone), zone);
	return match === 'all' ? conditions.every(holds) : conditions.some(holds);
}

/** What a field has: its kind where it is known, and the zone of its times where they do not state theirs. */
type Values = { values: ReadonlyArray<string | number | boolean>; zone: string; kind?: FieldKind };

/**
 * The values of a field, one by one: of a multiple choice, each. Blank ones are left out. The service's
 * own times are UTC (specification, section 2.1); a date that was answered is one of the calendar.
 */
function valuesOf(
	record: IDataObject,
	answers: readonly MatchedAnswer[],
	name: string,
	fields: readonly FormField[],
	zone: string,
): Values {
	const attribute = name.trim();
	const field = fieldNamed(name, fields);
	const isAttribute = RESPONSE_ATTRIBUTES.includes(attribute);
	const answer = isAttribute
		? undefined
		: answers.find((one) => (field === undefined ? isNamed(one, name) : one.field === field));
	const isAnswer = answer !== undefined || (field !== undefined && !isAttribute);
	const value: unknown = isAnswer ? answer?.value : record[attribute];
	const values = partsOf(value).filter((part) => normal(part) !== '');
	return { values, zone: isAnswer ? zone : 'utc', kind: isAnswer ? field?.kind : undefined };
}

/** Whether an answer of no known field has this name, by its own label, UUID or custom key. */
function isNamed({ name, uuid, id, customKey, field }: MatchedAnswer, wanted: string): boolean {
	if (field !== undefined) return false;
	return [name, uuid, id, customKey].some(
		(one) => one !== undefined && normal(one) === normal(wanted),
	);
}

/** A list meets what one of its entries meets; `isNot`, `isEmpty` and `isNotEmpty` are about all of them. */
function isTrue(
	{ operator, value: wanted }: Condition,
	{ values, zone: own, kind }: Values,
	zone: string,
): boolean {
	switch (operator) {
		case 'is':
			return values.some((value) => isEqual(value, wanted, kind));
		case 'isNot':
			return !values.some((value) => isEqual(value, wanted, kind));
		case 'contains': {
			const part = normal(wanted);
			return values.some((value) => normal(value).includes(part));
		}
		case 'isEmpty':
			return values.length === 0;
		case 'isNotEmpty':
			return values.length > 0;
		case 'greater':
			return compare(values, readNumber, readNumber(wanted), gt);
		case 'less':
			return compare(values, readNumber, readNumber(wanted), lt);
		case 'before':
			return compare(values, (value) => readTime(value, own), readTime(wanted, zone), lt);
		case 'after':
			return compare(values, (value) => readTime(value, own), readTime(wanted, zone), gt);
	}
}

/** Whether one of the values is greater or less than the wanted one; what cannot be read is neither. */
function compare(
	values: Values['values'],
	read: (value: unknown) => number | undefined,
	wanted: number | undefined,
	is: (left: number, right: number) => boolean,
): boolean {
	return values.some((value) => {
		const one = read(value);
		return one !== undefined && wanted !== undefined && is(one, wanted);
	});
}

/** By their texts, without regard to case; a number also by its value, and yes or no however written. */
function isEqual(value: string | number | boolean, wanted: string, kind?: FieldKind): boolean {
	if (normal(value) === normal(wanted)) return true;
	const number = readNumber(wanted);
	const isNumber = typeof value === 'number' || kind === 'number';
	if (isNumber && number !== undefined && readNumber(value) === number) return true;
	const isBoolean =
		typeof value === 'boolean' || kind === 'boolean' || ['true', 'false'].includes(normal(wanted));
	const boolean = isBoolean ? readBoolean(wanted) : undefined;
	return boolean !== undefined && readBoolean(value) === boolean;
}

function normal(value: string | number | boolean): string {
	return comparable(String(value)).toLowerCase();
}
