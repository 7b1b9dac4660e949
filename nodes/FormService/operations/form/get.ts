import { endpoints } from '../../api/endpoints';
import { formIdOf } from '../../api/records';
import { listRecords } from '../../api/service';
import { noSuchForm } from '../../parameters/formId';
import type { Input } from '../../parameters/input';
import { readFormId } from '../../parameters/input';
import { formLocator, includeSecretsSwitch, simplifySwitch } from '../../parameters/properties';
import { existing } from '../operation';
import type { Operation, Prepared } from '../operation';
import { requestTo } from '../routing';
import { readFormOutput, toFormItem } from './simplify';

/** The service has no endpoint for one form: it is taken from the list of all. */
export const formGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get form',
		description: 'Get one form with its fields',
		routing: requestTo(endpoints.listForms, prepare),
	},
	toolDescription:
		'Gets one form by its ID: its name, whether it is closed, and its fields with their UUIDs. Use it to find out what a form asks for.',
	properties: [formLocator, simplifySwitch, includeSecretsSwitch],
};

function prepare(input: Input): Prepared {
	const formId = readFormId(input);
	const output = readFormOutput(input);
	return {
		async send(request) {
			const forms = await request.run.readOnce(request, listRecords);
			const wanted = forms.find((form) => formIdOf(form) === formId);
			const form = existing(request.context, wanted, noSuchForm(input.node, formId, forms));
			return [toFormItem(form, output)];
		},
	};
}
