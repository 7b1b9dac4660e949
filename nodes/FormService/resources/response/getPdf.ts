import { endpoints } from '../../api/endpoints';
import { ServiceError } from '../../api/errors';
import { downloadFiles } from '../../api/files/download';
import { fetchPdfLink } from '../../api/service';
import type { Operation } from '../../execution/operation';
import { formLocator, readResponseId, responseLocator } from '../../parameters/locators';
import { createNamedError, isTool, readBoolean, readText } from '../../parameters/parameterContext';
import { TOOL_CONDITION } from '../../parameters/resultParameters';

export const responseGetPdf: Operation = {
	option: {
		name: 'Get PDF',
		value: 'getPdf',
		action: 'Get response PDF',
		description: 'Retrieve a PDF summary of a response as a file and as a link',
	},
	endpoint: endpoints.getPdf,
	toolDescription:
		'Gets a link to a PDF summary of one response (submission), by the UUID of the response.',
	properties: [
		{
			...formLocator,
			required: false,
			description:
				'The form whose responses are listed below. Not needed if you enter the UUID of a response.',
		},
		responseLocator,
		{
			displayName: 'Download PDF',
			name: 'download',
			type: 'boolean',
			default: true,
			description:
				'Whether to download the PDF into a binary field. Without it, the output has only a link, which stops working within about a day.',
			displayOptions: { hide: TOOL_CONDITION },
		},
		{
			displayName: 'Put Output File in Field',
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: 'data',
			hint: 'The name of the output binary field to put the file in',
			displayOptions: { show: { download: [true] }, hide: TOOL_CONDITION },
		},
	],
	prepare(input) {
		const responseId = readResponseId(input);
		// a model cannot receive files
		const downloads = !isTool(input.node) && readBoolean(input, 'download', true);
		const field = readText(input, 'binaryPropertyName', 'data').trim();
		if (field === '') throw createNamedError(input, 'binaryPropertyName', 'is empty');
		return {
			ids: { responseId },
			async read({ context, target }) {
				const link = await fetchPdfLink(context, target);
				const item = { json: { uuid: responseId, pdf_url: link } };
				if (!downloads) return [item];
				const linked = { url: link, name: `response-${responseId}.pdf` };
				const [file] = await downloadFiles(context, [linked], 'pdf');
				if (file instanceof ServiceError) throw file;
				return [{ ...item, binary: { [field]: file } }];
			},
		};
	},
};
