import type { INodeProperties } from 'n8n-workflow';
import { formIdOf } from '../../api/records';
import { listForms } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { existing } from '../common/existing';
import { readFormId } from '../common/input';
import { formLocator } from '../common/properties';

const showOnlyForFormGet = { resource: ['form'], operation: ['get'] };

export const formGetProperties: INodeProperties[] = [
	{ ...formLocator, displayOptions: { show: showOnlyForFormGet } },
];

/** The service has no endpoint for one form: it is taken from the list of all. */
export const formGet: Operation = {
	prepare(input) {
		const formId = readFormId(input);
		return async (sender, run) => {
			const forms = await run.once('forms', async () => await listForms(sender));
			const wanted = forms.find((form) => formIdOf(form) === formId);
			const form = existing(sender, wanted, {
				message: `There is no form with the ID ${formId}`,
				description:
					'Check the ID, and that the access token belongs to the workspace of the form. Form: Get Many lists the forms there are.',
			});
			return [{ json: structuredClone(form) }];
		};
	},
};
