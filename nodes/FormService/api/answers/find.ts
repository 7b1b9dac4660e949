import type { IDataObject } from 'n8n-workflow';
import { meets } from './conditions';
import type { Conditions } from './conditions';
import { decodeAnswers, partsOf } from './decode';
import type { FormField } from './fields';
import { newestFirst, oldestFirst, submittedAt } from './order';

/** Which responses are wanted, and in which order. */
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
 * @param fields those of the form, where the conditions need them
 */
export function findResponses(
	records: readonly IDataObject[],
	{ after, before, text, conditions, sort }: Wanted,
	fields: readonly FormField[] = [],
): IDataObject[] {
	const isMet = (record: IDataObject) => {
		const time = submittedAt(record);
		return (
			(after === undefined || (time !== undefined && time > after)) &&
			(before === undefined || (time !== undefined && time < before)) &&
			(text === undefined || hasText(record, text)) &&
			meets(record, conditions, fields)
		);
	};
	const entries = records.filter(isMet).map((record) => ({ record }));
	const ordered =
		sort === 'newest' ? newestFirst(entries) : sort === 'oldest' ? oldestFirst(entries) : entries;
	return ordered.map(({ record }) => record);
}

/** Whether a text stands in one of the answers, however deep; of a file, its name is searched. */
function hasText(record: IDataObject, text: string): boolean {
	const wanted = searchable(text);
	return decodeAnswers(record).answers.some(({ value }) =>
		textsIn(value).some((one) => searchable(one).includes(wanted)),
	);
}

/** The texts and numbers in the value of an answer; of an uploaded file, its name. */
export function textsIn(value: unknown): string[] {
	return partsOf(value).map(String);
}

/** A text in the form in which it is searched: without case, and in one Unicode form. */
export function searchable(text: string): string {
	return text.normalize('NFC').toLowerCase();
}
