import lodash from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { ListPage } from '../../nodes/FormService/api/replies/list.ts';
import type { Reply } from './connect.mts';
import { isKnownName, showNames } from './vocabulary.mts';

/* What replies look like, without anything that a person or the account has put into them. */

const FORMATS: ReadonlyArray<[name: string, format: RegExp]> = [
	['empty text', /^$/],
	['UUID', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i],
	['time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/],
	['URL', /^https?:\/\/\S+$/i],
	['text', /^/],
];

/** The type of a value from JSON, in words. */
export function describeType(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) {
		const isSimple = value.every((one) => !lodash.isObject(one));
		const types = lodash.uniq(value.map(isSimple ? describeType : (one) => `${typeof one}s`));
		return types.length === 0 ? 'empty list' : `list of ${types.sort().join(' or ')}`;
	}
	if (typeof value === 'string') return FORMATS.find(([, format]) => format.test(value))![0];
	if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
	return typeof value;
}

/** The attributes of records by their types; an attribute that only some records have has that in its type. */
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

/** A number in a header, as long as it cannot stand for more. */
const showNumber = (value: unknown) => (/^\d{1,5}$/.test(String(value)) ? String(value) : '?');

/** The outermost attributes of a body, and the lists and objects in them. */
function describeBody(body: unknown, isInside = false): string {
	if (!lodash.isPlainObject(body)) return describeType(body);
	const own = body as Readonly<Record<string, unknown>>;
	const names = Object.keys(own).filter((name) => !isInside || lodash.isObject(own[name]));
	const [known, others] = lodash.partition(names, isKnownName);
	const parts = known.map((name) => {
		if (!lodash.isObject(own[name])) return name;
		return `${name}: ${isInside ? describeType(own[name]) : describeBody(own[name], true)}`;
	});
	const types = lodash.uniq(others.map((name) => describeType(own[name])));
	if (others.length > 0) parts.push(`${showNames(others).join()}: ${types.join(' or ')}`);
	const more = names.length < Object.keys(own).length ? ['…'] : [];
	return `{${[...parts, ...more].join(', ')}}`;
}

/** The status of a reply, its shape, and what is left of the limit. */
export function describeReply({ status, headers, body }: Reply): string {
	if (status === undefined) return 'no reply';
	const isWebPage = /html/i.test(String(headers['content-type']));
	const notJson = isWebPage ? 'a web page' : 'no JSON';
	const [limit, remaining, pause] = HEADERS.map(
		(name) => headers[name] && showNumber(headers[name]),
	);
	const limits = limit && remaining ? `${remaining}/${limit} left` : 'no limits';
	const content = body === undefined ? notJson : describeBody(body);
	return [status, content, limits, ...(pause ? [`retry after ${pause}`] : [])].join(', ');
}

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'] as const;

/** Lists are nested no deeper. */
const MAX_DEPTH = 6;

/** The names that lead to the first value that is wanted, outermost first. */
function findPath(value: unknown, isWanted: (one: unknown) => boolean): string[] | undefined {
	const places: Array<{ path: string[]; value: unknown }> = [{ path: [], value }];
	for (const { path, value: one } of places) {
		if (isWanted(one)) return path;
		if (!lodash.isPlainObject(one) || path.length === MAX_DEPTH) continue;
		for (const [name, next] of Object.entries(one as object))
			places.push({ path: [...path, name], value: next });
	}
	return undefined;
}

/** Where a value is in a reply, such as `data.items`. */
export function describePlace(body: unknown, isWanted: (one: unknown) => boolean): string {
	const path = findPath(body, isWanted);
	if (path === undefined) return 'another place';
	return path.flatMap((name) => showNames([name])).join('.') || 'the whole reply';
}

/** Where a page has its records, and how the next page is found. */
export function describeList(page: ListPage, { body, headers }: Reply) {
	const isList = (one: unknown) =>
		lodash.isObject(one) && lodash.isEqual(Object.values(one), page.records);
	const path = findPath(body, isList) ?? [];
	const list: unknown = path.length === 0 ? body : lodash.get(body, path);
	const around = JSON.stringify(body, (_, one: unknown) => (one === list ? null : one));
	const isObject = !Array.isArray(list) && page.records.length > 0;
	return {
		'found in': describePlace(body, isList) + (isObject ? ', as an object' : ''),
		pages: describePages(page, `${around} ${String(headers.link)}`),
	};
}

/** How the next page is found: by a link in the reply, or by a number or cursor put into the URL. */
function describePages({ url, next, isLast }: ListPage, links: string): string {
	if (isLast) return 'none';
	if (next === undefined) return 'announced, but the next page cannot be found';
	const before = new URL(url).searchParams;
	const after = [...new URL(next.url).searchParams];
	const changed = after.filter(([name, value]) => before.get(name) !== value);
	const isLinked = changed.some(([name, value]) => links.includes(`${name}=${value}`));
	const isNumber = changed.every(([, value]) => /^\d{1,9}$/.test(value));
	const means = isLinked ? 'link' : isNumber ? 'number' : 'cursor';
	return `by a ${means} (${showNames(changed.map(([name]) => name)).join(', ')})`;
}

const ORDERS: ReadonlyArray<[by: string, read: (record: IDataObject) => number]> = [
	['time', ({ created_at: time }) => Date.parse(String(time))],
	['number', ({ number }) => Number(number ?? NaN)],
];

/** Where the newest records of a list are, by the first of time and number that changes along the list. */
export function describeOrder(records: readonly IDataObject[]): string {
	for (const [by, read] of ORDERS) {
		const steps = records.slice(1).map((record, index) => read(record) - read(records[index]));
		const [rises, falls] = [steps.some((step) => step > 0), steps.some((step) => step < 0)];
		if (steps.some(Number.isNaN) || rises === falls) continue;
		return `newest ${rises ? 'last' : 'first'}, by ${by}`;
	}
	return records.length < 2 ? 'too few records to see it' : 'none by time or number';
}
