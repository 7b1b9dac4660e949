import type { ErrorText } from '../api/failures';
import { formatNames } from '../api/text';
import { parseBoolean, parseNumber, parseTimeMs } from '../api/values';
import { FILTERABLE_ATTRIBUTES, SIMPLIFIED_ATTRIBUTES } from './attributes';
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
	/** The label, UUID or custom key of a field, or the name of an attribute. */
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

/** The prefix that distinguishes an attribute from a field with the same name: `attribute:number`. */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** Whether a condition needs the fields of the form. A name without `ATTRIBUTE_PREFIX` can be a field. */
export function conditionsNeedFields({ conditions }: ConditionSet): boolean {
	return conditions.some(({ field }) => !field.startsWith(ATTRIBUTE_PREFIX));
}

/** Describes the first condition that does not fit the form, if there is one: an unknown field or a wrong value. */
export function findConditionMismatch(
	conditionSet: ConditionSet,
	fields: readonly FormField[],
	{ formName = '', checksValues = true } = {},
): ErrorText | undefined {
	for (const [index, condition] of prepareConditions(conditionSet, fields).entries()) {
		const number = index + 1;
		if (condition.isMissing) return describeMissingField(condition, number, fields, formName);
		const problem = checksValues ? describeWrongValue(condition, number) : undefined;
		if (problem !== undefined) return problem;
	}
	return undefined;
}

function describeMissingField(
	{ field: name, title }: PreparedCondition,
	number: number,
	fields: readonly FormField[],
	formName: string,
): ErrorText {
	const advice = `Choose the field of condition ${number} again, or remove the condition.`;
	if (name.startsWith(ATTRIBUTE_PREFIX)) {
		const attributes = Object.keys(FILTERABLE_ATTRIBUTES).join(', ');
		const description = `${advice} The attributes are ${attributes}.`;
		return { message: `A response has no attribute "${title}"`, description };
	}
	const form = formName === '' ? 'The form' : `The form "${formName}"`;
	const titles = formatNames(fields.map((field) => `"${field.title}"`)) || 'none';
	const description = `${advice} The form's fields are ${titles}.`;
	return { message: `${form} has no field "${name}"`, description };
}

/** Describes the value of Is or Is Not if no answer can have it. */
function describeWrongValue(
	{ operator, kind, choices, value, timeMs, title }: PreparedCondition,
	number: number,
): ErrorText | undefined {
	if (operator !== 'is' && operator !== 'isNot') return undefined;
	const subject = `The value of condition ${number}`;
	if (isTimeKind(kind) && Number.isNaN(timeMs)) {
		const description = 'Dates with slashes or in another order can be misread.';
		return { message: `${subject} must be a date, such as 2026-01-31`, description };
	}
	if (kind === 'number' && parseNumber(value) === undefined) {
		const description = 'Leave out separators of thousands and units.';
		return { message: `${subject} must be a number in plain digits, such as 1234.5`, description };
	}
	if (kind === 'boolean' && parseBoolean(value) === undefined) {
		return { message: `${subject} must be yes or no`, description: `"${title}" takes no other.` };
	}
	if (choices.length === 0 || findChoice(value, choices) !== undefined) return undefined;
	const names = formatNames(choices.map(({ name }) => `"${name}"`));
	return {
		message: `${subject} is not a choice of "${title}"`,
		description: `The choices are ${names}. To find an answer that was entered under "Other", use Contains.`,
	};
}

/** A condition with what it compares. */
export type PreparedCondition = Condition &
	AnswerSpec & {
		/** The field of the form. Undefined for an attribute, and if the form lacks the field. */
		formField?: FormField;
		/** The title of the field, or the name of the attribute. */
		title: string;
		/** Whether the form lacks the field. A trigger can watch several forms. */
		isMissing: boolean;
		zone: string;
		/** The value as a time. NaN if it is none, because each comparison with NaN is false. */
		timeMs: number;
	};

export function prepareConditions(
	{ conditions, zone }: ConditionSet,
	fields: readonly FormField[],
): PreparedCondition[] {
	return conditions.map((condition) => {
		const formField = findField(condition.field, fields);
		const attribute = condition.field.replace(ATTRIBUTE_PREFIX, '');
		const { kind, choices, title } = formField ?? {
			kind: getAttributeKind(attribute),
			choices: [],
			title: attribute,
		};
		const isMissing = formField === undefined && !SIMPLIFIED_ATTRIBUTES.includes(attribute);
		const timeMs = parseTimeMs(condition.value, zone) ?? NaN;
		return { ...condition, formField, kind, choices, title, isMissing, zone, timeMs };
	});
}

function getAttributeKind(attribute: string): FieldKind {
	const kind = FILTERABLE_ATTRIBUTES[attribute]?.kind;
	return kind ?? (attribute.endsWith('_at') ? 'dateTime' : 'text');
}

export function isTimeKind(kind: FieldKind): boolean {
	return kind === 'date' || kind === 'dateTime';
}
