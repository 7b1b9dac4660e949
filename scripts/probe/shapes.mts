import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ListPage } from '../../nodes/FormService/api/replies/fetchPages.ts';
import type { Reply } from './connect.mts';
import { showNames } from './words.mts';

/* Shapes of replies, without the data of users and of the account. */

const FORMATS: ReadonlyArray<[name: string, format: RegExp]> = [
	['empty text', /^$/],
	['UUID', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i],
	['time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/],
	['URL', /^https?:\/\/\S+$/i],
	['text', /^/],
];

/** Returns the type of a JSON value in words: `list of text`, `UUID`. */
function describeType(value: unknown): string {
	if (value === null) return 'null';
	if (typeof value === 'string') return FORMATS.find(([, format]) => format.test(value))![0];
	if (!Array.isArray(value)) return typeof value;
	const types = lodash.uniq(value.map((entry) => (Array.isArray(entry) ? 'list' : typeof entry)));
	return types.length === 0 ? 'empty list' : `list of ${types.sort().join(' or ')}`;
}

/**
 * Groups the attributes of records by type. The type of an attribute that only some records have ends with
 * `, in some`.
 */
export function describeAttributes(records: readonly IDataObject[]): Record<string, string[]> {
	const namesByType: Record<string, string[]> = {};
	for (const name of lodash.uniq(records.flatMap(Object.keys))) {
		const having = records.filter((record) => Object.hasOwn(record, name));
		const types = lodash.uniq(having.map((record) => describeType(record[name]))).sort();
		const share = having.length === records.length ? '' : ', in some';
		(namesByType[types.join(' or ') + share] ??= []).push(name);
	}
	return lodash.mapValues(namesByType, showNames);
}

function describeBody({ headers, body }: Reply): string {
	if (body === undefined)
		return /html/i.test(String(headers['content-type'])) ? 'web page' : 'no JSON';
	if (!lodash.isPlainObject(body)) return describeType(body);
	const attributes = Object.entries(describeAttributes([body as IDataObject]));
	const parts = attributes.map(([type, names]) => `${names.join(', ')}: ${type}`);
	return `{${parts.join('; ')}}`;
}

/** The headers of the limits. Only their numbers are printed. */
const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'];

/** Describes a reply: its status, its top-level attributes, and the headers of the limits. */
export function describeReply(reply: Reply): string {
	const { status, headers } = reply;
	if (status === undefined) return 'no reply';
	const presentHeaders = HEADERS.filter((name) => headers[name] !== undefined);
	const limits = presentHeaders.map((name) => {
		const value = String(headers[name]);
		return `${name} ${/^\d{1,5}$/.test(value) ? value : '?'}`;
	});
	return [status, describeBody(reply), ...limits].join(', ');
}

/** Finds the first wanted value in a reply, and returns its place: `data.items`. */
export function describePlace(body: unknown, isWanted: (candidate: unknown) => boolean): string {
	const path = findPath(body, isWanted);
	return path?.flatMap((name) => showNames([name])).join('.') || 'the whole reply';
}

function findPath(value: unknown, isWanted: (candidate: unknown) => boolean): string[] | undefined {
	if (isWanted(value)) return [];
	if (!lodash.isPlainObject(value)) return undefined;
	for (const [name, entry] of Object.entries(value as object)) {
		const path = findPath(entry, isWanted);
		if (path !== undefined) return [name, ...path];
	}
	return undefined;
}

/** Describes how the next page is requested: the changed parameters of its URL, such as `by page`. */
export function describePages({ url, nextUrl }: ListPage): string {
	if (nextUrl === undefined) return 'none';
	const before = new URL(url).searchParams;
	const after = [...new URL(nextUrl).searchParams];
	const changed = after.filter(([name, value]) => before.get(name) !== value);
	return `by ${showNames(changed.map(([name]) => name)).join(', ')}`;
}
