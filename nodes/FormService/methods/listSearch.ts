import { compact, countBy, isEqual, pick } from 'lodash';
import { DateTime } from 'luxon';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { findAnswerText } from '../answers/findResponses';
import { foldCase } from '../api/spelling';
import { sortByTime } from '../api/recordTimes';
import { clock } from '../api/clock';
import { truncateText } from '../api/errorTexts';
import { endpoints, createTarget, type Endpoint } from '../api/endpoints';
import { parseBoolean, parseTimeMs } from '../api/parseValues';
import { getFormId, getId, isId } from '../api/records';
import { getRecords } from '../api/replies/completeness';
import { createListReader, type ListReader } from '../api/replies/listReader';
import { isWebUrl } from '../api/url';
import { CLOSED_SUFFIX, extractFormId } from '../parameters/formId';

/** Returns the ID of the form that is chosen in the editor. Returns an empty string if no form is chosen. */
export function getSelectedFormId(n8n: ILoadOptionsFunctions): string {
	const formIdParameter = n8n.getCurrentNodeParameter('formId', { extractValue: true });
	return typeof formIdParameter === 'string' ? extractFormId(formIdParameter) : '';
}

/**
 * Adds a blank before a string that starts with "=", because n8n would evaluate the string as an expression.
 * The string can come from a stranger, for example as an answer.
 */
export function escapeExpression(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}

/**
 * How long a list for the editor is kept, in milliseconds. Without a kept list, a search would send requests
 * for each letter that the user types. A failure is also kept.
 */
const LIST_TTL_MS = 30_000;

/** A list that was fetched for the editor: all its pages, or only the first pages. */
type CachedList = {
	read: ListReader;
	/** The records by purpose: `part` for the first results, `whole` for all records. */
	results: Map<string, Promise<IDataObject[]>>;
	openCount: number;
};

/** The lists that have been fetched, by account and URL. */
const lists = new Map<string, CachedList>();

/**
 * Fetches the records of a list for the editor. Keeps the list for 30 seconds. If the editor first shows some
 * results and then searches, the search fetches only the missing pages.
 *
 * @param ids the values for the `{placeholders}` in the endpoint's path
 * @param isEnough returns true if the records so far are enough; without this function, all pages are fetched
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
	const result = reading.then(getRecords);
	list.results.set(purpose, result);
	list.openCount++;
	const removeLater = () => {
		list.openCount--;
		// frees the memory of a large list; the timer of an `AbortSignal` does not keep the process running
		clock.timeout(LIST_TTL_MS).addEventListener('abort', () => {
			if (list.openCount === 0 && lists.get(key) === list) lists.delete(key);
		});
	};
	result.then(removeLater, removeLater);
	return await result;
}

/**
 * The attributes that can contain the URL of a form's page. The specification does not name the attribute
 * (section 2.2).
 */
const URL_ATTRIBUTES = ['url', 'public_url', 'form_url', 'share_url'];

/**
 * Returns the forms for the list of the Form parameter, sorted by name. If several forms have the same name,
 * the ID follows the name: "Contact (aB3xY9)".
 *
 * @param filter the searched text, which the name or the ID must contain
 */
export async function searchForms(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const records = await fetchCachedList(this, endpoints.listForms);
	const forms = selectWithValidId(records, getFormId).map(({ id, record }) => ({
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
			// the editor shows a link to the page of the form
			url,
		}));
	return { results };
}

/** Returns the forms of `searchForms` for a parameter in which the user selects several forms. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await searchForms.call(this)).results;
}

/** The maximum number of responses in the list. With a search, users can find older responses. */
const MAX_RESULTS = 100;

/** The maximum number of characters of an answer in the list. */
const MAX_ANSWER_LENGTH = 60;

/**
 * Returns the responses of the chosen form for the list of the Response parameter, the newest first. The list
 * shows the number and the time of a response. A search also shows the matching answer. All other answers are
 * left out, because n8n saves the chosen list entry in the workflow.
 *
 * @param filter the searched text, which an answer or the ID must contain
 */
export async function searchResponses(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const formId = getSelectedFormId(this);
	if (!isId(formId)) return { results: [] };
	// a search needs all responses
	const isEnough = filter.trim() === '' ? hasEnoughNewest : undefined;
	const records = await fetchCachedList(this, endpoints.listResponses, { formId }, isEnough);
	const responses = sortByTime(selectWithValidId(records, getId), 'newest');
	const zone = this.getTimezone();
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

/**
 * Whether the records so far are enough for the list. The records must fill the list, and must be sorted from
 * newest to oldest.
 */
function hasEnoughNewest(records: readonly IDataObject[]): boolean {
	if (records.length < MAX_RESULTS) return false;
	const entries = records.map((record) => ({ record }));
	const isSorted = isEqual(sortByTime(entries, 'newest'), entries);
	return isSorted && !isEqual(sortByTime(entries, 'oldest'), entries);
}

/** Returns the list entry of a response: "12 · 2026-11-27 00:04 (incomplete) · Ada Lovelace". */
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
 * Returns the records that have a valid ID. An invalid ID cannot be sent in a request, and n8n would evaluate
 * an ID that starts with "=".
 */
function selectWithValidId(
	records: readonly IDataObject[],
	getId: (record: IDataObject) => string | undefined,
) {
	return records.flatMap((record) => {
		const id = getId(record);
		return isId(id) ? [{ id, record }] : [];
	});
}
