import { endpoints } from '../../api/endpoints';
import { withoutSecrets } from '../../api/records';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readFormId, readIncludeSecrets, readPage } from '../../parameters/input';
import {
	formLocator,
	includeSecretsSwitch,
	limitInput,
	returnAllSwitch,
} from '../../parameters/properties';
import { pageOf } from '../operation';
import type { Operation, Prepared } from '../operation';
import { inPathOf, requestTo } from '../routing';

const endpoint = endpoints.listFields;

export const fieldGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many fields',
		description: 'Get the fields of a form with their UUIDs',
		routing: requestTo(endpoint, prepare),
	},
	toolDescription:
		'Lists the fields (questions) of a form with their UUIDs, labels, types and choices. Use it before adding a response: answers are given by the UUIDs of the fields.',
	properties: [
		inPathOf(endpoint, formLocator),
		returnAllSwitch,
		limitInput,
		{ ...includeSecretsSwitch, displayOptions: undefined },
	],
};

function prepare(input: Input): Prepared {
	readFormId(input);
	const page = readPage(input);
	const includeSecrets = readIncludeSecrets(input);
	return {
		async send(request) {
			const fields = await request.run.readOnce(request, listRecords);
			const items = pageOf(fields, page).map((field) => ({
				json: includeSecrets ? structuredClone(field) : withoutSecrets(field),
			}));
			return { items, skip: page.skip, total: fields.length };
		},
	};
}
