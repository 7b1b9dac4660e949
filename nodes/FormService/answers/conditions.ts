import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import type { ErrorText } from '../api/errorTexts';
import {
	parseBoolean,
	parseDay,
	parseNumber,
	parseTimeMs,
	parseUtcMidnight,
} from '../api/parseValues';
import { findChoice } from './choices';
import { findField, type FormField } from './fields';
import { flattenAnswer, type Scalar } from './flattenAnswer';
import { normalizeAnswer, parseAnswer, type AnswerSpec, type FieldKind } from './fieldKinds';
import { matchAnswers, type MatchedAnswers } from './matchAnswers';
import { SIMPLIFIED_ATTRIBUTES } from '../api/responseAttributes';
import { formatNames, foldCase } from '../api/spelling';
import { getSubmissionTimeMs } from '../api/recordTimes';

/** The operators of conditions, with their names in the editor. */
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
	 * The label, UUID or custom key of a field, or the name of an attribute. A name with `ATTRIBUTE_PREFIX` is
	 * always an attribute: `attribute:number`.
	 */
	field: string;
	operator: Operator;
	/** The value that answers are compared with. `isEmpty` and `isNotEmpty` ignore the value. */
	value: string;
};

/** The conditions of Filters, and how they are combined. */
export type ConditionSet = {
	combinator: 'all' | 'any';
	conditions: readonly Condition[];
	/** The time zone of the workflow. Times without a zone are in this zone. */
	zone: string;
};

/** The prefix that distinguishes an attribute from a field with the same name: `attribute:number`. */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** The attributes of a response that the editor lists for conditions. */
export const FILTERABLE_ATTRIBUTES: Readonly<Record<string, { title: string; kind: FieldKind }>> = {
	is_incomplete: { title: 'Incomplete', kind: 'boolean' },
	number: { title: 'Number', kind: 'number' },
	referrer: { title: 'Referrer', kind: 'text' },
	submitted_at: { title: 'Submitted At', kind: 'dateTime' },
};

/**
 * Whether the fields of the form are needed to evaluate conditions. True if a name has no `ATTRIBUTE_PREFIX`,
 * because such a name can be the name of a field.
 */
export function conditionsNeedFields({ conditions }: ConditionSet): boolean {
	return conditions.some(({ field }) => !field.startsWith(ATTRIBUTE_PREFIX));
}

/** Returns the names in the conditions that are neither a field of the form nor an attribute. */
export function findUnknownFields(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
): string[] {
	return conditions.map(({ field }) => field).filter((name) => isUnknownName(name, fields));
}

/**
 * Describes the first condition that names neither a field nor an attribute. Undefined if there is no such
 * condition. A response can meet this condition only if the operator is Is Empty.
 */
export function findConditionFieldProblem(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
	formName?: string,
): ErrorText | undefined {
	const index = conditions.findIndex(({ field }) => isUnknownName(field, fields));
	if (index < 0) return undefined;
	const form = formName === undefined ? 'The form' : `The form "${formName}"`;
	const message = `${form} has no field "${conditions[index].field}"`;
	const titles = formatNames(fields.map(({ title }) => `"${title}"`)) || 'none';
	const description = `Choose the field of condition ${index + 1} again, or remove the condition. The form's fields are ${titles}.`;
	return { message, description };
}

/**
 * Describes the first condition whose value is not a choice of its field. Only the operators Is and Is Not are
 * checked. Undefined if there is no such condition. A scheduled poll skips this check, because the author of
 * the form may have removed a choice since the trigger was published.
 */
