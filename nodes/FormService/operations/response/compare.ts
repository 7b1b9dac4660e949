import type { IDataObject } from 'n8n-workflow';
import {
	choicesByName,
	findChoice,
	formFieldsOf,
	inputFieldsOf,
	splitChoices,
} from '../../api/answers/fields';
import type { Choices, FieldKind, FormField } from '../../api/answers/fields';
import { isNothing, matchAnswers } from '../../api/answers/match';
import type { MatchedAnswers } from '../../api/answers/match';
import { comparable } from '../../api/answers/names';
import { filesIn } from '../../api/answers/uploads';
import { readBoolean, readNumber, readTime } from '../../api/readers';
import { comparableId, idOf, isRecord } from '../../api/records';

/** A field that identifies a response, and how its answers are compared. */
export type IdentityField = {
	title: string;
	field: FormField;
	kind: FieldKind;
	choices: Choices;
	/** Whether an answer is compared as a list, in any order. */
	isList: boolean;
};

/** The text of an answer as it is compared, or all texts that it may have; undefined for any text. */
type Possible = ReadonlySet<string> | undefined;

/** A response whose answers to the identifying fields are not all certain. */
export type DoubtfulResponse = { id?: string; possible: Possible[] };

/** The complete responses of a form by their answers to the identifying fields. */
export type Compared = {
	fields: IdentityField[];
	/** How many complete responses were compared. */
	count: number;
	/** The ID of the first response with these answers. */
	certain: Map<string, string | undefined>;
	doubtful: DoubtfulResponse[];
	/** The ID of a response whose answers could not be read. */
	unread?: { id?: string; problem: string };
	/** The fields that no response has an answer to, or an entry for. */
	absent: IdentityField[];
};

/**
 * Compares the responses of a form by their answers to some fields. Incomplete responses are left out here
 * as well, because a service may ignore the filter (specification, section 4, rule 1).
 *
 * @param records the responses as the service listed them
 * @param formRecords the fields of the form as the service gave them
 * @param ids the IDs of the identifying fields, which the form must have
 */
export function compareResponses(
	records: readonly IDataObject[],
	formRecords: readonly IDataObject[],
	ids: readonly string[],
): Compared {
	const formFields = formFieldsOf(formRecords);
	const responses = records
		.filter((record) => readBoolean(record.is_incomplete) !== true)
		.map((record) => ({ id: idOf(record), matched: matchAnswers(record, formFields) }));
	const all = responses.map(({ matched }) => matched);
	const fields = ids.map((id) => identityField(id, formFields, formRecords, all));
	const unread = responses.find(({ matched }) => matched.problem !== undefined);
	const compared = responses.map(({ id, matched }) => ({
		id,
		possible: fields.map((field) => possibleTexts(matched, field)),
	}));
	const isCertain = ({ possible }: DoubtfulResponse) => possible.every((one) => one?.size === 1);
	return {
		fields,
		count: responses.length,
		certain: new Map(
			compared
				.filter(isCertain)
				.map(({ id, possible }) => [keyOf(possible.map((one) => [...(one ?? [])][0])), id] as const)
				// of responses with the same answers, the first in the list counts
				.reverse(),
		),
		doubtful: compared.filter((one) => !isCertain(one)),
		...(unread !== undefined && {
			unread: { id: unread.id, problem: unread.matched.problem ?? '' },
		}),
		absent:
			responses.length === 0
				? []
				: fields.filter(({ field }) => !all.some((one) => hasEntry(one, field))),
	};
}

/** The key under which equal answers are found. */
export function keyOf(texts: readonly string[]): string {
	return JSON.stringify(texts);
}

/** Whether a response may have these answers. */
export function mayHave({ possible }: DoubtfulResponse, texts: readonly string[]): boolean {
	return possible.every((one, index) => one === undefined || one.has(texts[index]));
}

