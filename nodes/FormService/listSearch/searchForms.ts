import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { asPlainText } from '../api/answers/labels';
import { rememberedForms } from '../api/editorLists';
import { formIdOf } from '../api/records';

/**
 * The forms for the list of the Form parameter, by name; forms of one name have their IDs behind it.
 * A filter looks into names and IDs.
 */
export async function searchForms(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const forms = (await rememberedForms({ context: this, urgency: 'prompt' })).flatMap(toListed);
	const wanted = filter.trim().toLowerCase();
	const isAlone = (name: string) => forms.filter((form) => form.name === name).length === 1;
	const results = forms
		.filter(({ id, name }) => `${name}\n${id}`.toLowerCase().includes(wanted))
		.sort((a, b) => a.name.localeCompare(b.name))
		.map(({ id, name, note }) => ({
			name: asPlainText(`${name}${isAlone(name) ? '' : ` (${id})`}${note}`),
			value: id,
		}));
	return { results };
}

function toListed(form: IDataObject) {
	const id = formIdOf(form);
	if (id === undefined) return [];
	const name = typeof form.name === 'string' && form.name.trim() !== '' ? form.name : id;
	return { id, name, note: form.is_closed === true || form.is_closed === 1 ? ' (closed)' : '' };
}
