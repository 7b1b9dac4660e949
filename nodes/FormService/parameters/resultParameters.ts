import type { INodeProperties } from 'n8n-workflow';
import {
	readInteger,
	readSelectedOption,
	readSwitch,
	readTextList,
	type ParameterContext,
} from './parameterContext';
import { simplifySwitch, toOptions } from './sharedProperties';

/**
 * The number of results that an operation returns, and their size. In a tool, the model pages through the
 * results (Limit and Skip instead of Return All) and selects fields (Output and Fields instead of Simplify).
 */

/** A display condition: the node is a tool of a model. */
export const ONLY_FOR_TOOLS = { '@tool': [true] };

const limitProperty: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
};

/** Return All and Limit; in a tool, Limit and Skip. */
export const limitProperties: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: { hide: ONLY_FOR_TOOLS },
	},
	{ ...limitProperty, displayOptions: { show: { returnAll: [false] }, hide: ONLY_FOR_TOOLS } },
	{ ...limitProperty, displayOptions: { show: ONLY_FOR_TOOLS } },
	{
		displayName: 'Skip',
		name: 'skip',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Number of results to skip. Let the model set this number.',
		displayOptions: { show: ONLY_FOR_TOOLS },
	},
];

const OUTPUTS = { simplified: 'Simplified', raw: 'Raw', selectedFields: 'Selected Fields' };

/** Simplify; in a tool, Output and Fields. */
export const simplifyProperties: INodeProperties[] = [
	{ ...simplifySwitch, displayOptions: { hide: ONLY_FOR_TOOLS } },
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'simplified',
		description: 'How much of each result the model gets',
		options: toOptions(OUTPUTS),
		displayOptions: { show: ONLY_FOR_TOOLS },
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
		displayOptions: { show: { ...ONLY_FOR_TOOLS, output: ['selectedFields'] } },
	},
];

/**
 * Reads Return All and Limit.
 *
 * @returns the most results; undefined for all. Undefined in a tool, where `readPage` reads Limit
 */
export function readLimit(input: ParameterContext): number | undefined {
	const returnsAll = input.isTool || readSwitch(input, 'returnAll', 'Return All', false);
	return returnsAll
		? undefined
		: readInteger(input, 'limit', 'Limit', 1, limitProperty.default as number);
}

/** Reads the page of the results that a model asks for; `{}` if the node is not a tool. */
export function readPage(input: ParameterContext): { skip?: number; limit?: number } {
	if (!input.isTool) return {};
	return {
		skip: readInteger(input, 'skip', 'Skip', 0),
		limit: readInteger(input, 'limit', 'Limit', 1, limitProperty.default as number),
	};
}

/** Reads whether to simplify the results. The fields that a model selects are fields of the simplified result. */
export function readSimplify(input: ParameterContext): boolean {
	if (!input.isTool) return readSwitch(input, 'simplify', 'Simplify', true);
	return readSelectedOption(input, 'output', 'Output', OUTPUTS) !== 'raw';
}

/** Reads the names of the fields that a model gets; undefined for all. */
export function readOutputFields(input: ParameterContext): string[] | undefined {
	if (!input.isTool) return undefined;
	const output = readSelectedOption(input, 'output', 'Output', OUTPUTS);
	return output === 'selectedFields' ? readTextList(input, 'outputFields', 'Fields') : undefined;
}