export function findConditionValueProblem(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
): ErrorText | undefined {
	const index = conditions.findIndex(({ field: name, operator, value }) => {
		const field = findField(name, fields);
		if (field === undefined || !['is', 'isNot'].includes(operator)) return false;
		if (field.kind === 'boolean') return parseBoolean(value) === undefined;
		return field.choices.length > 0 && findChoice(value, field.choices) === undefined;
	});
	if (index < 0) return undefined;
	const { title, kind, choices } = findField(conditions[index].field, fields)!;
	const message = `The value of condition ${index + 1} is not a choice of "${title}"`;
	const names = formatNames(choices.map(({ name }) => `"${name}"`));
	const description =
		kind === 'boolean'
			? 'The choices are yes and no.'
			: `The choices are ${names}. To find an answer that was entered under "Other", use Contains.`;
	return { message, description };
}

/** Whether a name is neither a field nor an attribute. */
function isUnknownName(name: string, fields: readonly FormField[]): boolean {
	const isAttribute = SIMPLIFIED_ATTRIBUTES.includes(getAttribute(name));
	return findField(name, fields) === undefined && !isAttribute;
}

function getAttribute(name: string): string {
	return name.replace(ATTRIBUTE_PREFIX, '');
}

/**
 * Returns the entries whose responses meet the conditions. Without conditions, returns all entries.
 *
 * n8n's `executeFilterCondition` is not used, because even its loose mode has these problems:
 *
 * - null is less than 5
 * - "1,200" and epoch seconds are errors
 * - 01/02/2026 is a time
 * - there is no parameter for the time zone
 * - the comparison takes 50 times as long
 *
 * @param fields the fields of the form, if the conditions need the fields
 */
export async function filterByConditions<Entry extends { record: IDataObject }>(
	entries: readonly Entry[],
	{ combinator, conditions, zone }: ConditionSet,
	fields: readonly FormField[],
): Promise<Entry[]> {
	if (conditions.length === 0) return [...entries];
	const prepared = conditions.map((condition) => prepareCondition(condition, fields, zone));
	const matches: Entry[] = [];
	for (const entry of entries) {
		await yieldIfDue();
		const answers = matchAnswers(entry.record, fields);
		const isMet = (condition: PreparedCondition) =>
			meetsCondition(entry.record, answers, condition);
		if (combinator === 'all' ? prepared.every(isMet) : prepared.some(isMet)) matches.push(entry);
	}
	return matches;
}

/**
 * A condition with its field or attribute. `timeMs` is the value of the condition as a time, and `day` is the
 * value as a day.
 */
type PreparedCondition = ReturnType<typeof prepareCondition>;

function prepareCondition(
	{ field: name, operator, value }: Condition,
	fields: readonly FormField[],
	zone: string,
) {
	const attribute = getAttribute(name);
	const field = findField(name, fields);
	const attributeSpec = { kind: getAttributeKind(attribute), choices: [] };
	const { kind, choices }: AnswerSpec = field ?? attributeSpec;
	// each comparison with NaN is false
	const timeMs = parseTimeMs(value, zone) ?? NaN;
	const day = parseDay(value) ?? (kind === 'date' ? parseUtcMidnight(value) : undefined);
	// if a trigger watches several forms, a form may lack the field
	const isMissing = isUnknownName(name, fields);
	return { operator, field, attribute, isMissing, kind, choices, zone, value, timeMs, day };
}

function getAttributeKind(attribute: string): FieldKind {
	const kind = FILTERABLE_ATTRIBUTES[attribute]?.kind;
	return kind ?? (attribute.endsWith('_at') ? 'dateTime' : 'text');
}

/**
 * Whether a response meets a condition. If an answer is a list, one matching entry is enough. Is Not requires
 * that no entry matches.
 *
 * Also true if the answer may be among answers that the node cannot read. The user then gets the response with
 * `answersError`. Otherwise, the user would never see the response.
 */
