import type { INodeProperties } from 'n8n-workflow';
import type { ResponseOutput } from '../api/answers/responseItem';
import { readChoice, readCollection, readSwitch, toSwitch, toText } from './input';
import type { Input } from './input';
import { includeSecretsSwitch } from './properties';

const ANSWER_KEYS = { label: 'Label', customKey: 'Custom Key', uuid: 'Field UUID' };

const ofSimplified = { displayOptions: { show: { '/simplify': [true] } } };

/** The entries of an Options collection that say how responses become items. */
export const outputOptions: INodeProperties[] = [
	{
		displayName: 'Answer Keys',
		name: 'answerKeys',
		type: 'options',
		default: 'label',
		description:
			'How to name the answers. Field UUIDs and custom keys stay the same when a field is renamed. Uses one more request per form.',
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
		displayName: 'File Field Prefix',
		name: 'filePrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. file_',
		description: 'Prefix for the binary field names',
		displayOptions: { show: { downloadFiles: [true] } },
	},
	{
		displayName: 'Include Other Attributes',
		name: 'details',
		type: 'boolean',
		default: true,
		description: 'Whether to add the formatted number, the referrer, and columns for issues',
		displayOptions: { show: { columns: [true], '/simplify': [true] } },
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
			'Whether to return every field of the form in each item, with null for missing answers. Useful for tables and databases. Uses one more request per form.',
		...ofSimplified,
	},
];

/** @throws NodeOperationError that names the option and what it must be */
export function readResponseOutput(input: Input): ResponseOutput {
	const options = readCollection(input, 'options');
	const readOption = (name: string, displayName: string) =>
		toSwitch(input, options[name] ?? false, displayName);
	const filePrefix = toText(input, options.filePrefix ?? '', 'File Field Prefix');
	return {
		simplify: readSwitch(input, 'simplify', 'Simplify', true),
		filePrefix: readOption('downloadFiles', 'Download Files') ? filePrefix : undefined,
		includeSecrets: readOption('includeSecrets', 'Include Secrets'),
		answerKeys: readChoice(input, 'options.answerKeys', 'Answer Keys', ANSWER_KEYS),
		columns: readOption('columns', 'One Column per Field'),
		details: readOption('details', 'Include Other Attributes'),
	};
}
