import { compact, countBy, isEqual, pick } from 'lodash';
import { DateTime, IANAZone } from 'luxon';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { findAnswerText } from '../api/answers/findResponses';
import { foldCase } from '../api/spelling';
import { sortByTime } from '../api/recordTimes';
import { clock } from '../api/clock';
import { truncateText } from '../api/errorTexts';
import { endpoints, createTarget, type Endpoint } from '../api/endpoints';
import { parseBoolean, parseTimeMs } from '../api/parseValues';
import { getFormId, getId, isId } from '../api/records';
import { createListReader, type ListReader } from '../api/replies/listReader';
import { isWebUrl } from '../api/url';
import { CLOSED_SUFFIX, extractFormId } from '../parameters/formId';
import { timeZoneProperty } from '../parameters/sharedProperties';

/** Returns the ID in the Form parameter of the node in the editor; empty if no form is chosen. */
export function getSelectedFormId(n8n: ILoadOptionsFunctions): string {
	const formIdParameter = n8n.getCurrentNodeParameter('formId', { extractValue: true });
	return typeof formIdParameter === 'string' ? extractFormId(formIdParameter) : '';
}

/**
 * Escapes a text from the service for a parameter's value. n8n evaluates a value that starts with "=" as an
 * expression, and a stranger can choose such a text.
 */
export function escapeExpression(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}

/** How long the editor's lists and their failures are kept, so that typing in a search takes few requests. */
const LIST_TTL_MS = 30_000;

/** A list that the editor is reading or has read. */
type CachedList = {
	read: ListReader;
	/** The records for each purpose, such as the first results and a search. */
	results: Map<string, Promise<IDataObject[]>>;
	openCount: number;
};

/** Lists by account and URL. */
const lists = new Map<string, CachedList>();

/**
 * Fetches the records of a list for the editor. Lists are kept, so a search continues where the first results end.
 *
 * @param ids the values of the endpoint's `{placeholders}`
 * @param isEnough whether the records found so far are enough; by default, the whole list is read
 */
export async function fetchCachedList(
	n8n: ILoadOptionsFunctions,
	endpoint: Endpoint,
	ids?: Readonly<Record<string, string>>,
	isEnough?: (records: readonly IDataObject[]) => boolean,
): Promise<IDataObject[]> {
	const account = await getAccount(n8n);
	const target = createTarget(account, endpoint, ids);
	const key = account.key + target.url;
	const list = lists.get(key) ?? {
		read: createListReader(target),
		results: new Map(),
		openCount: 0,
	};
	lists.set(key, list);
	const purpose = isEnough === undefined ? 'whole' : 'part';
	const kept = list.results.get(purpose);
	if (kept !== undefined) return await kept;
	const reading = list.read({ n8n, account, priority: 'high' }, isEnough);
	const result = reading.then(({ records }) => [...records]);
	list.results.set(purpose, result);
	list.openCount++;
	const removeLater = () => {
		list.openCount--;
		// unlike a sleep, this timer doesn't keep the process running; it frees the memory of a large list
		clock.timeout(LIST_TTL_MS).addEventListener('abort', () => {
			if (list.openCount === 0 && lists.get(key) === list) lists.delete(key);
		});
	};
	result.then(removeLater, removeLater);
	return await result;
}

/** Where a form's record can have the address of its page: the specification leaves this open (section 2.2). */
const URL_ATTRIBUTES = ['url', 'public_url', 'form_url', 'share_url'];

/**
 * Lists the forms for the Form parameter, sorted by name. If forms share a name, their IDs follow the name.
 * A filter searches names and IDs.
 */
