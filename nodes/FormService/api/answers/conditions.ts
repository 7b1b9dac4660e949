import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../clock';
import { parseBoolean, parseDay, parseNumber, parseTimeMs, parseUtcMidnight } from '../parseValues';
import { findChoice } from './choices';
import { findField, type FormField } from './fields';
import { flattenAnswer, type Scalar } from './flattenAnswer';
import { normalizeAnswer, parseAnswer, type AnswerSpec, type FieldKind } from './fieldKinds';
import { matchAnswers, type MatchResult } from './matchAnswers';
import { SIMPLIFIED_ATTRIBUTES } from '../responseAttributes';
import { formatNames, foldCase } from '../spelling';
import { getSubmissionTimeMs } from '../recordTimes';

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
	 * The label, UUID or custom key of a field, or the name of an attribute of the response. With the prefix,
	 * always an attribute: `attribute:number`.
	 */
	field: string;
	operator: Operator;
	/** The value to compare with. `isEmpty` and `isNotEmpty` ignore it. */
	value: string;
};

export type ConditionSet = {
	combinator: 'all' | 'any';
	conditions: readonly Condition[];
	/** The time zone of the workflow, for times that do not state their own zone. */
	zone: string;
};

/**
 * The prefix of attributes in the editor's list, because a field can have the same name: `attribute:number`.
 */
export const ATTRIBUTE_PREFIX = 'attribute:';

/** The attributes of a response that the editor lists for conditions. */
export const FILTERABLE_ATTRIBUTES: Readonly<Record<string, { title: string; kind: FieldKind }>> = {
	is_incomplete: { title: 'Incomplete', kind: 'boolean' },
	number: { title: 'Number', kind: 'number' },
	referrer: { title: 'Referrer', kind: 'text' },
	submitted_at: { title: 'Submitted At', kind: 'dateTime' },
};

/**
 * Whether conditions need the fields of the form. A name without `ATTRIBUTE_PREFIX` can be the name of a field.
 */
export function conditionsNeedFields({ conditions }: ConditionSet): boolean {
	return conditions.some(({ field }) => !field.startsWith(ATTRIBUTE_PREFIX));
}

/** Finds the names of fields in the conditions that no field of the form has. */
export function findUnknownFields(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
): string[] {
	return conditions.map(({ field }) => field).filter((name) => isUnknownName(name, fields));
}

/** The texts of an error about a condition. */
export type ConditionProblem = { message: string; description: string };

/**
 * Finds the first condition whose name is neither a field nor an attribute. No response would meet such a
 * condition, except Is Empty.
 */
export function findConditionProblem(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
	formName?: string,
): ConditionProblem | undefined {
	const index = conditions.findIndex(({ field }) => isUnknownName(field, fields));
	if (index < 0) return undefined;
	const form = formName === undefined ? 'The form' : `The form "${formName}"`;
	const message = `${form} has no field "${conditions[index].field}"`;
	const titles = formatNames(fields.map(({ title }) => `"${title}"`)) || 'none';
	const description = `Choose the field of condition ${index + 1} again, or remove the condition. The form's fields are ${titles}.`;
	return { message, description };
}

/**
 * Finds the first condition whose value is not a choice of its field. A running trigger does not check this,
 * because the choices of a form can change.
 */
export function findValueProblem(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
): ConditionProblem | undefined {
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

/** Whether neither a field nor an attribute has this name. */
function isUnknownName(name: string, fields: readonly FormField[]): boolean {
	const isAttribute = SIMPLIFIED_ATTRIBUTES.includes(getAttribute(name));
	return findField(name, fields) === undefined && !isAttribute;
}

function getAttribute(name: string): string {
	return name.replace(ATTRIBUTE_PREFIX, '');
}

/**
 * Returns the entries whose responses meet the conditions; all entries if there are no conditions.
 * n8n's `executeFilterCondition` is not used. In its loose mode, null is less than 5, "1,200" and times in
 * epoch seconds are errors, and 01/02/2026 is a time. It knows no time zone, and takes 50 times as long.
 *
 * @param fields the fields of the form, if the conditions need them
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

/** A condition with its field or attribute, and with its value as a time and a day. */
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
	// a value that is not a time is neither before nor after a time
	const timeMs = parseTimeMs(value, zone) ?? NaN;
	const day = parseDay(value) ?? (kind === 'date' ? parseUtcMidnight(value) : undefined);
	// if the trigger watches several forms, a form can lack the field
	const isMissing = isUnknownName(name, fields);
	return { operator, field, attribute, isMissing, kind, choices, zone, value, timeMs, day };
}

function getAttributeKind(attribute: string): FieldKind {
	const kind = FILTERABLE_ATTRIBUTES[attribute]?.kind;
	return kind ?? (attribute.endsWith('_at') ? 'dateTime' : 'text');
}

/**
 * Whether a response meets a condition. If an answer is a list, one matching entry is enough; Is Not requires
 * that no entry matches.
 */
function meetsCondition(
	record: IDataObject,
	{ byFieldIndex }: MatchResult,
	condition: PreparedCondition,
): boolean {
	const { operator, field, attribute, isMissing, value } = condition;
	if (isMissing) return operator === 'isEmpty';
	// a service can have the time of submission under another name
	const submittedAt = attribute === 'submitted_at' ? getSubmissionTimeMs(record) : null;
	const answer = field ? byFieldIndex[field.index]?.value : (record[attribute] ?? submittedAt);
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
 * Whether a scalar equals the value of a condition: as a time, as a number or choice of the field, or as a
 * text.
 */
function isEqualTo(scalar: Scalar, condition: PreparedCondition): boolean {
	const { kind, choices, value } = condition;
	// `isDate` excludes long numbers, which would be parsed as epoch seconds
	const areTimes = isTimeKind(kind) || (isDate(scalar) && isDate(value));
	if (areTimes && compareTimes(scalar, condition) === 0) return true;
	// an entry of a multiple choice is compared as a single choice
	const spec = { kind: kind === 'multipleChoice' ? 'singleChoice' : kind, choices } as const;
	const normalize = (part: Scalar) => foldCase(normalizeAnswer(spec, part) ?? String(part));
	return normalize(scalar) === normalize(value);
}

function isTimeKind(kind: FieldKind): boolean {
	return kind === 'date' || kind === 'dateTime';
}

/** Whether a text is a full date, with or without a time. False for a month and for epoch seconds. */
function isDate(value: Scalar): boolean {
	const text = String(value).trim();
	return !/^(\d+|\d{4}-\d\d)$/.test(text) && parseTimeMs(text, 'utc') !== undefined;
}

/**
 * Compares a scalar with the time of a condition. If either is a day, compares their days in the workflow's
 * zone.
 *
 * @returns 0 if they are equal, a positive number if the scalar is later, NaN if it is not a time
 */
function compareTimes(
	scalar: Scalar,
	{ field, kind, timeMs, day, zone }: PreparedCondition,
): number {
	// times of the service are UTC (specification, section 2.1); answered dates are in the workflow's zone
	const scalarMs = parseTimeMs(scalar, field === undefined ? 'utc' : zone) ?? NaN;
	const difference = scalarMs - timeMs;
	// services list a day as midnight in some zone: "2026-01-31T00:00:00Z"
	const scalarDay = parseDay(kind === 'date' ? String(scalar).trim().slice(0, 10) : scalar);
	if (Number.isNaN(difference) || (scalarDay ?? day) === undefined) return difference;
	const toDay = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate()!;
	return (scalarDay ?? toDay(scalarMs)).localeCompare(day ?? toDay(timeMs));
}
