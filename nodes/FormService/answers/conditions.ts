import type { ErrorText } from '../api/failures';
import { formatNames } from '../api/text';
import { parseBoolean, parseNumber, parseTimeMs } from '../api/values';
import { FILTERABLE_ATTRIBUTES, type Attribute } from './attributes';
import { findChoice } from './choices';
import type { AnswerSpec, FieldKind } from './fieldKinds';
import { findField, type FormField } from './fields';

/** The operators of conditions, with their names in the editor. */
export const OPERATORS = {
	after: 'At or After',
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
	/** The label, UUID or custom key of a field, or an attribute: `attribute:number`. */
	field: string;
	operator: Operator;
	value: string;
};

/** The conditions of Filters. Times without a zone are in `zone`, the zone of the workflow. */
export type ConditionSet = {
	combinator: 'all' | 'any';
	conditions: readonly Condition[];
	zone: string;
};

/** Distinguishes an attribute from a field with the same name. */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** Whether a condition compares a field of the form, and no attribute. */
export function conditionsNeedFields({ conditions }: ConditionSet): boolean {
	return conditions.some(({ field }) => !field.startsWith(ATTRIBUTE_PREFIX));
}

/** A condition with the field or attribute that it compares. Undefined if the form lacks the field. */
export type PreparedCondition = Condition & { compared?: Attribute | FormField; zone: string };

export function prepareConditions(
	{ conditions, zone }: ConditionSet,
	fields: readonly FormField[],
): PreparedCondition[] {
	return conditions.map((condition) => {
		const { field } = condition;
		const attribute = FILTERABLE_ATTRIBUTES.find(({ name }) => ATTRIBUTE_PREFIX + name === field);
		return { ...condition, zone, compared: attribute ?? findField(field, fields) };
	});
}

/** Describes the first condition that does not fit the form, if there is one: an unknown field or a wrong value. */
export function findConditionMismatch(
	conditionSet: ConditionSet,
	fields: readonly FormField[],
	{ formName = '', checksValues = true } = {},
): ErrorText | undefined {
	for (const [index, condition] of prepareConditions(conditionSet, fields).entries()) {
		const number = index + 1;
		const { compared, field: name, zone } = condition;
		if (compared === undefined) {
			const form = formName === '' ? 'The form' : `The form "${formName}"`;
			const advice = `Choose the field of condition ${number} again, or remove the condition.`;
			const description = `${advice} A condition can compare ${listNames(fields)}.`;
			return { message: `${form} has no field "${name}"`, description };
		}
		const needed = checksValues ? getNeededValue(condition, zone, compared) : undefined;
		if (needed !== undefined) {
			const description = `It compares "${compared.title}". To find a part of an answer, use Contains.`;
			return { message: `Condition ${number} needs ${needed}`, description };
		}
	}
	return undefined;
}

function listNames(fields: readonly FormField[]): string {
	const attributes = FILTERABLE_ATTRIBUTES.map(({ name }) => ATTRIBUTE_PREFIX + name);
	return formatNames([...attributes, ...fields.map(({ title }) => `"${title}"`)]);
}

/** Returns what a condition needs in place of its value: `yes or no`. Undefined if an answer can have the value. */
export function getNeededValue(
	{ operator, value }: Condition,
	zone: string,
	{ kind, choices }: AnswerSpec = { kind: 'text', choices: [] },
): string | undefined {
	const comparison = getComparison(operator, kind);
	if (comparison === 'number' && parseNumber(value) === undefined) {
		return 'a number in plain digits, such as 1234.5';
	}
	if (comparison === 'time' && parseTimeMs(value, zone) === undefined) {
		return 'a date, such as 2026-01-31';
	}
	if (operator !== 'is' && operator !== 'isNot') return undefined;
	if (kind === 'boolean' && parseBoolean(value) === undefined) return 'yes or no';
	const isOffered = choices.length === 0 || findChoice(value, choices) !== undefined;
	return isOffered ? undefined : `one of ${formatNames(choices.map(({ name }) => `"${name}"`))}`;
}

/** Returns how a condition compares values. Is and Is Not compare by the kind of the field. */
export function getComparison(operator: Operator, kind: FieldKind): 'number' | 'text' | 'time' {
	if (operator === 'after' || operator === 'before') return 'time';
	if (operator === 'greater' || operator === 'less') return 'number';
	if (operator !== 'is' && operator !== 'isNot') return 'text';
	if (kind === 'date' || kind === 'dateTime') return 'time';
	return kind === 'number' ? 'number' : 'text';
}
