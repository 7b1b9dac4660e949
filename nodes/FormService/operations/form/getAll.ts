import { endpoints } from '../../api/endpoints';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readPage } from '../../parameters/input';
import {
	includeSecretsSwitch,
	limitInput,
	returnAllSwitch,
	simplifySwitch,
} from '../../parameters/properties';
import { pageOf } from '../operation';
import type { Operation, Prepared } from '../operation';
import { requestTo } from '../routing';
import { readFormOutput, toFormItem } from './simplify';

export const formGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many forms',
		description: 'Get many forms with their fields',
		routing: requestTo(endpoints.listForms, prepare),
	},
	toolDescription:
		'Lists the forms of the workspace with their IDs, names and fields. Use it to find the ID of a form by its name.',
	properties: [returnAllSwitch, limitInput, simplifySwitch, includeSecretsSwitch],
};

function prepare(input: Input): Prepared {
	const page = readPage(input);
	const output = readFormOutput(input);
	return {
		async send(request) {
			const forms = await request.run.readOnce(request, listRecords);
			const items = pageOf(forms, page).map((form) => toFormItem(form, output));
			return { items, skip: page.skip, total: forms.length };
		},
	};
}