function identityField(
	id: string,
	formFields: readonly FormField[],
	formRecords: readonly IDataObject[],
	responses: readonly MatchedAnswers[],
): IdentityField {
	const isIt = (one: string | undefined) =>
		one !== undefined && comparableId(one) === comparableId(id);
	const field = formFields.find(({ uuid }) => isIt(uuid))!;
	const input = inputFieldsOf(formRecords).find((one) => isIt(one.id))!;
	const hasLists = responses.some(({ answers }) =>
		answers.some((answer) => answer.field === field && Array.isArray(answer.value)),
	);
	return {
		title: input.title,
		field,
		kind: input.kind,
		choices: choicesByName(input.choices),
		isList: input.kind === 'multipleChoice' || hasLists,
	};
}

function hasEntry({ answers, doubtful }: MatchedAnswers, field: FormField): boolean {
	return doubtful.includes(field) || answers.some((answer) => answer.field === field);
}

/**
 * What the answer of a response to a field may be. If the service lists labels alone, an answer under a
 * label of several fields, or under one that the form no longer has, may be the answer to the field.
 */
function possibleTexts({ answers, doubtful }: MatchedAnswers, identity: IdentityField): Possible {
	const { field } = identity;
	const own = answers.find((answer) => answer.field === field);
	const isDoubtful = doubtful.includes(field);
	if (own !== undefined && !isDoubtful) return asSet([textOf(own.value, identity)]);
	const ofLabel = answers.filter((answer) => answer.field?.match.label === field.match.label);
	// a map of answers by label has room for one of them: the others are lost
	if (isDoubtful && ofLabel.length === 1) return undefined;
	const candidates = answers.filter((answer) =>
		isDoubtful && answer.field !== undefined
			? ofLabel.includes(answer)
			: answer.field === undefined && answer.uuid === undefined && !isNothing(answer.value),
	);
	return asSet(['', ...candidates.map(({ value }) => textOf(value, identity))]);
}

function asSet(texts: ReadonlyArray<string | undefined>): Possible {
	const known = texts.filter((text) => text !== undefined);
	return known.length === texts.length ? new Set(known) : undefined;
}

/**
 * An answer as it is compared: what is sent and what the service lists can differ in type, Unicode form,
 * order and whitespace.
 *
 * @returns empty for no answer; undefined if the answer cannot be read
 */
export function textOf(value: unknown, identity: IdentityField): string | undefined {
	if (isNothing(value)) return '';
	const files = identity.kind === 'file' ? filesIn(value as IDataObject['']) : [];
	const texts =
		files.length > 0
			? files.map(({ url }) => url)
			: entriesOf(value, identity).map((entry) => entryText(entry, identity));
	if (!texts.every((text) => text !== undefined)) return undefined;
	return [...new Set(texts)].sort().join('\n');
}

function entriesOf(value: unknown, { isList, choices }: IdentityField): unknown[] {
	if (Array.isArray(value)) return value.filter((entry) => !isNothing(entry));
	return isList && typeof value === 'string' ? splitChoices(value, choices) : [value];
}

function entryText(entry: unknown, { kind, choices }: IdentityField): string | undefined {
	const choice = findChoice(entry, choices);
	if (choice !== undefined) return comparable(String(choice.value));
	const value = isRecord(entry) ? (entry.value ?? entry.label ?? entry.name) : entry;
	if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined;
	return typedText(value, kind) ?? comparable(String(value));
}

/** Numbers with more digits would lose some. */
const MAX_DIGITS = 15;

function typedText(value: unknown, kind: FieldKind): string | undefined {
	const text = String(value).trim();
	switch (kind) {
		case 'boolean': {
			const answer = readBoolean(value);
			return answer === undefined ? undefined : String(Number(answer));
		}
		case 'number':
			return text.length > MAX_DIGITS ? undefined : readNumber(value)?.toString();
		case 'date':
			return readTime(value, 'utc')?.toString();
		default:
			// true and false are sent as 1 and 0
			return /^(true|false)$/i.test(text) ? String(Number(readBoolean(text))) : undefined;
	}
}
