import { compact, countBy } from 'lodash';
import { DateTime } from 'luxon';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { findAnswerText } from '../answers/findResponses';
import { getAccount } from '../api/account';
import { clock } from '../api/clock';
import { createTarget, endpoints, type Endpoint } from '../api/endpoints';
import { parseBoolean } from '../api/values';
import { getCreationTimeMs, getFormId, getId, isId, sortByTime } from '../api/records';
import { fetchRecords } from '../api/replies/fetchPages';
import type { RequestContext } from '../api/requestContext';
import { normalizeText, truncateText } from '../api/text';
import { extractFormId } from '../parameters/locators';

/** Returns the ID of the form that is chosen in the editor, or an empty string. */
export function getSelectedFormId(n8n: ILoadOptionsFunctions): string {
	const formId = n8n.getCurrentNodeParameter('formId', { extractValue: true });
	return typeof formId === 'string' ? extractFormId(formId) : '';
}

/** Adds a space before a "=", because n8n would evaluate the text, which a stranger can have written. */
export function escapeExpression(text: string): string {
	return text.startsWith('=') ? ` ${text}` : text;
}

/** How long the editor's lists are kept, so that a search sends no request for each letter. */
const LIST_TTL_MS = 30_000;

const keptLists = new Map<string, Promise<readonly IDataObject[]>>();

/**
 * Fetches a list for the editor, and keeps the list or the failure for 30 seconds.
 *
 * @param ids the values for the `{placeholders}` in the endpoint's path
 * @param limit the number of records after which no further page is fetched
 */
export async function fetchKeptList(
	n8n: ILoadOptionsFunctions,
	endpoint: Endpoint,
	ids?: Readonly<Record<string, string>>,
	limit = Infinity,
): Promise<readonly IDataObject[]> {
	const account = await getAccount(n8n);
	const target = createTarget(account, endpoint, ids);
	const key = `${account.key} ${limit} ${target.url}`;
	const kept = keptLists.get(key);
	if (kept !== undefined) return await kept;
	const context: RequestContext = { n8n, account, priority: 'high' };
	const fetching = fetchRecords(context, target, { limit }).then(({ records }) => records);
	keptLists.set(key, fetching);
	const forgetLater = () => {
		clock.timeout(LIST_TTL_MS).addEventListener('abort', () => keptLists.delete(key));
	};
	fetching.then(forgetLater, forgetLater);
	return await fetching;
}

/**
 * Returns the forms for the parameter Form, sorted by name: "Contact (aB3xY9)" if several have the name.
 *
 * @param filter the searched text, which the name or the ID must contain
 */
export async function searchForms(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const records = await fetchKeptList(this, endpoints.listForms);
	const forms = selectWithValidId(records, getFormId).map(({ id, record }) => ({
		id,
		name: typeof record.name === 'string' && record.name.trim() !== '' ? record.name : id,
	}));
	const counts = countBy(forms, 'name');
	const wanted = normalizeText(filter);
	const results = forms
		.filter(({ id, name }) => normalizeText(`${name}\n${id}`).includes(wanted))
		.sort((a, b) => a.name.localeCompare(b.name))
		.map(({ id, name }) => {
			const shownId = counts[name] > 1 ? ` (${id})` : '';
			return { name: escapeExpression(name + shownId), value: id };
		});
	return { results };
}

/** Returns the forms of `searchForms` for a parameter in which the user selects several forms. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await searchForms.call(this)).results;
}

const MAX_RESULTS = 100;

const MAX_ANSWER_LENGTH = 60;

/**
 * Returns responses of the chosen form for the parameter Response, the newest first. n8n saves the chosen entry in
 * the workflow, so entries have no answers; after a search, only the answer that matches.
 *
 * @param filter the searched text, which an answer or the ID must contain
 */
export async function searchResponses(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const formId = getSelectedFormId(this);
	if (!isId(formId)) return { results: [] };
	const wanted = normalizeText(filter);
	// a search needs all responses, and any other list those of the first pages
	const limit = wanted === '' ? MAX_RESULTS : undefined;
	const records = await fetchKeptList(this, endpoints.listResponses, { formId }, limit);
	const responses = sortByTime(selectWithValidId(records, getId), 'newest');
	const zone = this.getTimezone();
	const results = responses.flatMap(({ id, record }): INodeListSearchItems[] => {
		const answer = findAnswerText(record, filter);
		if (answer === undefined && !normalizeText(id).includes(wanted)) return [];
		const shownAnswer = truncateText(answer ?? '', MAX_ANSWER_LENGTH);
		const name = compact([describeResponse(id, record, zone), shownAnswer]).join(' · ');
		return [{ name: escapeExpression(name), value: id }];
	});
	return { results: results.slice(0, MAX_RESULTS) };
}

/** Describes a response without its answers: "12 · 2026-11-27 00:04 (incomplete)". */
function describeResponse(id: string, record: IDataObject, zone: string): string {
	const { number_formatted: formatted, number = id, is_incomplete } = record;
	const timeMs = getCreationTimeMs(record);
	const minute = timeMs && DateTime.fromMillis(timeMs, { zone }).toFormat('yyyy-MM-dd HH:mm');
	const parts = compact([String(formatted ?? number), minute]);
	return parts.join(' · ') + (parseBoolean(is_incomplete) ? ' (incomplete)' : '');
}

/** Returns the records with a valid ID. n8n would evaluate an ID that starts with "=". */
function selectWithValidId(
	records: readonly IDataObject[],
	getRecordId: (record: IDataObject) => string | undefined,
) {
	return records.flatMap((record) => {
		const id = getRecordId(record);
		return isId(id) ? [{ id, record }] : [];
	});
}
