import { endpoints } from '../../api/endpoints';
import { removeSecrets } from '../../api/records';
import { fetchRecords } from '../../api/replies/listReader';
import { fetchOnce, type Operation } from '../../execution/operation';
import { readFormId, formLocator } from '../../parameters/locators';
import { limitProperties, readLimit, readToolRange } from '../../parameters/resultParameters';

export const fieldGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many fields',
		description: 'Retrieve a list of the fields of a form with their UUIDs',
	},
	endpoint: endpoints.listFields,
	toolDescription:
		'Lists the fields of a form with their UUIDs, labels, types and choices. Use it before adding a response.',
	properties: [formLocator, ...limitProperties],
	prepare(input) {
		const formId = readFormId(input);
		const limit = readLimit(input);
		return {
			ids: { formId },
			selection: readToolRange(input),
			async read(request) {
				const fields = await fetchOnce(request, fetchRecords);
				return fields.slice(0, limit).map((field) => ({ json: removeSecrets(field) }));
			},
		};
	},
};
