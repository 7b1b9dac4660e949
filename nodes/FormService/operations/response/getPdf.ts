import { omit } from 'lodash';
import { isResourceLocatorValue } from 'n8n-workflow';
import type { INodeExecutionData } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { downloadPdf } from '../../api/files/download';
import { getPdfLink } from '../../api/service';
import { getChosenName } from '../../parameters/formId';
import type { Input } from '../../parameters/input';
import { readResponseId, readSwitch, readText } from '../../parameters/input';
import { formLocator, responseLocator } from '../../parameters/properties';
import type { Operation } from '../operation';

const FIELD_LABEL = 'Put Output File in Field';
const DEFAULT_BINARY_FIELD = 'data';

export const responseGetPdf: Operation = {
	option: {
		name: 'Get PDF',
		value: 'getPdf',
		action: 'Get response PDF',
		description: 'Retrieve a PDF summary of a response as a link and, if you choose, as a file',
	},
	endpoint: endpoints.getPdf,
	toolDescription:
		'Gets a link to a PDF summary of one response (submission), by the UUID of the response.',
	properties: [
		{
			...omit(formLocator, 'required'),
			description:
				'The form whose responses are listed below. Not needed if you enter the ID of a response.',
		},
		{ ...responseLocator, description: 'The response to get as a PDF' },
		{
			displayName: 'Download PDF',
			name: 'download',
			type: 'boolean',
			default: false,
			description: 'Whether to also download the PDF into a binary field',
		},
		{
			displayName: FIELD_LABEL,
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: DEFAULT_BINARY_FIELD,
			hint: 'The name of the output binary field to put the file in',
			displayOptions: { show: { download: [true] } },
		},
	],
	prepare(input) {
		const responseId = readResponseId(input);
		const field = readSwitch(input, 'download', 'Download PDF', false)
			? readText(input, 'binaryPropertyName', FIELD_LABEL, DEFAULT_BINARY_FIELD)
			: undefined;
		return {
			ids: { responseId },
			async send({ context, target }) {
				const link = await getPdfLink(context, target);
				const item: INodeExecutionData = { json: { uuid: responseId, pdf_url: link } };
				if (field !== undefined) {
					item.binary = { [field]: await downloadPdf(context, link, nameFile(input, responseId)) };
				}
				return [item];
			},
		};
	},
};

/** The form's name and the response's number, as far as the lists that they were chosen from have stored them. */
function nameFile({ node, parameter }: Input, responseId: string): string {
	const form = getChosenName(node, String(parameter<unknown>('formId', '')));
	const { responseId: locator } = node.parameters;
	const isChosen = isResourceLocatorValue(locator) && locator.value === responseId;
	const number = isChosen ? locator.cachedResultName?.split(' · ')[0] : undefined;
	return `${form ?? 'response'}-${number ?? responseId}.pdf`.replace(/[\\/:*?"<>|]/g, '_');
}
