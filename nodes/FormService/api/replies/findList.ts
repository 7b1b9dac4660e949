import type { IDataObject } from 'n8n-workflow';
import { hasIdentity, getIdentity, isRecord } from '../records';
import { isPagingName } from './nextPage';

/** The records of one page of a list, and the objects that hold them, outermost first. */
export type FoundList = { records: IDataObject[]; around: IDataObject[] };

/** A value in a reply. */
type Place = {
	value: unknown;
	/** The objects that hold it, outermost first. */
	around: IDataObject[];
	/** Its name in the innermost of them. */
	name: string;
	/** It is in the reply itself, or in its `data`. */
	isNear: boolean;
};

/** The deepest level of a reply that can hold its list. */
const MAX_DEPTH = 4;

/**
 * Finds the list in a reply: the only list of records on the first level that has one. Under `data`
 * alone, where there is `data` (specification, section 4).
 *
 * @param reply the whole reply
 * @param nameInForm the list's name in the record of the form that it belongs to; undefined for other lists
 * @returns undefined if there is no list or more than one; this never means an empty list
 */
export function findList(reply: unknown, nameInForm?: string): FoundList | undefined {
	let level: Place[] = [{ value: reply, around: [], name: '', isNear: true }];
	for (let depth = 0; depth <= MAX_DEPTH; depth++) {
		const lists = level.flatMap((place) => {
			const records = readRecords(place);
			return records === undefined ? [] : [{ ...place, records }];
		});
		if (lists.length > 1) return undefined;
		// far from the reply itself there are lists of other things, such as the tags of a form
		const isFound = lists.every(({ isNear, records }) => isNear || records.every(hasIdentity));
		if (lists.length > 0) return isFound ? lists[0] : undefined;
		level = level.flatMap((place) => listPlaces(place, nameInForm));
	}
	return undefined;
}

/** Names under which an empty object, or a list far from the reply itself, can be the empty list. */
const LIST_NAME =
	/^(data|list|items|records|results|rows|entries|values|forms|fields|responses|submissions|nodes|edges|content|elements|hits|children)$/i;

function readRecords({ value, name, isNear }: Place): IDataObject[] | undefined {
	const records = Array.isArray(value) ? (value as unknown[]) : readMap(value, name);
	if (records === undefined || !records.every(isRecord)) return undefined;
	return records.length > 0 || isNear || LIST_NAME.test(name) ? records : undefined;
}

/** The values of an object with a number or their own identity as names: PHP sends lists with gaps so. */
function readMap(value: unknown, name: string): unknown[] | undefined {
	if (!isRecord(value)) return undefined;
	const entries = Object.entries(value);
	if (entries.length === 0) return LIST_NAME.test(name) ? [] : undefined;
	const isMap = entries.every(
		([key, one]) => isRecord(one) && (/^\d+$/.test(key) || key === getIdentity(one)),
	);
	return isMap ? Object.values(value) : undefined;
}

/** The attributes of an object that may hold the list. */
function listPlaces(
	{ value, around, name, isNear }: Place,
	nameInForm: string | undefined,
): Place[] {
	if (!isRecord(value)) return [];
	const isForm = isOneRecord(value);
	// a response keeps its answers in lists of such names (specification, section 2.4)
	const isResponse = 'uuid' in value || 'is_incomplete' in value;
	if (isForm && isResponse) return [];
	const isEnvelope = isNear && !isForm && (name === '' || name === 'data');
	return Object.entries(value)
		.filter(([inner]) => (isForm ? inner === nameInForm : canHold(inner, value)))
		.map(([inner, one]) => ({
			value: one,
			around: [...around, value],
			name: inner,
			isNear: isEnvelope,
		}));
}

function canHold(name: string, holder: IDataObject): boolean {
	if ('data' in holder) return name === 'data';
	// an object that has an identity as its name is a record
	const isRecordByName = isRecord(holder[name]) && !/^[a-z_]+$/i.test(name);
	return !isRecordByName && name !== 'errors' && !isPagingName(name);
}

/** Whether an object is a record; an envelope can have an identity too, that of the request. */
function isOneRecord(value: IDataObject): boolean {
	return hasIdentity(value) && !('success' in value);
}
