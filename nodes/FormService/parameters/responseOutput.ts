import type { INodeProperties } from 'n8n-workflow';
import type { AnswerKeys } from '../api/answers/fields';
import type { ResponseOutput } from '../api/answers/responseItem';
import { invalid, readCollection, readSwitch, toSwitch, toText } from './input';
import type { Input } from './input';
import { includeSecretsSwitch } from './properties';

const answerKeys: AnswerKeys[] = ['customKey', 'label', 'uuid'];

const ofSimplified = { displayOptions: { show: { '/simplify': [true] } } };

/** The entries of an Options collection that say how responses become items. */
export const outputOptions: INodeProperties[] = [
	{
		displayName: 'Answer Keys',
		name: 'answerKeys',
		type: 'options',
		default: 'label',
		description:
			'How to name the answers. Field UUIDs and custom keys stay the same when a field is renamed. They cost one more request per form.',
		options: [
			{
				name: 'Custom Key',
				value: 'customKey',
				description: 'The key set in the form, or the label if there is none',
			},
			{ name: 'Field UUID', value: 'uuid' },
			{ name: 'Label', value: 'label' },
		],
		...ofSimplified,
	},
	{
		displayName: 'Download Files',
		name: 'downloadFiles',
		type: 'boolean',
		default: false,
		description:
			"Whether to download uploaded files into binary fields named after the form's fields",
	},
	{
		displayName: 'Download Files: Prefix',
		name: 'filePrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. file_',
		description: 'Prefix for the binary field names',
		displayOptions: { show: { downloadFiles: [true] } },
	},
	{
		...includeSecretsSwitch,
		displayOptions: { show: { '/simplify': [false] } },
	},
	{
		displayName: 'One Column per Field',
		name: 'columns',
		type: 'boolean',
		default: false,
		description:
			'Whether to return every field of the form in each item, with null for missing answers. Useful for tables and databases. Costs one more request per form.',
		...ofSimplified,
	},
	{
		displayName: 'One Column per Field: Details',
		name: 'details',
		type: 'boolean',
		default: true,
		description:
			'Whether to also return the other main attributes, and to always have columns for answers to deleted fields and for answers that could not be read',
		displayOptions: { show: { columns: [true], '/simplify': [true] } },
	},
];

/**
 * Reads Simplify and these options.
 *
 * @throws NodeOperationError that names the option and what it must be
 */
export function readResponseOutput(input: Input): ResponseOutput {
	const options = readCollection(input, 'options');
	const isDownload = toSwitch(input, options.downloadFiles ?? false, 'Download Files');
	const keys = answerKeys.find((known) => known === (options.answerKeys ?? 'label'));
	if (keys === undefined) {
		throw invalid(input, `'Answer Keys' must be one of ${answerKeys.join(', ')}`);
	}
	return {
		simplify: readSwitch(input, 'simplify', 'Simplify', true),
		filePrefix: isDownload
			? toText(input, options.filePrefix ?? '', 'Download Files: Prefix')
			: undefined,
		includeSecrets: toSwitch(input, options.includeSecrets ?? false, 'Include Secrets'),
		answerKeys: keys,
		columns: toSwitch(input, options.columns ?? false, 'One Column per Field'),
		details: toSwitch(input, options.details ?? false, 'One Column per Field: Details'),
	};
}
