import type { INodeProperties } from 'n8n-workflow';
import {
	readInteger,
	readSelectedOption,
	readBoolean,
	readTextList,
	type ParameterContext,
} from './parameterContext';
import { simplifyProperty, toOptions } from './sharedProperties';

/*
 * The parameters that decide how many results an operation returns, and how much of each result. A user has
 * Return All, Limit and Simplify. A model that uses the node as a tool has Limit and Skip to page through the
 * results, and Output and Fields to select fields.
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
};

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
	{ ...limitProperty, displayOptions: { show: { returnAll: [false] }, hide: TOOL_CONDITION } },
	{ ...limitProperty, displayOptions: { show: TOOL_CONDITION } },
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

const OUTPUTS = { simplified: 'Simplified', raw: 'Raw', selectedFields: 'Selected Fields' };

/** The parameter Simplify, or Output and Fields in a tool. */
export const simplificationProperties: INodeProperties[] = [
	{ ...simplifyProperty, displayOptions: { hide: TOOL_CONDITION } },
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'simplified',
		description: 'How much of each result the model gets',
		options: toOptions(OUTPUTS),
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

/**
 * Returns how many results the user wants, from Return All and Limit. Undefined for all results. Always
 * undefined in a tool, because `readToolRange` reads the limit of a model.
 */
export function readLimit(input: ParameterContext): number | undefined {
	const returnsAll = input.isTool || readBoolean(input, 'returnAll', false);
	return returnsAll ? undefined : readInteger(input, 'limit', 1, limitProperty.default as number);
}

/**
 * Returns how many results a model wants to skip, and how many results the model wants to get: `{ skip: 50,
 * limit: 50 }`. Returns `{}` if the node is not a tool.
 */
export function readToolRange(input: ParameterContext): { skip?: number; limit?: number } {
	if (!input.isTool) return {};
	return {
		skip: readInteger(input, 'skip', 0),
		limit: readInteger(input, 'limit', 1, limitProperty.default as number),
	};
}

/**
 * Returns whether to simplify the results. If a model selects fields, the results are simplified, because the
 * model selects among the fields of the simplified result.
 */
export function readSimplify(input: ParameterContext): boolean {
	if (!input.isTool) return readBoolean(input, 'simplify', true);
	return readSelectedOption(input, 'output', OUTPUTS, 'simplified') !== 'raw';
}

/** Returns the names of the fields that a model has selected. Undefined if the model gets all fields. */
export function readOutputFields(input: ParameterContext): string[] | undefined {
	if (!input.isTool) return undefined;
	const output = readSelectedOption(input, 'output', OUTPUTS, 'simplified');
	return output === 'selectedFields' ? readTextList(input, 'outputFields') : undefined;
}
