import { uniq } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import type { ErrorText } from '../api/errorTexts';
import { getSubmissionTimeMs } from '../api/recordTimes';
import { formatNames, normalizeText } from '../api/text';
import {
	isLocalDate,
	parseBoolean,
	parseDay,
	parseNumber,
	parseTimeMs,
	parseUtcMidnight,
} from '../api/values';
import { FILTERABLE_ATTRIBUTES, SIMPLIFIED_ATTRIBUTES } from './attributes';
import { findChoice, splitChoices } from './choices';
import { normalizeAnswer, type AnswerSpec, type FieldKind } from './fieldKinds';
import { findField, type FormField } from './fields';
import { matchAnswers, type MatchedAnswers } from './matchAnswers';
import { flattenAnswer, type Scalar } from './uploads';

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
	/** The label, UUID or custom key of a field, or the name of an attribute, see `ATTRIBUTE_PREFIX`. */
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

/** Whether a condition needs the fields of the form. A name without `ATTRIBUTE_PREFIX` can be a field. */
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

/** Whether a name is neither a field nor an attribute. */
function isUnknownName(name: string, fields: readonly FormField[]): boolean {
	return (
		findField(name, fields) === undefined && !SIMPLIFIED_ATTRIBUTES.includes(getAttribute(name))
	);
}

function getAttribute(name: string): string {
	return name.replace(ATTRIBUTE_PREFIX, '');
}

/** Describes the first condition that names neither a field nor an attribute, if there is one. */
export function findConditionFieldProblem(
	{ conditions }: ConditionSet,
	fields: readonly FormField[],
	formName?: string,
): ErrorText | undefined {
	const index = conditions.findIndex(({ field }) => isUnknownName(field, fields));
	if (index < 0) return undefined;
	const { field: name } = conditions[index];
	const advice = `Choose the field of condition ${index + 1} again, or remove the condition.`;
	if (name.startsWith(ATTRIBUTE_PREFIX)) {
		const names = Object.keys(FILTERABLE_ATTRIBUTES).join(', ');
		const message = `A response has no attribute "${getAttribute(name)}"`;
		return { message, description: `${advice} The attributes are ${names}.` };
	}
	const form = formName === undefined ? 'The form' : `The form "${formName}"`;
	const titles = formatNames(fields.map(({ title }) => `"${title}"`)) || 'none';
	const description = `${advice} The form's fields are ${titles}.`;
	return { message: `${form} has no field "${name}"`, description };
}

/**
 * Describes the first condition with Is or Is Not whose value no answer can have. A scheduled poll skips this
 * check, because the author of the form may have removed a choice since the trigger was published.
 */
export function findConditionValueProblem(
	conditionSet: ConditionSet,
	fields: readonly FormField[],
): ErrorText | undefined {
	const prepared = prepareConditions(conditionSet, fields);
	const index = prepared.findIndex(
		({ operator, kind, choices, value, timeMs }) =>
			['is', 'isNot'].includes(operator) &&
			((kind === 'boolean' && parseBoolean(value) === undefined) ||
				(isTimeKind(kind) && Number.isNaN(timeMs)) ||
				(choices.length > 0 && findChoice(value, choices) === undefined)),
	);
	if (index < 0) return undefined;
	const { kind, choices, field, attribute } = prepared[index];
	const subject = `The value of condition ${index + 1}`;
	if (isTimeKind(kind)) {
		const description = 'Dates with slashes or in another order can be misread.';
		return { message: `${subject} must be a date, such as 2026-01-31`, description };
	}
	const names = formatNames(choices.map(({ name }) => `"${name}"`));
	const description =
		kind === 'boolean'
			? 'The choices are yes and no.'
			: `The choices are ${names}. To find an answer that was entered under "Other", use Contains.`;
	return { message: `${subject} is not a choice of "${field?.title ?? attribute}"`, description };
}

/**
 * Returns the entries whose responses meet the conditions. Without conditions, returns all entries. n8n's
 * `executeFilterCondition` is not used, because it reads null as 0 and 01/02/2026 as a time, and knows no zone.
 *
 * @param fields the fields of the form, if the conditions need the fields
 */
export async function filterByConditions<Entry extends { record: IDataObject }>(
	entries: readonly Entry[],
	conditionSet: ConditionSet,
	fields: readonly FormField[],
): Promise<Entry[]> {
	const prepared = prepareConditions(conditionSet, fields);
	if (prepared.length === 0) return [...entries];
	const matches: Entry[] = [];
	for (const entry of entries) {
		await yieldIfDue();
		const answers = matchAnswers(entry.record, fields);
		const isMet = (condition: PreparedCondition) =>
			meetsCondition(entry.record, answers, condition);
		const isMatch =
			conditionSet.combinator === 'all' ? prepared.every(isMet) : prepared.some(isMet);
		if (isMatch) matches.push(entry);
	}
	return matches;
}

