import type { INodeProperties } from 'n8n-workflow';
import { toResponseItem } from '../../api/answers/responseItem';
import { identityOf } from '../../api/records';
import { listResponses } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { existing } from '../common/existing';
import { readFilePrefix, readFormId, readResponseId, readSwitch } from '../common/input';
import {
	formLocator,
	responseIdInput,
	responseOptions,
	simplifySwitch,
} from '../common/properties';

const showOnlyForResponseGet = { resource: ['response'], operation: ['get'] };

export const responseGetProperties: INodeProperties[] = [
	{ ...formLocator, displayOptions: { show: showOnlyForResponseGet } },
	{ ...responseIdInput, displayOptions: { show: showOnlyForResponseGet } },
	{ ...simplifySwitch, displayOptions: { show: showOnlyForResponseGet } },
	{ ...responseOptions, displayOptions: { show: showOnlyForResponseGet } },
];

/** The service has no endpoint for one response: it is taken from the responses of its form. */
export const responseGet: Operation = {
	prepare(input) {
		const formId = readFormId(input);
		const responseId = readResponseId(input);
		const simplify = readSwitch(input, 'simplify', 'Simplify', true);
		const filePrefix = readFilePrefix(input);
		return async (sender, run) => {
			const { records } = await run.once(
				`responses/${formId}`,
				async () => await listResponses(sender, formId, { status: 'all' }),
			);
			const wanted = records.find((record) => identityOf(record) === responseId);
			const record = existing(sender, wanted, {
				message: `The form ${formId} has no response with the ID ${responseId}`,
				description: 'Check the ID and the form. The response may have been deleted.',
			});
			return [await toResponseItem(sender, record, { simplify, filePrefix })];
		};
	},
};