export async function searchForms(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const records = await fetchCachedList(this, endpoints.listForms);
	const forms = selectUsable(records, getFormId).map(({ id, record }) => ({
		id,
		name: typeof record.name === 'string' && record.name.trim() !== '' ? record.name : id,
		suffix: parseBoolean(record.is_closed) ? CLOSED_SUFFIX : '',
		url: Object.values(pick(record, URL_ATTRIBUTES)).find(isWebUrl),
	}));
	const wanted = foldCase(filter);
	const counts = countBy(forms, 'name');
	const results = forms
		.filter(({ id, name }) => foldCase(`${name}\n${id}`).includes(wanted))
		.sort((a, b) => a.name.localeCompare(b.name))
		.map(({ id, name, suffix, url }) => ({
			name: escapeExpression(`${name}${counts[name] > 1 ? ` (${id})` : ''}${suffix}`),
			value: id,
			// the editor links to this page next to the list and the chosen form
			url,
		}));
	return { results };
}

/** Lists the forms of `searchForms` for a parameter that takes several forms. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await searchForms.call(this)).results;
}

/** The most responses in the list. A search finds older responses. */
const MAX_RESULTS = 100;

/** Characters of the answer that a search has found. */
const MAX_ANSWER_LENGTH = 60;

/**
 * Lists the responses of the chosen form for the Response parameter: newest first, by number and time. A filter
 * searches all answers and the ID, and the matching answer follows the time. Other answers are
 * left out, because n8n saves the name of the chosen response with the workflow and its exports.
 */
export async function searchResponses(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const formId = getSelectedFormId(this);
	if (!isId(formId)) return { results: [] };
	// a search looks into all responses
	const isEnough = filter.trim() === '' ? hasNewest : undefined;
	const records = await fetchCachedList(this, endpoints.listResponses, { formId }, isEnough);
	const responses = sortByTime(selectUsable(records, getId), 'newest');
	const zone = getTimeZone(this);
	const matches = responses.flatMap(({ id, record }) => {
		const answerText = findAnswerText(record, filter);
		const isFound = answerText !== undefined || foldCase(id).includes(foldCase(filter));
		return isFound ? [{ id, record, answerText }] : [];
	});
	const results = matches.slice(0, MAX_RESULTS).map(({ id, record, answerText }) => {
		const name = describeResponse(id, record, { zone, answerText });
		return { name: escapeExpression(name), value: id };
	});
	return { results };
}

/** Returns the workflow's zone if the editor has resolved it, otherwise n8n's zone. */
function getTimeZone(n8n: ILoadOptionsFunctions): string {
	const zone = n8n.getCurrentNodeParameter(timeZoneProperty.name);
	return typeof zone === 'string' && IANAZone.isValidZone(zone) ? zone : n8n.getTimezone();
}

/** Whether the first records of a list fill the results, sorted from newest to oldest. */
function hasNewest(records: readonly IDataObject[]): boolean {
	if (records.length < MAX_RESULTS) return false;
	const entries = records.map((record) => ({ record }));
	const isSorted = isEqual(sortByTime(entries, 'newest'), entries);
	return isSorted && !isEqual(sortByTime(entries, 'oldest'), entries);
}

/** Describes a response, such as "12 · 2026-11-27 00:04 (incomplete) · Ada Lovelace". */
function describeResponse(
	id: string,
	record: IDataObject,
	{ zone, answerText = '' }: { zone: string; answerText?: string },
): string {
	const { number_formatted: formatted, number, created_at: time, is_incomplete } = record;
	const isText = (value: unknown) => ['string', 'number'].includes(typeof value);
	const name = String([formatted, number].find(isText) ?? id);
	const timeMs = parseTimeMs(time, 'utc') ?? NaN;
	const minute = DateTime.fromMillis(timeMs, { zone });
	const suffix = parseBoolean(is_incomplete) ? ' (incomplete)' : '';
	const parts = [name, minute.isValid && minute.toFormat('yyyy-MM-dd HH:mm')];
	const description = compact(parts).join(' · ') + suffix;
	return answerText === ''
		? description
		: `${description} · ${truncateText(answerText, MAX_ANSWER_LENGTH)}`;
}

/**
 * Returns the records with a valid ID. n8n would evaluate a value that starts with "=", and requests reject
 * other invalid IDs.
 */
function selectUsable(
	records: readonly IDataObject[],
	getId: (record: IDataObject) => string | undefined,
) {
	return records.flatMap((record) => {
		const id = getId(record);
		return isId(id) ? [{ id, record }] : [];
	});
}
