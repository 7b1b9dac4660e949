import { endpoints } from '../../api/endpoints';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readFormId, readLimit } from '../../parameters/input';
import { formLocator, limitInput, returnAllSwitch } from '../../parameters/properties';
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
	properties: [inPathOf(endpoint, formLocator), returnAllSwitch, limitInput],
};

function prepare(input: Input): Prepared {
	readFormId(input);
	const limit = readLimit(input);
	return {
		async send(request) {
			const fields = await request.run.once(request, listRecords);
			return fields.slice(0, limit).map((field) => ({ json: structuredClone(field) }));
		},
	};
}
