import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import type { ErrorText } from '../api/failures';
import { formatNames, normalizeText } from '../api/text';
import { parseBoolean, parseDay, parseNumber, parseTimeMs } from '../api/values';
import { findChoice, splitChoices } from './choices';
import { flattenAnswer, type Scalar } from './decode';
import { toDay } from './encode';
import { normalizeAnswer, type AnswerSpec, type FieldKind } from './fieldKinds';
import { findField, matchAnswers, type FormField, type MatchedAnswers } from './fields';

/** Distinguishes an attribute in a condition from a field with the same name. */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** An attribute of a response that conditions can compare. */
type Attribute = { name: string; title: string; kind: FieldKind; choices: [] };

export const FILTERABLE_ATTRIBUTES: readonly Attribute[] = [
	{ name: 'created_at', title: 'Created At', kind: 'dateTime', choices: [] },
	{ name: 'is_incomplete', title: 'Incomplete', kind: 'boolean', choices: [] },
	{ name: 'number', title: 'Number', kind: 'number', choices: [] },
	{ name: 'referrer', title: 'Referrer', kind: 'text', choices: [] },
];

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
	/** The time zone of the workflow, for times without a zone. */
	zone: string;
};

/** The conditions of Filters. */
export type ConditionSet = { combinator: 'all' | 'any'; conditions: readonly Condition[] };

/** Whether any condition compares a field of the form rather than an attribute. */
export function conditionsNeedFields({ conditions }: ConditionSet): boolean {
	return conditions.some(({ field }) => !field.startsWith(ATTRIBUTE_PREFIX));
}

/** Finds the attribute or field that a condition compares. Undefined if the form lacks the field. */
function findCompared(
	name: string,
	fields: readonly FormField[],
): Attribute | FormField | undefined {
	const attribute = FILTERABLE_ATTRIBUTES.find((one) => ATTRIBUTE_PREFIX + one.name === name);
	return attribute ?? findField(name, fields);
}

/** Describes the first field of a condition that the form lacks, if there is one. */
export function describeMissingField(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
): ErrorText | undefined {
	const index = conditions.findIndex(({ field }) => findCompared(field, fields) === undefined);
	if (index === -1) return undefined;
	const attributes = FILTERABLE_ATTRIBUTES.map(({ name }) => ATTRIBUTE_PREFIX + name);
	const names = formatNames([...attributes, ...fields.map(({ title }) => `"${title}"`)]);
	const advice = `Choose the field of condition ${index + 1} again, or remove the condition.`;
	return {
		message: `The form has no field "${conditions[index].field}"`,
		description: `${advice} A condition can compare ${names}.`,
	};
}

/** Describes the first condition that does not fit the form, if there is one: a missing field or a wrong value. */
export function findConditionMismatch(
	conditionSet: ConditionSet,
	fields: readonly FormField[],
): ErrorText | undefined {
	const missing = describeMissingField(conditionSet, fields);
	if (missing !== undefined) return missing;
	for (const [index, condition] of conditionSet.conditions.entries()) {
		const compared = findCompared(condition.field, fields);
		const needed = getNeededValue(condition, compared);
		if (needed === undefined) continue;
		const description = `It compares "${compared?.title}". To find a part of an answer, use Contains.`;
		return { message: `Condition ${index + 1} needs ${needed}`, description };
	}
	return undefined;
}

