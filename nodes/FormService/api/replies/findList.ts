import { isEmpty } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getIdentity, isSingleRecord, isRecord } from '../records';
import { isPagingName } from './nextPage';

/** The records of one page of a list, and the objects that hold them, outermost first. */
export type FoundList = { records: IDataObject[]; around: IDataObject[] };

/**
 * Finds the list in a reply: the only list of records in the reply, in its `data`, in an object of the
 * reply that has its own `data`, or in the record of the form that the list belongs to. Where there is
 * `data`, it is under `data` alone (specification, section 4).
 *
 * @param reply the whole reply
 * @param nameInForm the list's name in the record of the form that it belongs to; undefined for other lists
 * @param around the objects that hold `reply`
 * @returns undefined if there is no list or more than one; this never means an empty list
 */
export function findList(
	reply: unknown,
	nameInForm?: string,
	around: IDataObject[] = [],
): FoundList | undefined {
	const records = readRecords(reply);
	if (records !== undefined) return { records, around };
	if (!isRecord(reply)) return undefined;
	// PHP can send an empty list so
	if (isEmpty(reply) && around.length > 0) return { records: [], around };
	const lists = listPlaces(reply, nameInForm).flatMap(
		(place) => findList(place, nameInForm, [...around, reply]) ?? [],
	);
	return lists.length === 1 ? lists[0] : undefined;
}

/** A list, or an object with numbers or the identities of its values as names: PHP sends lists with gaps so. */
function readRecords(value: unknown): IDataObject[] | undefined {
	if (Array.isArray(value)) return value.every(isRecord) ? value : undefined;
	const entries = isRecord(value) ? Object.entries(value) : [];
	const records = entries.flatMap(([name, one]) =>
		isRecord(one) && (/^\d+$/.test(name) || name === getIdentity(one)) ? [one] : [],
	);
	return records.length > 0 && records.length === entries.length ? records : undefined;
}

/** The values of an object that may be the list, or hold it. */
function listPlaces(holder: IDataObject, nameInForm = ''): unknown[] {
	if (isSingleRecord(holder)) {
		// a response keeps its answers, which need no identity, in lists of such names (section 2.4)
		const list = holder[nameInForm];
		const hasAnswers = readRecords(list)?.some((one) => getIdentity(one) === undefined);
		return 'uuid' in holder || 'is_incomplete' in holder || hasAnswers ? [] : [list];
	}
	if ('data' in holder) return [holder.data];
	return Object.entries(holder)
		.filter(([name]) => name !== 'errors' && !isPagingName(name))
		.map(([, value]: [string, unknown]) => value)
		.filter(
			(value) => !isRecord(value) || 'data' in value || isSingleRecord(value) || readRecords(value),
		);
}
