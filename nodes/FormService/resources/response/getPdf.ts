import { omit } from 'lodash';
import { endpoints } from '../../api/endpoints';
import { ServiceError } from '../../api/errors';
import { downloadFiles } from '../../api/files/download';
import { fetchPdfLink } from '../../api/service';
import {
	getSelectedFormName,
	getCachedResultName,
	readResponseId,
	formLocator,
	responseLocator,
} from '../../parameters/locators';
import {
	createParameterError,
	readBoolean,
	readText,
	type ParameterContext,
} from '../../parameters/parameterContext';
import { TOOL_CONDITION } from '../../parameters/resultParameters';
import type { Operation } from '../../execution/operation';

const FIELD_LABEL = 'Put Output File in Field';
const DEFAULT_BINARY_FIELD = 'data';
const RESPONSE_DESCRIPTION =
	"The response to get as a PDF. Search by any answer. n8n saves the found answer in the workflow; to avoid that, use 'By UUID'.";

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
			...omit(formLocator, 'required'),
			description:
				'The form whose responses are listed below. Not needed if you enter the UUID of a response.',
		},
		{ ...responseLocator, description: RESPONSE_DESCRIPTION },
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
			displayName: FIELD_LABEL,
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: DEFAULT_BINARY_FIELD,
			hint: 'The name of the output binary field to put the file in',
			displayOptions: { show: { download: [true] }, hide: TOOL_CONDITION },
		},
	],
	prepare(input) {
		const responseId = readResponseId(input);
		// a model cannot receive files
		const downloads = !input.isTool && readBoolean(input, 'download', true);
		const name = 'binaryPropertyName';
		const field = readText(input, name, DEFAULT_BINARY_FIELD).trim();
		if (field === '') throw createParameterError(input, `'${FIELD_LABEL}' is missing`);
		return {
			ids: { responseId },
			async read({ context, target }) {
				const link = await fetchPdfLink(context, target);
				const item = { json: { uuid: responseId, pdf_url: link } };
				if (!downloads) return [item];
				const linked = { url: link, name: nameFile(input, responseId) };
				const [file] = await downloadFiles(context, [linked], 'pdf');
				if (file instanceof ServiceError) throw file;
				return [{ ...item, binary: { [field]: file } }];
			},
		};
	},
};

/**
 * Returns the name of the PDF, such as `Contact-12.pdf`. If the user did not choose the form from the list, the
 * name starts with "response". If the user did not choose the response from the list, the name ends with the
 * UUID.
 */
function nameFile({ node, locator }: ParameterContext, responseId: string): string {
	const form = getSelectedFormName(node, String(locator('formId'))) ?? 'response';
	const [number] = getCachedResultName(node, 'responseId', responseId).split(' · ');
	return `${form}-${number || responseId}.pdf`.replace(/[\\/:*?"<>|]/g, '_');
}
