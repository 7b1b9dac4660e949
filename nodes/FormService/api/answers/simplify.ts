import { pick } from 'lodash';
import type { GenericValue, IDataObject } from 'n8n-workflow';
import type { Answer, Decoded } from './decode';
import { matchAnswers, repeatedLabels, typedValue } from './fields';
import type { AnswerField } from './fields';
import { tellApart } from './labels';
import { withFiles } from './uploads';

/** The service's own attributes that simplified output keeps: who, which and when, at most ten. */
const KEPT_ATTRIBUTES = [
	'uuid',
	'id',
	'number',
	'number_formatted',
	'is_incomplete',
	'created_at',
	'updated_at',
	'submitted_at',
	'completed_at',
	'referrer',
];

/** Names that an item in columns has besides those of its answers; `event` and `form` are the trigger's. */
export const RESERVED_COLUMNS = [
	...KEPT_ATTRIBUTES,
	'answersError',
	'event',
	'fileError',
	'form',
	'matchedByPosition',
	'otherAnswers',
];

/** How the answers of a response become attributes of an item. */
export type AnswerOutput = {
	/** The form's fields, by which answers are named and typed; without them, labels name them. */
	fields?: readonly AnswerField[];
	/**
	 * Each field as a column of its own, instead of all answers in `answers`. All items of a form then
	 * have the same attributes, today's and next year's, of whatever operation.
	 */
	columns?: boolean;
};

/**
 * A response in a form that is easy to use in a workflow: its answers first, then at most ten of the
 * service's own attributes, and `fields` with the UUIDs where the service gives them. What could not
 * be read of the answers is told in `answersError`.
 */
export function simplifyResponse(
	record: IDataObject,
	{ answers, problem }: Decoded,
	{ fields, columns = false }: AnswerOutput = {},
): IDataObject {
	const matched = fields === undefined ? undefined : matchAnswers(answers, fields);
	const byPosition = matched?.byPosition ?? [];
	if (columns && fields !== undefined && matched !== undefined) {
		const others = namesOf(matched.others, undefined).map(
			(name, index) => [name, withFiles(matched.others[index].value)] as const,
		);
		const cells = fields.map((field) => [field.name, valueOf(matched.answers.get(field), field)]);
		return {
			...Object.fromEntries(cells),
			...Object.fromEntries(KEPT_ATTRIBUTES.map((name) => [name, record[name] ?? null])),
			otherAnswers: others.length === 0 ? null : Object.fromEntries(others),
			...(repeatedLabels(fields).length > 0 && {
				matchedByPosition: byPosition.length === 0 ? null : byPosition,
			}),
			answersError: problem ?? null,
		};
	}
	const fieldOf = new Map([...(matched?.answers ?? [])].map(([field, answer]) => [answer, field]));
	const names = namesOf(answers, fieldOf);
	const values = answers.map((answer) => valueOf(answer, fieldOf.get(answer)));
	return {
		answers: Object.fromEntries(names.map((name, index) => [name, values[index]])),
		...pick(record, KEPT_ATTRIBUTES),
		fields: answers.flatMap((answer, index) => {
			const uuid = answer.uuid ?? fieldOf.get(answer)?.uuid;
			return uuid === undefined ? [] : [{ uuid, label: answer.label, value: values[index] }];
		}),
		...(byPosition.length > 0 && { matchedByPosition: byPosition }),
		...(problem !== undefined && { answersError: problem }),
	};
}

/** The names of answers: those of their fields, else their labels, told apart. */
export function namesOf(
	answers: readonly Answer[],
	fieldOf: ReadonlyMap<Answer, AnswerField> | undefined,
): string[] {
	const ofFields = answers.map((answer) => fieldOf?.get(answer)?.name);
	const taken = ofFields.filter((name) => name !== undefined);
	const others = answers.filter((_, index) => ofFields[index] === undefined);
	const labels = tellApart(
		others.map(({ label }) => label),
		taken,
	);
	return ofFields.map((name) => name ?? labels.shift()!);
}

function valueOf(answer: Answer | undefined, field: AnswerField | undefined): GenericValue {
	const value = withFiles(answer?.value ?? null);
	return field === undefined ? value : typedValue(value, field);
}
