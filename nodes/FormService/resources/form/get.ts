import { endpoints } from '../../api/endpoints';
import { getFormId } from '../../api/records';
import { fetchRecords } from '../../api/replies/listReader';
import { fetchOnce, type Operation } from '../../execution/operation';
import { createFormNotListedError, readFormId, formLocator } from '../../parameters/locators';
import {
	readOutputFields,
	readSimplify,
	simplificationProperties,
} from '../../parameters/resultParameters';
import { convertForm } from './formItem';

/**
 * The operation Form: Get. The API has no endpoint for a single form, so the operation searches the list of all
 * forms.
 */
export const formGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get form',
		description: 'Retrieve a form with its fields',
	},
	endpoint: endpoints.listForms,
	toolDescription:
		'Gets one form by its ID: its name, whether it is closed, and its fields with their UUIDs.',
	properties: [formLocator, ...simplificationProperties],
	prepare(input) {
		const formId = readFormId(input);
		const simplify = readSimplify(input);
		return {
			selection: { names: readOutputFields(input) },
			async read(request) {
				const forms = await fetchOnce(request, fetchRecords);
				const form = forms.find((record) => getFormId(record) === formId);
				if (form !== undefined) return [convertForm(form, simplify)];
				throw createFormNotListedError(input, formId);
			},
		};
	},
};
