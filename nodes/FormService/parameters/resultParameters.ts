import type { INodeProperties } from 'n8n-workflow';
import type { ResponseOutput } from '../answers/responseItem';
import {
	isTool,
	readBoolean,
	readInteger,
	readSelectedOption,
	type ParameterContext,
	toOptions,
} from './parameterContext';

/*
 * How many results an operation returns, and how much of each result. A user has Return All, Limit and
 * Simplify. A model that uses the node as a tool has Limit and Skip, and Output and Fields.
 */

/** A display condition that is met if a model uses the node as a tool. */
export const TOOL_CONDITION = { '@tool': [true] };

const limitProperty: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	// a tool has no Return All
	displayOptions: { hide: { returnAll: [true] } },
};

export const DEFAULT_LIMIT = limitProperty.default as number;

/** The parameters Return All and Limit, or Limit and Skip in a tool. */
export const limitProperties: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: { hide: TOOL_CONDITION },
	},
	limitProperty,
	{
		displayName: 'Skip',
		name: 'skip',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Number of results to skip. Let the model set this number.',
		displayOptions: { show: TOOL_CONDITION },
	},
];

export const simplifyProperty: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The ways in which a model can get each result. */
export const TOOL_OUTPUTS = {
	simplified: 'Simplified',
	raw: 'Raw',
	selectedFields: 'Selected Fields',
};

/** The parameter Simplify, or Output and Fields in a tool. */
export const simplificationProperties: INodeProperties[] = [
	{ ...simplifyProperty, displayOptions: { hide: TOOL_CONDITION } },
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'simplified',
		description: 'How much of each result the model gets',
		options: toOptions(TOOL_OUTPUTS),
		displayOptions: { show: TOOL_CONDITION },
	},
	{
		displayName: 'Fields',
		name: 'outputFields',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Field' },
		default: [],
		required: true,
		placeholder: 'e.g. created_at',
		description:
			'Names of the fields that the model gets: attributes such as created_at or owner.email, or the exact labels of answers. The ID is always included.',
		displayOptions: { show: { ...TOOL_CONDITION, output: ['selectedFields'] } },
	},
];

const ANSWER_NAMES = { label: 'Label', customKey: 'Custom Key', uuid: 'Field UUID' };

const shownWithSimplify = { displayOptions: { show: { '/simplify': [true] } } };

/** The options for the output of a response. A switch starts on, because a user who adds it wants it on. */
export const outputOptions: INodeProperties[] = [
	{
		displayName: 'Download Files',
		name: 'downloadFiles',
		type: 'boolean',
		default: true,
		description:
			"Whether to download uploaded files into binary fields named after the form's fields. Uses at least one more request per form.",
	},
	{
		displayName: 'Name Answers By',
		name: 'nameAnswersBy',
		type: 'options',
		default: 'label',
		description:
			'How to name the answers. Custom keys (if the form has them) and UUIDs stay the same when a field is renamed. Uses at least one more request per form.',
		options: toOptions(ANSWER_NAMES),
		...shownWithSimplify,
	},
	{
		displayName: 'One Column per Field',
		name: 'columns',
		type: 'boolean',
		default: true,
		description:
			'Whether to return every field of the form in each item, with null for missing answers. Useful for tables and databases. Uses at least one more request per form.',
		...shownWithSimplify,
	},
];

/** Returns how many results the user wants. Undefined for all, and in a tool, where `prepareTool` limits them. */
export function readLimit(input: ParameterContext): number | undefined {
	const returnsAll = isTool(input.node) || readBoolean(input, 'returnAll', false);
	return returnsAll ? undefined : readInteger(input, 'limit', 1, DEFAULT_LIMIT);
}

/** Whether to simplify the results. A model selects among the fields of simplified results. */
export function readSimplify(input: ParameterContext): boolean {
	if (!isTool(input.node)) return readBoolean(input, 'simplify', true);
	return readSelectedOption(input, 'output', TOOL_OUTPUTS, 'simplified') !== 'raw';
}

/** Reads the options for the output of a response. */
export function readResponseOutput(input: ParameterContext): ResponseOutput {
	return {
		simplify: readSimplify(input),
		// a model cannot receive files, so a tool downloads none
		downloadFiles: !isTool(input.node) && readBoolean(input, 'options.downloadFiles', false),
		answerKeys: readSelectedOption(input, 'options.nameAnswersBy', ANSWER_NAMES, 'label'),
		columns: readBoolean(input, 'options.columns', false),
	};
}
