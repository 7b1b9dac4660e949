import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { decodeAnswers } from '../api/answers/decode';
import { searchable, textsIn } from '../api/answers/find';
import { asPlainText } from '../api/answers/labels';
import { newestFirst } from '../api/answers/order';
import { idOf, isId, saysYes } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { cachedResponses, chosenForm } from './editorLists';

/** Responses that the list shows at a time. */
const PAGE_SIZE = 50;

/**
 * The responses of the chosen form for the list of the Response parameter: newest first, by number and
 * time. A filter searches all answers and the ID. The names contain no answers, because n8n saves the
 * chosen one with the workflow and its exports.
 */
export async function searchResponses(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	const formId = chosenForm(this);
	if (!isId(formId)) return { results: [] };
	const context: RequestContext = { n8n: this, account: await getAccount(this), urgency: 'prompt' };
	const records = await cachedResponses(context, formId);
	const wanted = searchable(filter.trim());
	const found = newestFirst(records.map((record) => ({ record })))
		.flatMap(({ record }) => toListed(record))
		.filter(({ searched }) => searched.includes(wanted));
	const start = Number(paginationToken) || 0;
	const end = start + PAGE_SIZE;
	return {
		results: found
			.slice(start, end)
			.map(({ id, name }) => ({ name: asPlainText(name), value: id })),
		...(end < found.length && { paginationToken: String(end) }),
	};
}

function toListed(record: IDataObject) {
	const id = idOf(record);
	// n8n evaluates a value that begins with "="; what is no ID could not be asked for either
	if (!isId(id)) return [];
	const texts = decodeAnswers(record).answers.flatMap(({ value }) =>
		textsIn(value).filter((text) => text.trim() !== ''),
	);
	const number = record.number_formatted ?? record.number;
	const parts = [
		typeof number === 'string' || typeof number === 'number' ? String(number) : id,
		typeof record.created_at === 'string' ? minuteOf(record.created_at) : '',
	].filter((part) => part !== '');
	const note = saysYes(record.is_incomplete) ? ' (incomplete)' : '';
	return [
		{ id, name: parts.join(' · ') + note, searched: searchable(`${texts.join('\n')}\n${id}`) },
	];
}

/** Date, hour and minute of a time of the service (specification, section 2.1), which is in UTC. */
function minuteOf(time: string): string {
	return time.slice(0, 16).replace('T', ' ');
}