function meetsCondition(
	record: IDataObject,
	{ byField, problem }: MatchedAnswers,
	condition: PreparedCondition,
): boolean {
	const { operator, field, attribute, isMissing, value } = condition;
	if (isMissing) return operator === 'isEmpty';
	if (field !== undefined && problem !== undefined && !byField.has(field)) return true;
	// the service may send the submission time under a different name, such as `completed_at`
	const submittedAt = attribute === 'submitted_at' ? getSubmissionTimeMs(record) : null;
	const answer = field ? byField.get(field)?.value : (record[attribute] ?? submittedAt);
	const parsed = parseAnswer(answer as GenericValue, condition);
	const scalars = flattenAnswer(parsed, condition.kind === 'file');
	switch (operator) {
		case 'isEmpty':
			return scalars.length === 0;
		case 'isNotEmpty':
			return scalars.length > 0;
		case 'is':
			return scalars.some((scalar) => isEqualTo(scalar, condition));
		case 'isNot':
			return !scalars.some((scalar) => isEqualTo(scalar, condition));
		case 'contains':
			return scalars.some((scalar) => containsText(scalar, condition));
		case 'greater':
			return scalars.some((scalar) => (parseNumber(scalar) ?? NaN) > Number(value));
		case 'less':
			return scalars.some((scalar) => (parseNumber(scalar) ?? NaN) < Number(value));
		// After includes its time and Before excludes it, so that adjacent periods share no response
		case 'after':
			return scalars.some((scalar) => compareTimes(scalar, condition) >= 0);
		case 'before':
			return scalars.some((scalar) => compareTimes(scalar, condition) < 0);
	}
}

function containsText(scalar: Scalar, { choices, value }: PreparedCondition): boolean {
	const texts = [scalar, findChoice(scalar, choices)?.name ?? ''];
	return texts.some((text) => foldCase(String(text)).includes(foldCase(value)));
}

/**
 * Whether a value in an answer equals the value of a condition. The field kind decides whether the two values
 * are compared as times, numbers, choices or text.
 */
function isEqualTo(scalar: Scalar, condition: PreparedCondition): boolean {
	const { kind, choices, value } = condition;
	// `isDate` is false for a long number, which would otherwise be compared as epoch seconds
	const areTimes = isTimeKind(kind) || (isDate(scalar) && isDate(value));
	if (areTimes && compareTimes(scalar, condition) === 0) return true;
	// each entry of a multiple choice is compared like a single choice
	const spec = { kind: kind === 'multipleChoice' ? 'singleChoice' : kind, choices } as const;
	const normalize = (part: Scalar) => foldCase(normalizeAnswer(spec, part) ?? String(part));
	return normalize(scalar) === normalize(value);
}

function isTimeKind(kind: FieldKind): boolean {
	return kind === 'date' || kind === 'dateTime';
}

/**
 * Whether a value is a full date, with or without a time. False for a month, such as "2026-01", and for epoch
 * seconds.
 */
function isDate(value: Scalar): boolean {
	const text = String(value).trim();
	return !/^(\d+|\d{4}-\d\d)$/.test(text) && parseTimeMs(text, 'utc') !== undefined;
}

/**
 * Compares a value in an answer with the time of a condition. If the value or the time is a day without a time,
 * compares the days in the workflow's zone.
 *
 * @returns 0 if the two are equal, a positive number if the answer is later, NaN if the answer is not a time
 */
function compareTimes(
	scalar: Scalar,
	{ field, kind, timeMs, day, zone }: PreparedCondition,
): number {
	// times of the service are UTC (specification, section 2.1), but the dates in answers are local to the
	// workflow's zone
	const scalarMs = parseTimeMs(scalar, field === undefined ? 'utc' : zone) ?? NaN;
	const difference = scalarMs - timeMs;
	// services list a day as midnight in some zone: "2026-01-31T00:00:00Z"
	const scalarDay = parseDay(kind === 'date' ? String(scalar).trim().slice(0, 10) : scalar);
	if (Number.isNaN(difference) || (scalarDay ?? day) === undefined) return difference;
	const toDay = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate()!;
	return (scalarDay ?? toDay(scalarMs)).localeCompare(day ?? toDay(timeMs));
}
