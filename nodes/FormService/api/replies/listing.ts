import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../records';

/** The records of one page, and the objects around them, outermost first, which may name the next page. */
export type Listing = { records: IDataObject[]; around: IDataObject[] };

/** How deep a list may lie in a reply. */
const MAX_DEPTH = 4;

/**
 * Finds the list in a reply, whatever it is wrapped in: the array that is there, the object that
 * holds one, or an object whose values are the records (lists of PHP services arrive so when a
 * filter left gaps in their numbering). Undefined when no rule fits: that is never an empty list.
 *
 * @param value the whole reply
 */
export function findListing(value: unknown): Listing | undefined {
	return search(value, [], 0);
}

function search(value: unknown, around: IDataObject[], depth: number): Listing | undefined {
	if (Array.isArray(value)) {
		return value.every(isRecord) ? { records: value, around } : undefined;
	}
	if (!isRecord(value) || depth > MAX_DEPTH) return undefined;
	const path = [...around, value];
	// an envelope can have an identity too, that of the request
	if (isSingleRecord(value) && !('success' in value)) return listOfForm(value, path, depth);
	if ('data' in value) return search(value.data, path, depth + 1);
	const entries = Object.entries(value).filter(([key]) => !NOT_THE_LIST.has(key));
	const lists = entries.filter(([, inner]) => Array.isArray(inner) && inner.every(isRecord));
	const maps = entries.filter(([, inner]) => isRecord(inner) && isMap(inner, 0));
	const isCertain = lists.length === 1 && (!isEmptyList(lists[0][1]) || maps.length === 0);
	if (isCertain) return search(lists[0][1], path, depth + 1);
	if (lists.length > 0) return undefined;
	if (isMap(value, depth)) {
		return { records: Object.values(value).filter(isRecord), around };
	}
	// what stands under an identity is a record, and a list in it the record's own
	const objects = entries.filter(([key, inner]) => isRecord(inner) && /^[a-z_]+$/i.test(key));
	return objects.length === 1 ? search(objects[0][1], path, depth + 1) : undefined;
}

/**
 * The fields or responses that lie in the record of their form. A response, which keeps its answers
 * in lists of such names, has a UUID or says whether it is complete (specification, section 2.4).
 */
function listOfForm(value: IDataObject, path: IDataObject[], depth: number): Listing | undefined {
	if ('uuid' in value || 'is_incomplete' in value) return undefined;
	const lists = [value.fields, value.responses].filter(Array.isArray) as unknown[][];
	const isOfRecords =
		lists.length === 1 && lists[0].every((one) => isRecord(one) && isSingleRecord(one));
	return isOfRecords ? search(lists[0], path, depth + 1) : undefined;
}

/** Names beside a list that tell of its pages or of the reply. */
const NOT_THE_LIST = new Set(['links', 'meta', 'pagination', 'paging', 'cursor', 'errors']);

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

/** A record, not something that holds records: it has an identity of its own. */
function isSingleRecord(value: IDataObject): boolean {
	return ['uuid', 'id'].some((key) => ['string', 'number'].includes(typeof value[key]));
}

/**
 * Whether an object's values are the records. One that is empty is an empty list only as the `data`
 * of a reply: a reply that is empty itself tells nothing.
 */
function isMap(value: IDataObject, depth: number): boolean {
	const keys = Object.keys(value);
	const values = Object.values(value);
	if (keys.length === 0) return depth > 0;
	if (!values.every(isRecord)) return false;
	return keys.every((key) => /^\d+$/.test(key)) || values.every(isSingleRecord);
}
