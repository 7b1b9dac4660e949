import { n8nFor } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';
import type { Table } from './page.mts';

const TYPED = 'Customer';

/** Requests that a person's work in the editor takes. */
export async function editor(): Promise<Table> {
	const withFields = await requestsOf(false);
	const without = await requestsOf(true);
	return {
		title: 'Requests of the editor',
		text: `Someone adds a trigger, chooses a form by typing ${TYPED.length} letters, adds Response: Create and maps its fields. \`test/integration/limits/editor.test.mts\` counts the same requests.`,
		head: ['', 'Requests', 'Goal'],
		rows: [
			['The list of forms includes their fields', `${withFields}`, '1'],
			['The form’s fields are not in the list', `${without}`, '2'],
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
