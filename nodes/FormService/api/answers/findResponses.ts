import type { IDataObject } from 'n8n-workflow';
import { pauseIfDue } from '../clock';
import { filterByConditions, listParts } from './conditions';
import type { Conditions } from './conditions';
import { decodeAnswers } from './decode';
import type { FormField } from './fields';
import { toCaseless } from './names';
import { sortNewestFirst, sortOldestFirst, getSubmissionTime } from './order';

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
	const filters = [after, before, text, ...conditions.conditions];
	return sort === 'listed' && filters.every((one) => one === undefined);
}

/**
 * The responses that are wanted, in order. A response without a time that can be read is neither after
 * nor before another; equally old ones stay as they are listed.
 *
 * @param fields the fields of the form, if the conditions need them
 */
export async function findResponses(
	records: readonly IDataObject[],
	{ after, before, text = '', conditions, sort }: Wanted,
	fields: readonly FormField[] = [],
): Promise<IDataObject[]> {
	const wantedText = toCaseless(text);
	const entries: Array<{ record: IDataObject }> = [];
	for (const record of records) {
		await pauseIfDue();
		const timeMs = (after ?? before) === undefined ? NaN : (getSubmissionTime(record) ?? NaN);
		if (
			(after === undefined || timeMs > after) &&
			(before === undefined || timeMs < before) &&
			(wantedText === '' || listTexts(record).some((one) => one.includes(wantedText)))
		) {
			entries.push({ record });
		}
	}
	const met = await filterByConditions(entries, conditions, fields);
	const sorters = { newest: sortNewestFirst, oldest: sortOldestFirst, listed: undefined };
	return (sorters[sort]?.(met) ?? met).map(({ record }) => record);
}

/** The texts and numbers in the answers of a response, without case and however deep; of an uploaded file, its name. */
export function listTexts(record: IDataObject): string[] {
	const parts = decodeAnswers(record).answers.flatMap(({ value }) => listParts(value));
	return parts.map((part) => toCaseless(String(part)));
}
