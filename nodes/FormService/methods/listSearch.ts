import { countBy, pick } from 'lodash';
import { DateTime } from 'luxon';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { collectAnswerTexts } from '../api/answers/findResponses';
import { foldCase } from '../api/spelling';
import { escapeExpression } from '../api/expressionSafety';
import { sortByTime } from '../api/recordTimes';
import { clock } from '../api/clock';
import { endpoints, createTarget, type Endpoint } from '../api/endpoints';
import { parseBoolean, parseTimeMs } from '../api/parseValues';
import { getFormId, getId, isId } from '../api/records';
import { listRecords } from '../api/service';
import { isWebUrl } from '../api/url';
import { CLOSED_SUFFIX, extractFormId } from '../parameters/formId';

/** The ID in the Form parameter of the node that is being edited; empty if no form is chosen. */
export function getSelectedFormId(n8n: ILoadOptionsFunctions): string {
	const given = n8n.getCurrentNodeParameter('formId', { extractValue: true });
	return typeof given === 'string' ? extractFormId(given) : '';
}

/** How long the editor's lists and their failures are kept, so that a person who types costs few requests. */
const KEPT_MS = 30_000;

/** Lists that the editor is reading or has read, by account and URL. */
const lists = new Map<string, Promise<IDataObject[]>>();

/** The records of a list for the editor; `ids` are the values of the endpoint's `{placeholders}`. */
export async function fetchCachedList(
	n8n: ILoadOptionsFunctions,
	endpoint: Endpoint,
	ids?: Readonly<Record<string, string>>,
): Promise<IDataObject[]> {
	const account = await getAccount(n8n);
	const target = createTarget(account, endpoint, ids);
	const key = account.key + target.url;
	const list = lists.get(key) ?? listRecords({ n8n, account, urgency: 'prompt' }, target);
	if (!lists.has(key)) keepList(key, list);
	return await list;
}

/** Keeps a list from its beginning. A timer drops it, so a large one stays in memory no longer. */
function keepList(key: string, list: Promise<IDataObject[]>): void {
	lists.set(key, list);
	const removeLater = () =>
		// unlike a sleep, this timer doesn't keep the process running
		clock.timeout(KEPT_MS).addEventListener('abort', () => void lists.delete(key));
	list.then(removeLater, removeLater);
}

/** Where a form's record can have the address of its page: the specification leaves this open (section 2.2). */
const URL_ATTRIBUTES = ['url', 'public_url', 'form_url', 'share_url'];

/**
 * The forms for the list of the Form parameter, by name; forms of one name have their IDs behind it.
 * A filter looks into names and IDs.
 */
export async function searchForms(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const records = await fetchCachedList(this, endpoints.listForms);
	const forms = selectUsable(records, getFormId).map(({ id, record }) => ({
		id,
		name: typeof record.name === 'string' && record.name.trim() !== '' ? record.name : id,
		mark: parseBoolean(record.is_closed) ? CLOSED_SUFFIX : '',
		url: Object.values(pick(record, URL_ATTRIBUTES)).find(isWebUrl),
	}));
	const wanted = foldCase(filter);
	const counts = countBy(forms, 'name');
	const results = forms
		.filter(({ id, name }) => foldCase(`${name}\n${id}`).includes(wanted))
		.sort((one, other) => one.name.localeCompare(other.name))
		.map(({ id, name, mark, url }) => ({
			name: escapeExpression(`${name}${counts[name] > 1 ? ` (${id})` : ''}${mark}`),
			value: id,
			// the editor links to this page next to the list and the chosen form
			url,
		}));
	return { results };
}

/** The same for a parameter that takes several forms. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await searchForms.call(this)).results;
}

/** Responses that the list shows; a search finds all others. */
const MAX_SHOWN = 100;

/**
 * The responses of the chosen form for the list of the Response parameter: newest first, by number and
 * time. A filter searches all answers and the ID. The names contain no answers: n8n saves the name of the
 * chosen one with the workflow and its exports, and shows nothing else of an entry.
 */
export async function searchResponses(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const formId = getSelectedFormId(this);
	if (!isId(formId)) return { results: [] };
	const records = await fetchCachedList(this, endpoints.listResponses, { formId });
	const wanted = foldCase(filter);
	const found = sortByTime(selectUsable(records, getId), 'newest').filter(({ id, record }) =>
		[...collectAnswerTexts(record), foldCase(id)].some((text) => text.includes(wanted)),
	);
	const zone = this.getTimezone();
	const results = found.slice(0, MAX_SHOWN).map(({ id, record }) => {
		return { name: escapeExpression(describeResponse(id, record, zone)), value: id };
	});
	return { results };
}

function describeResponse(id: string, record: IDataObject, zone: string): string {
	const { number_formatted: formatted, number, created_at: time, is_incomplete } = record;
	const name = [formatted, number].find((one) => ['string', 'number'].includes(typeof one)) ?? id;
	const timeMs = parseTimeMs(time, 'utc') ?? NaN;
	const minute = DateTime.fromMillis(timeMs, { zone }).toFormat(' · yyyy-MM-dd HH:mm');
	const mark = parseBoolean(is_incomplete) ? ' (incomplete)' : '';
	return `${String(name)}${Number.isNaN(timeMs) ? '' : minute}${mark}`;
}

/** The records with a valid ID: n8n evaluates a value that begins with "=", and no request takes another one. */
function selectUsable(
	records: readonly IDataObject[],
	getId: (record: IDataObject) => string | undefined,
) {
	return records.flatMap((record) => {
		const id = getId(record);
		return isId(id) ? [{ id, record }] : [];
	});
}
