import { isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { hasIdentity, isRecord } from '../../records';
import { tellsOfPages } from './pageInfo';

/** The records of one page of a list, and the objects that hold it, outermost first. */
export type Page = { records: IDataObject[]; around: IDataObject[] };

/** A value somewhere in a reply: what holds it, and the name that it has there. */
type Place = { value: unknown; around: IDataObject[]; name?: string };

/** The rule that fits decides: it gives the page, `null` for no list, or undefined for the next rule. */
type Shape = { is: string; example: unknown; read: (place: Place) => Page | null | undefined };

/** How deep a list may lie in a reply. */
const MAX_DEPTH = 4;

/**
 * Finds the list in a reply, by the first of the `SHAPES` that fits. Undefined when none does: that is
 * never an empty list.
 *
 * @param value the whole reply
 */
export function findPage(value: unknown): Page | undefined {
	return find({ value, around: [] }) ?? undefined;
}

function find(place: Place): Page | null {
	if (place.around.length > MAX_DEPTH) return null;
	for (const { read } of SHAPES) {
		const found = read(place);
		if (found !== undefined) return found;
	}
	return null;
}

/** The shapes of a list, in the order in which they are tried, each with a reply that it reads. */
export const SHAPES: readonly Shape[] = [
	{
		is: 'an array of records',
		example: [{ uuid: 'a' }, { uuid: 'b' }],
		read: ({ value, around }) => {
			if (Array.isArray(value)) return value.every(isRecord) ? { records: value, around } : null;
			return isRecord(value) ? undefined : null;
		},
	},
	{
		is: 'a form that holds its fields or responses',
		example: { id: 'AbC123', name: 'Survey', fields: [{ uuid: 'a' }] },
		// an envelope can have an identity too, that of the request
		read: ({ value, around }) =>
			isRecord(value) && hasIdentity(value) && !('success' in value)
				? listOfForm(value, around)
				: undefined,
	},
	{
		is: 'what stands under "data"',
		example: { success: true, data: [{ uuid: 'a' }] },
		read: inside((value) => ('data' in value ? 'data' : undefined)),
	},
	{
		is: 'the only list beside other attributes',
		example: { success: true, forms: [{ id: 'AbC123' }], links: { next: null }, total: 1 },
		read: inside((value) => {
			const [list, another] = entriesOf(value).filter(([, inner]) => isList(inner));
			if (list === undefined) return undefined;
			// the records may as well be the values of an object beside an empty list
			const isCertain = !isEqual(list[1], []) || !hasMap(value);
			return another === undefined && isCertain ? list[0] : null;
		}),
	},
	{
		is: 'an object whose values are the records, by number or by identity',
		example: { 3: { uuid: 'a', label: 'Name' }, 17: { uuid: 'b', label: 'City' } },
		read: ({ value, around, name }) =>
			isRecord(value) && isMap(value, name)
				? { records: Object.values(value).filter(isRecord), around }
				: undefined,
	},
	{
		is: 'what stands in the only object',
		example: { success: true, _embedded: { responses: [{ uuid: 'a' }] }, page: { size: 1 } },
		read: inside((value) => {
			// what stands under an identity is a record, and a list in it the record's own
			const objects = entriesOf(value).filter(
				([key, inner]) => isRecord(inner) && /^[a-z_]+$/i.test(key),
			);
			return objects.length === 1 ? objects[0][0] : null;
		}),
	},
];

/** A rule that goes on with one attribute of an object; `null` when there is no list in the object. */
function inside(choose: (value: IDataObject) => string | null | undefined): Shape['read'] {
	return ({ value, around }) => {
		const name = isRecord(value) ? choose(value) : undefined;
		if (name === undefined || name === null) return name;
		const object = value as IDataObject;
		return find({ value: object[name], around: [...around, object], name });
	};
}

/**
 * The fields or responses that lie in the record of their form. A response, which keeps its answers
 * in lists of such names, has a UUID or says whether it is complete (specification, section 2.4).
 */
function listOfForm(form: IDataObject, around: IDataObject[]): Page | null {
	if ('uuid' in form || 'is_incomplete' in form) return null;
	const [list, ...others] = [form.fields, form.responses].filter(Array.isArray) as unknown[][];
	const isOfRecords = list?.every((one) => isRecord(one) && hasIdentity(one));
	if (list === undefined || others.length > 0 || !isOfRecords) return null;
	return { records: list as IDataObject[], around: [...around, form] };
}

/** The attributes that may hold the list: not those that tell of its pages or of the reply. */
function entriesOf(value: IDataObject): Array<[string, unknown]> {
	return Object.entries(value).filter(([key]) => key !== 'errors' && !tellsOfPages(key));
}

function isList(entry: unknown): boolean {
	return Array.isArray(entry) && entry.every(isRecord);
}

function hasMap(value: IDataObject): boolean {
	return entriesOf(value).some(([key, inner]) => isRecord(inner) && isMap(inner, key));
}

/** Names under which an object with nothing in it is a list with nothing in it. */
const LIST_NAME =
	/^(data|list|items|records|results|rows|entries|values|forms|fields|responses|submissions)$/i;

/**
 * Whether an object's values are the records: PHP services send a list with gaps in its numbering so.
 *
 * @param name the attribute that it stands under
 */
function isMap(value: IDataObject, name = ''): boolean {
	const keys = Object.keys(value);
	const values = Object.values(value);
	if (keys.length === 0) return LIST_NAME.test(name);
	if (!values.every(isRecord)) return false;
	return keys.every((key) => /^\d+$/.test(key)) || values.every(hasIdentity);
}
