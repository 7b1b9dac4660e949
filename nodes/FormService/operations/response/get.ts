import { toResponseItem } from '../../api/answers/responseItem';
import { endpoints } from '../../api/endpoints';
import type { Target } from '../../api/endpoints';
import { comparableId, identitiesOf } from '../../api/records';
import type { RequestContext } from '../../api/requestContext';
import { listRecords } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readFormId, readResponseId } from '../../parameters/input';
import {
	formLocator,
	onceFormIsChosen,
	optionsOf,
	responseLocator,
	simplifySwitch,
} from '../../parameters/properties';
import { outputOptions, readResponseOutput } from '../../parameters/responseOutput';
import { existing } from '../operation';
import type { Operation, Prepared } from '../operation';
import { inPathOf, requestTo } from '../routing';
import { fieldsOfForm } from './getAll';

const endpoint = endpoints.listResponses;

/** The service has no endpoint for one response: it is taken from the responses of its form. */
export const responseGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get response',
		description: 'Get a response from a list or by its ID',
		routing: requestTo(endpoint, prepare),
	},
	toolDescription:
		'Gets one response (submission) of a form by its UUID, with its answers by the labels of the fields.',
	properties: [
		inPathOf(endpoint, formLocator),
		onceFormIsChosen(responseLocator),
		simplifySwitch,
		optionsOf(outputOptions),
	],
};

function prepare(input: Input): Prepared {
	const formId = readFormId(input);
	const responseId = readResponseId(input);
	const output = readResponseOutput(input);
	return {
		async send(request) {
			const responses = await request.run.readOnce(request, listById);
			const record = existing(request.context, responses.get(comparableId(responseId)), {
				message: `The form ${formId} has no response with the ID ${responseId}`,
				description: 'Check the ID and the form. The response may have been deleted.',
			});
			const fields = await fieldsOfForm(request, formId, output);
			const { item } = await toResponseItem(request.context, record, output, fields);
			return [item];
		},
	};
}

/** The responses of a form, in one pass over them for all items that ask for one. */
async function listById(context: RequestContext, target: Target) {
	const records = await listRecords(context, target);
	const named = records.flatMap((record) =>
		identitiesOf(record).map((id) => [id, record] as const),
	);
	return new Map(named.toReversed());
}
