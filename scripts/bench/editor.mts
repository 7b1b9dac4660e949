import { n8nFor } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';
import type { Table } from './page.mts';

const TYPED = 'Customer';

/** Requests that a person's work in the editor takes. */
export async function editor(): Promise<Table> {
	const withFields = await requestsOf(false);
	const without = await requestsOf(true);
	return {
		title: 'In the editor',
		text: `Adding a trigger, choosing a form by typing ${TYPED.length} letters one after another, adding Response: Create and mapping its fields. \`test/integration/limits/editor.test.mts\` counts them as well.`,
		head: ['', 'Requests', 'Goal'],
		rows: [
			['the list of forms has their fields', `${withFields}`, '1'],
			['it does not have those of the form', `${without}`, '2'],
		],
	};
}

async function requestsOf(isNew: boolean): Promise<number> {
	const service = await startService({ token: `editor-${isNew}` });
	const { searchForms, getFormFields } = n8nFor({
		accessToken: service.token,
		baseUrl: service.url,
	});
	await searchForms();
	for (let letters = 1; letters <= TYPED.length; letters++) {
		await searchForms(TYPED.slice(0, letters));
	}
	const { results } = await searchForms(TYPED);
	const added = isNew && service.store.addForm({ name: 'New', fields: [{ label: 'Name' }] });
	const { fields } = await getFormFields(added ? added.id : String(results[0].value));
	if (fields.length === 0) throw new Error('There are no fields to map');
	const { length } = service.requests;
	await service.close();
	return length;
}
