import { endpoints } from '../../api/endpoints';
import { fetchRecords } from '../../api/replies/listReader';
import { fetchOnce, type Operation } from '../../execution/operation';
import {
	limitProperties,
	readLimit,
	readOutputFields,
	readToolRange,
	readSimplify,
	simplificationProperties,
} from '../../parameters/resultParameters';
import { convertForm } from './formItem';

export const formGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many forms',
		description: 'Retrieve a list of forms with their fields',
	},
	endpoint: endpoints.listForms,
	toolDescription:
		'Lists the forms of the workspace with their IDs, names and fields. Use it to find the ID of a form by its name.',
	properties: [...limitProperties, ...simplificationProperties],
	prepare(input) {
		const limit = readLimit(input);
		const simplify = readSimplify(input);
		return {
			selection: { ...readToolRange(input), names: readOutputFields(input) },
			async read(request) {
				const forms = await fetchOnce(request, fetchRecords);
				return forms.slice(0, limit).map((form) => convertForm(form, simplify));
			},
		};
	},
};
