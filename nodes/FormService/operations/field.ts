import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../api/endpoints';
import { withoutSecrets } from '../api/records';
import { listRecords } from '../api/service';
import { readFormId, readIncludeSecrets, readPage } from '../parameters/input';
import {
	formLocator,
	includeSecretsSwitch,
	limitInput,
	returnAllSwitch,
} from '../parameters/properties';
import { makeListing, readOnce } from './operation';
import type { Operation } from './operation';

export const fieldGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many fields',
		description: 'Retrieve the fields of a form with their UUIDs',
	},
	endpoint: endpoints.listFields,
	toolDescription:
		'Lists the fields (questions) of a form with their UUIDs, labels, types and choices. Use it before adding a response, to learn the UUIDs and choices of the fields.',
	properties: [
		formLocator,
		returnAllSwitch,
		limitInput,
		{ ...includeSecretsSwitch, displayOptions: undefined },
	],
	prepare(input) {
		const formId = readFormId(input);
		const page = readPage(input);
		const toJson = readIncludeSecrets(input) ? structuredClone<IDataObject> : withoutSecrets;
		return {
			ids: { formId },
			async send(request) {
				const fields = await readOnce(request, listRecords);
				return await makeListing(fields, page, (field) => ({ json: toJson(field) }));
			},
		};
	},
};
