import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { fetchBinary } from '../../api/files/binary';
import { pdfFile } from '../../api/files/pdf';
import { getPdfLink } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { readResponseId, readSwitch, readText } from '../common/input';
import { responseIdInput } from '../common/properties';

const showOnlyForResponseGetPdf = { resource: ['response'], operation: ['getPdf'] };

const FIELD_LABEL = 'Put Output File in Field';
const DEFAULT_BINARY_FIELD = 'data';

export const responseGetPdfProperties: INodeProperties[] = [
	{ ...responseIdInput, displayOptions: { show: showOnlyForResponseGetPdf } },
	{
		displayName: 'Download',
		name: 'download',
		type: 'boolean',
		default: false,
		description: 'Whether to download the PDF into a binary field as well as giving its link',
		displayOptions: { show: showOnlyForResponseGetPdf },
	},
	{
		displayName: FIELD_LABEL,
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: DEFAULT_BINARY_FIELD,
		hint: 'The name of the output binary field to put the file in',
		displayOptions: { show: { ...showOnlyForResponseGetPdf, download: [true] } },
	},
];

export const responseGetPdf: Operation = {
	prepare(input) {
		const responseId = readResponseId(input);
		const field = readSwitch(input, 'download', 'Download', false)
			? readText(input, 'binaryPropertyName', FIELD_LABEL, DEFAULT_BINARY_FIELD)
			: undefined;
		return async (sender) => {
			const link = await getPdfLink(sender, responseId);
			const item: INodeExecutionData = { json: { uuid: responseId, pdf_url: link } };
			if (field !== undefined) {
				const file = pdfFile(link, `response-${responseId}.pdf`);
				item.binary = { [field]: await fetchBinary(sender, file) };
			}
			return [item];
		};
	},
};
