import type { INodeProperties } from 'n8n-workflow';
import { listFields } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { readFormId } from '../common/input';
import { formLocator } from '../common/properties';

const showOnlyForFieldGetMany = { resource: ['field'], operation: ['getAll'] };

export const fieldGetAllProperties: INodeProperties[] = [
	{ ...formLocator, displayOptions: { show: showOnlyForFieldGetMany } },
];

export const fieldGetAll: Operation = {
	prepare(input) {
		const formId = readFormId(input);
		return async (sender, run) => {
			const fields = await run.once(
				`fields/${formId}`,
				async () => await listFields(sender, formId),
			);
			return fields.map((field) => ({ json: structuredClone(field) }));
		};
	},
};
