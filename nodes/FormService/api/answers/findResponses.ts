import { gt, lt } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { filterByConditions, listParts } from './conditions';
import type { Conditions, Filtered } from './conditions';
import { decodeAnswers } from './decode';
import type { FormField } from './fields';
import { sortNewestFirst, sortOldestFirst, getSubmittedAt } from './order';

/** The responses that are wanted of a list, and their order. */
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
export function isEveryResponse({ after, before, text, conditions, sort }: Wanted): boolean {
	const isUnfiltered = [after, before, text].every((one) => one === undefined);
	return isUnfiltered && conditions.conditions.length === 0 && sort === 'listed';
}

/**
 * The responses that are wanted, in order. A response without a time that can be read is neither after
 * nor before another; equally old ones stay as they are listed.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export function findResponses(
	records: readonly IDataObject[],
	{ after, before, text, conditions, sort }: Wanted,
	fields: readonly FormField[] = [],
): Filtered<IDataObject> {
	const entries = records.map((record) => ({ record }));
	const possible = entries.filter(
		({ record }) =>
			(after === undefined || gt(getSubmittedAt(record), after)) &&
			(before === undefined || lt(getSubmittedAt(record), before)) &&
			(text === undefined || hasText(record, text)),
	);
	const { met, uncompared } = filterByConditions(possible, conditions, fields);
	const ordered =
		sort === 'listed' ? met : sort === 'newest' ? sortNewestFirst(met) : sortOldestFirst(met);
	return { met: ordered.map(({ record }) => record), uncompared };
}

function hasText(record: IDataObject, text: string): boolean {
	const wanted = toSearchable(text);
	return listTexts(record).some((one) => toSearchable(one).includes(wanted));
}

/** The texts and numbers in the answers of a response, however deep; of an uploaded file, its name. */
export function listTexts(record: IDataObject): string[] {
	return decodeAnswers(record).answers.flatMap(({ value }) => listParts(value).map(String));
}

/** A text in the form in which it is searched: without case, and in one Unicode form. */
export function toSearchable(text: string): string {
	return text.normalize('NFC').toLowerCase();
}
