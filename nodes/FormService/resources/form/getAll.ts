import { endpoints } from '../../api/endpoints';
import { listRecords } from '../../api/service';
import { fetchOncePerRun, type Operation } from '../../execution/operation';
import { readLimit } from '../../parameters/parameterContext';
import { limitInput, returnAllSwitch, simplifySwitch } from '../../parameters/sharedProperties';
import { createFormMapper } from './formItem';

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
	properties: [returnAllSwitch, limitInput, simplifySwitch],
	prepare(input) {
		const limit = readLimit(input);
		const toItem = createFormMapper(input);
		return {
			async read(request) {
				const forms = await fetchOncePerRun(request, listRecords);
				return forms.slice(0, limit).map(toItem);
			},
		};
	},
};