/** Returns what a condition needs in place of its value: `yes or no`. Undefined if an answer can have the value. */
export function getNeededValue(
	{ operator, value, zone }: Condition,
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
function getComparison(operator: Operator, kind: FieldKind): 'number' | 'text' | 'time' {
	if (operator === 'after' || operator === 'before') return 'time';
	if (operator === 'greater' || operator === 'less') return 'number';
	if (operator !== 'is' && operator !== 'isNot') return 'text';
	if (kind === 'date' || kind === 'dateTime') return 'time';
	return kind === 'number' ? 'number' : 'text';
}

/**
 * Returns the entries whose responses meet the conditions. n8n's `executeFilterCondition` is not used, because it
 * reads null as 0 and 01/02/2026 as a time, and knows no zone.
 */
export async function filterByConditions<Entry extends { record: IDataObject }>(
	entries: readonly Entry[],
	{ combinator, conditions }: ConditionSet,
	fields: readonly FormField[],
): Promise<Entry[]> {
	if (conditions.length === 0) return [...entries];
	const compared = conditions.map((one) => findCompared(one.field, fields));
	const matches: Entry[] = [];
	for (const entry of entries) {
		await yieldIfDue();
		const answers = matchAnswers(entry.record, fields);
		const isMet = (condition: Condition, index: number) =>
			meetsCondition(entry.record, answers, condition, compared[index]);
		const isMatch = combinator === 'all' ? conditions.every(isMet) : conditions.some(isMet);
		if (isMatch) matches.push(entry);
	}
	return matches;
}

/**
 * Whether a response meets a condition. One matching entry of a list is enough. Also true if the answer cannot be
 * read or compared, because the user would otherwise never see the response.
 */
function meetsCondition(
	record: IDataObject,
	{ byField, problem }: MatchedAnswers,
	condition: Condition,
	compared?: Attribute | FormField,
): boolean {
	const { operator } = condition;
	// one of several watched forms can lack the field, so it has no answer to the field
	if (compared === undefined) return operator === 'isEmpty';
	const isAttribute = 'name' in compared;
	if (!isAttribute && !byField.has(compared) && problem !== undefined) return true;
	const answer = isAttribute ? record[compared.name] : byField.get(compared)?.value;
	const scalars = getScalars(answer, compared);
	const differences = scalars.map((scalar) => compare(scalar, condition, compared));
	if (!differences.every((difference) => difference !== undefined)) return true;
	if (operator === 'isEmpty') return differences.length === 0;
	if (operator === 'isNot') return !differences.some(TESTS.is);
	return differences.some(TESTS[operator]);
}

/** For each operator, whether an answer meets the condition, from the result of `compare`. */
const TESTS: Record<Exclude<Operator, 'isEmpty' | 'isNot'>, (difference: number) => boolean> = {
	// At or After includes its time and Before excludes it, so that adjacent periods share no response
	after: (difference) => difference >= 0,
	before: (difference) => difference < 0,
	contains: (difference) => difference === 0,
	greater: (difference) => difference > 0,
	is: (difference) => difference === 0,
	isNotEmpty: () => true,
	less: (difference) => difference < 0,
};

function getScalars(answer: unknown, { kind, choices }: AnswerSpec): Scalar[] {
	const scalars = flattenAnswer(answer, kind === 'file');
	// split the text, because Create sends several choices as one text
	if (kind === 'multipleChoice') return scalars.flatMap((scalar) => splitChoices(scalar, choices));
	return scalars;
}

/**
 * Compares an answer with the value of a condition. Returns 0 if they match, the difference of two times or numbers,
 * and NaN for texts that differ. Undefined if the answer is no date or number that the node reads.
 */
function compare(scalar: Scalar, condition: Condition, field: AnswerSpec): number | undefined {
	const { operator, value } = condition;
	const comparison = getComparison(operator, field.kind);
	if (comparison === 'time') return compareTimes(scalar, condition, field.kind);
	if (comparison === 'number') {
		const number = parseNumber(scalar);
		return number === undefined ? undefined : number - (parseNumber(value) ?? NaN);
	}
	const normalize = (part: Scalar) => normalizeAnswer(field, part) ?? normalizeText(String(part));
	if (normalize(scalar) === normalize(value)) return 0;
	if (operator !== 'contains') return NaN;
	const texts = [scalar, findChoice(scalar, field.choices)?.name ?? ''].map(String);
	return texts.some((text) => normalizeText(text).includes(normalizeText(value))) ? 0 : NaN;
}

/** Compares two times: by day if one of them has no time, or in a field for dates. */
function compareTimes(
	scalar: Scalar,
	{ value, zone }: Condition,
	kind: FieldKind,
): number | undefined {
	const [scalarMs, valueMs = NaN] = [scalar, value].map((time) => parseTimeMs(time, zone));
	if (scalarMs === undefined) return undefined;
	const isByDay = kind === 'date' || [scalar, value].some((time) => parseDay(time) !== undefined);
	if (!isByDay || Number.isNaN(valueMs)) return scalarMs - valueMs;
	return toDay(scalar, scalarMs, zone).localeCompare(toDay(value, valueMs, zone));
}
