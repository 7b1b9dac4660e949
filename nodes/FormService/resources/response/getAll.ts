import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { toResponseItem } from '../../api/answers/responseItem';
import { listResponses } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { readFilePrefix, readFormId, readLimit, readSwitch } from '../common/input';
import {
	formLocator,
	limitInput,
	responseOptions,
	returnAllSwitch,
	simplifySwitch,
} from '../common/properties';
import { readStatus, statusChoice } from './status';

const showOnlyForResponseGetMany = { resource: ['response'], operation: ['getAll'] };

export const responseGetAllProperties: INodeProperties[] = [
	{ ...formLocator, displayOptions: { show: showOnlyForResponseGetMany } },
	{ ...returnAllSwitch, displayOptions: { show: showOnlyForResponseGetMany } },
	{
		...limitInput,
		displayOptions: { show: { ...showOnlyForResponseGetMany, returnAll: [false] } },
	},
	{ ...statusChoice, displayOptions: { show: showOnlyForResponseGetMany } },
	{ ...simplifySwitch, displayOptions: { show: showOnlyForResponseGetMany } },
	{ ...responseOptions, displayOptions: { show: showOnlyForResponseGetMany } },
];

export const responseGetAll: Operation = {
	prepare(input) {
		const formId = readFormId(input);
		const limit = readLimit(input);
		const status = readStatus(input);
		const output = {
			simplify: readSwitch(input, 'simplify', 'Simplify', true),
			filePrefix: readFilePrefix(input),
		};
		return async (sender, run) => {
			const { records } = await run.once(
				`responses/${formId}/${status}/${limit}`,
				async () => await listResponses(sender, formId, { status, limit }),
			);
			const items: INodeExecutionData[] = [];
			for (const record of records.slice(0, limit)) {
				items.push(await toResponseItem(sender, record, output));
			}
			return items;
		};
	},
};