/** Describes the answers of a response that conditions could not compare, if there are any. */
export function describeUncompared(
	record: IDataObject,
	conditionSet: ConditionSet,
	fields: readonly FormField[],
): string | undefined {
	const answers = matchAnswers(record, fields);
	const uncompared = prepareConditions(conditionSet, fields).filter((condition) =>
		getScalars(record, answers, condition).some((scalar) => isUncompared(scalar, condition)),
	);
	const names = uniq(uncompared.map(({ field, attribute }) => `"${field?.title ?? attribute}"`));
	if (names.length === 0) return undefined;
	return `Not compared with the filters, because it is no date such as 2026-01-31: ${formatNames(names)}`;
}

/** A condition with its field or attribute. `timeMs` and `day` are the value of the condition. */
type PreparedCondition = AnswerSpec &
	Pick<Condition, 'operator' | 'value'> & {
		field?: FormField;
		attribute: string;
		/** Whether the form lacks the field. A trigger can watch several forms. */
		isMissing: boolean;
		zone: string;
		/** NaN if the value is no time, because each comparison with NaN is false. */
		timeMs: number;
		/** The value as a day without a time. */
		day?: string;
	};

function prepareConditions(
	{ conditions, zone }: ConditionSet,
	fields: readonly FormField[],
): PreparedCondition[] {
	return conditions.map(({ field: name, operator, value }) => {
		const attribute = getAttribute(name);
		const field = findField(name, fields);
		const { kind, choices }: AnswerSpec = field ?? {
			kind: getAttributeKind(attribute),
			choices: [],
		};
		const timeMs = parseTimeMs(value, zone) ?? NaN;
		const day = parseDay(value) ?? (kind === 'date' ? parseUtcMidnight(value) : undefined);
		const isMissing = isUnknownName(name, fields);
		return { operator, value, field, attribute, isMissing, kind, choices, zone, timeMs, day };
	});
}

function getAttributeKind(attribute: string): FieldKind {
	const kind = FILTERABLE_ATTRIBUTES[attribute]?.kind;
	return kind ?? (attribute.endsWith('_at') ? 'dateTime' : 'text');
}

/**
 * Whether a response meets a condition. If an answer is a list, one matching entry is enough. Is Not requires
 * that no entry matches.
 *
 * Also true if the answer may be among answers that the node cannot read, or cannot be compared. The user then
 * gets the response with `answersError`. Otherwise, the user would never see the response.
 */
function meetsCondition(
	record: IDataObject,
	answers: MatchedAnswers,
	condition: PreparedCondition,
): boolean {
	const { operator, field, isMissing, value } = condition;
	if (isMissing) return operator === 'isEmpty';
	if (field && answers.problem !== undefined && !answers.byField.has(field)) return true;
	const scalars = getScalars(record, answers, condition);
	if (scalars.some((scalar) => isUncompared(scalar, condition))) return true;
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
		// At or After includes its time and Before excludes it, so that adjacent periods share no response
		case 'after':
			return scalars.some((scalar) => compareTimes(scalar, condition) >= 0);
		case 'before':
			return scalars.some((scalar) => compareTimes(scalar, condition) < 0);
	}
}

/** Returns the values in the answer or attribute that a condition compares. */
function getScalars(
	record: IDataObject,
	{ byField }: MatchedAnswers,
	{ field, attribute, kind, choices }: PreparedCondition,
): Scalar[] {
	// the service may send the submission time under a different name, such as `created_at`
	const submittedAt = attribute === 'submitted_at' ? getSubmissionTimeMs(record) : null;
	const answer = field ? byField.get(field)?.value : (record[attribute] ?? submittedAt);
	const scalars = flattenAnswer(answer, kind === 'file');
	if (kind !== 'multipleChoice') return scalars;
	// Create sends several choices as one text, in which an own answer can follow
	return scalars.flatMap((scalar) => [scalar, ...splitChoices(String(scalar), choices)]);
}

/** Whether a condition compares times, and an answer is a date in a form that the node does not read. */
function isUncompared(scalar: Scalar, condition: PreparedCondition): boolean {
	const { operator, field, kind, zone } = condition;
	if (field === undefined) return false;
	const comparesTime = ['after', 'before'].includes(operator);
	const comparesDay = isTimeKind(kind) && ['is', 'isNot'].includes(operator);
	if (!comparesTime && !comparesDay) return false;
	return (isTimeKind(kind) || isLocalDate(scalar)) && parseTimeMs(scalar, zone) === undefined;
}

function containsText(scalar: Scalar, { choices, value }: PreparedCondition): boolean {
	const texts = [scalar, findChoice(scalar, choices)?.name ?? ''];
	return texts.some((text) => normalizeText(String(text)).includes(normalizeText(value)));
}

/** Whether a value in an answer equals the value of a condition, as times, numbers, choices or text. */
function isEqualTo(scalar: Scalar, condition: PreparedCondition): boolean {
	const { kind, choices, value } = condition;
	if (isTimeKind(kind)) return compareTimes(scalar, condition) === 0;
	// each entry of a multiple choice is compared like a single choice
	const spec: AnswerSpec = { kind: kind === 'multipleChoice' ? 'singleChoice' : kind, choices };
	const normalize = (part: Scalar) => normalizeAnswer(spec, part) ?? normalizeText(String(part));
	return normalize(scalar) === normalize(value);
}

function isTimeKind(kind: FieldKind): boolean {
	return kind === 'date' || kind === 'dateTime';
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
