import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { asPlainText } from '../api/answers/labels';
import { isWebUrl } from '../api/files/links';
import { formIdOf, isId, saysYes } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { parseUrl } from '../api/url';
import { cachedForms } from './editorLists';

/**
 * The forms for the list of the Form parameter, by name; forms of one name have their IDs behind it.
 * A filter looks into names and IDs; the URL of a form's page finds the form whose ID is a part of
 * its path.
 */
export async function searchForms(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const account = await getAccount(this);
	const context: RequestContext = { n8n: this, account, urgency: 'prompt' };
	const forms = (await cachedForms(context)).flatMap(toListed);
	const isWanted = matcherOf(filter.trim());
	const isAlone = (name: string) => forms.filter((form) => form.name === name).length === 1;
	const results = forms
		.filter(isWanted)
		.sort((a, b) => a.name.localeCompare(b.name))
		.map(({ id, name, note, url }) => ({
			name: asPlainText(`${name}${isAlone(name) ? '' : ` (${id})`}${note}`),
			value: id,
			// the editor links to it, beside the list and beside the chosen form
			...(url !== undefined && { url }),
		}));
	return { results };
}

type Listed = { id: string; name: string; note: string; url?: string };

function matcherOf(filter: string): (form: Listed) => boolean {
	const path = isWebUrl(filter) ? parseUrl(filter)?.pathname : undefined;
	if (path !== undefined) {
		const parts = new Set(path.split('/'));
		return ({ id, url }) => parts.has(id) || url === filter;
	}
	const wanted = filter.toLowerCase();
	return ({ id, name }) => `${name}\n${id}`.toLowerCase().includes(wanted);
}

/** The same for a parameter that takes several of them. */
export async function getForms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return (await searchForms.call(this)).results;
}

function toListed(form: IDataObject): Listed[] {
	const id = formIdOf(form);
	// n8n evaluates a value that begins with "="; what is no ID could not be asked for either
	if (!isId(id)) return [];
	const name = typeof form.name === 'string' && form.name.trim() !== '' ? form.name : id;
	const url = URL_ATTRIBUTES.map((attribute) => form[attribute]).find(isWebUrl);
	return [{ id, name, note: saysYes(form.is_closed) ? ' (closed)' : '', url }];
}

/** Where a form's record can have the address of its page: the specification leaves it open (section 2.2). */
const URL_ATTRIBUTES = ['url', 'public_url', 'form_url', 'share_url'];
