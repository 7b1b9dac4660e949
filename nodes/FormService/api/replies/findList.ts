import type { IDataObject } from 'n8n-workflow';
import { hasIdentity, identityOf, isRecord } from '../records';
import { describesPages } from './pageInfo';

/** The records of one page of a list, and the objects that hold them, outermost first. */
export type FoundList = { records: IDataObject[]; around: IDataObject[] };

/** A value in a reply, the objects that hold it, and its name in the innermost of them. */
type Place = { value: unknown; around: IDataObject[]; name: string };

/** The deepest level of a reply that can hold its list. */
const MAX_DEPTH = 4;

/**
 * Finds the list in a reply: the only list of records on the first level that has one. Under `data`
 * alone, where there is `data` (specification, section 4).
 *
 * @param reply the whole reply
 * @returns undefined if there is no list or more than one: that is never an empty list
 */
export function findList(reply: unknown): FoundList | undefined {
	let level: Place[] = [{ value: reply, around: [], name: '' }];
	for (let depth = 0; depth <= MAX_DEPTH; depth++) {
		const lists = level.flatMap((place) => listAt(place) ?? []);
		if (lists.length > 0) return lists.length === 1 ? lists[0] : undefined;
		level = level.flatMap(placesIn);
	}
	return undefined;
}

function listAt({ value, around, name }: Place): FoundList | undefined {
	const holder = around.at(-1);
	const records = Array.isArray(value) ? (value as unknown[]) : recordsOfMap(value, name);
	if (records === undefined || !records.every(isRecord)) return undefined;
	// what a form holds without identities is neither its fields nor its responses
	const isOfForm = holder !== undefined && isOneRecord(holder);
	return isOfForm && !records.every(hasIdentity) ? undefined : { records, around };
}

/** Names under which an empty object is an empty list. */
const LIST_NAME =
	/^(data|list|items|records|results|rows|entries|values|forms|fields|responses|submissions)$/i;

/** The values of an object with a number or their own identity as names: PHP sends lists with gaps so. */
function recordsOfMap(value: unknown, name: string): unknown[] | undefined {
	if (!isRecord(value)) return undefined;
	const entries = Object.entries(value);
	if (entries.length === 0) return LIST_NAME.test(name) ? [] : undefined;
	const isMap = entries.every(
		([key, one]) => isRecord(one) && (/^\d+$/.test(key) || key === identityOf(one)),
	);
	return isMap ? Object.values(value) : undefined;
}

/** The attributes of an object that may hold the list. */
function placesIn({ value, around }: Place): Place[] {
	if (!isRecord(value)) return [];
	return Object.entries(value)
		.filter(([name]) => mayHoldList(name, value))
		.map(([name, inner]) => ({ value: inner, around: [...around, value], name }));
}

function mayHoldList(name: string, holder: IDataObject): boolean {
	if (isOneRecord(holder)) {
		// a response keeps its answers in lists of such names (specification, section 2.4)
		const isResponse = 'uuid' in holder || 'is_incomplete' in holder;
		return !isResponse && (name === 'fields' || name === 'responses');
	}
	if ('data' in holder) return name === 'data';
	// an object that has an identity as its name is a record
	const isRecordByName = isRecord(holder[name]) && !/^[a-z_]+$/i.test(name);
	return !isRecordByName && name !== 'errors' && !describesPages(name);
}

/** Whether an object is a record; an envelope can have an identity too, that of the request. */
function isOneRecord(value: IDataObject): boolean {
	return hasIdentity(value) && !('success' in value);
}
