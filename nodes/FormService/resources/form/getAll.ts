import type { INodeProperties } from 'n8n-workflow';
import { listForms } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { readLimit } from '../common/input';
import { limitInput, returnAllSwitch } from '../common/properties';

const showOnlyForFormGetMany = { resource: ['form'], operation: ['getAll'] };

export const formGetAllProperties: INodeProperties[] = [
	{ ...returnAllSwitch, displayOptions: { show: showOnlyForFormGetMany } },
	{ ...limitInput, displayOptions: { show: { ...showOnlyForFormGetMany, returnAll: [false] } } },
];

export const formGetAll: Operation = {
	prepare(input) {
		const limit = readLimit(input);
		return async (sender, run) => {
			const forms = await run.once('forms', async () => await listForms(sender));
			return forms.slice(0, limit).map((form) => ({ json: structuredClone(form) }));
		};
	},
};
