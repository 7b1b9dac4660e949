import { endpoints } from '../../api/endpoints';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readLimit, readSwitch } from '../../parameters/input';
import { limitInput, returnAllSwitch, simplifySwitch } from '../../parameters/properties';
import type { Operation, Prepared } from '../operation';
import { requestTo } from '../routing';
import { simplifyForm } from './simplify';

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
	properties: [returnAllSwitch, limitInput, simplifySwitch],
};

function prepare(input: Input): Prepared {
	const limit = readLimit(input);
	const simplify = readSwitch(input, 'simplify', 'Simplify', true);
	return {
		async send(request) {
			const forms = await request.run.once(request, listRecords);
			return forms
				.slice(0, limit)
				.map((form) => ({ json: structuredClone(simplify ? simplifyForm(form) : form) }));
		},
	};
}
