import type { IDataObject } from 'n8n-workflow';
import { decodeAnswers, partsOf } from './decode';
import { newestFirst, oldestFirst, submittedAt } from './order';

/** Which responses are wanted, and in which order. */
export type Wanted = {
	/** Submitted after and before these times, in epoch milliseconds; the times themselves are out. */
	after?: number;
	before?: number;
	/** A text that one of the answers contains, in capital or small letters. */
	text?: string;
	/** What else a response has to meet. */
	meets?: (record: IDataObject) => boolean;
	sort: 'newest' | 'oldest' | 'listed';
};

/** Whether all responses are wanted as they are listed, so that the first ones are enough. */
export function wantsAll({ after, before, text, meets, sort }: Wanted): boolean {
	return [after, before, text, meets].every((one) => one === undefined) && sort === 'listed';
}

/**
 * The responses that are wanted, in order. A response without a time that can be read is neither after
 * nor before another; equal ones stay as they are listed.
 */
export function findResponses(records: readonly IDataObject[], wanted: Wanted): IDataObject[] {
	const { after, before, text, meets, sort } = wanted;
	const found = records.filter((record) => {
		const time = submittedAt(record);
		return (
			(after === undefined || (time !== undefined && time > after)) &&
			(before === undefined || (time !== undefined && time < before)) &&
			(text === undefined || hasText(record, text)) &&
			(meets === undefined || meets(record))
		);
	});
	const entries = found.map((record) => ({ record }));
	const ordered =
		sort === 'newest' ? newestFirst(entries) : sort === 'oldest' ? oldestFirst(entries) : entries;
	return ordered.map(({ record }) => record);
}

/** Whether a text stands in one of the answers, however deep. */
function hasText(record: IDataObject, text: string): boolean {
	const wanted = text.toLowerCase();
	return decodeAnswers(record).answers.some(({ value }) =>
		textsIn(value).some((one) => one.toLowerCase().includes(wanted)),
	);
}

/** The texts and numbers in the value of an answer. */
export function textsIn(value: unknown): string[] {
	return partsOf(value)
		.filter((part) => part !== null && part !== undefined)
		.map(String);
}
