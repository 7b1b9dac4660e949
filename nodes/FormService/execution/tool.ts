import { get, isUndefined, omitBy, pick } from 'lodash';
import type { IDataObject, INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { cutText } from '../api/errorTexts';
import { isRecord } from '../api/records';
import {
	createParameterError,
	readSelectedOption,
	readInteger,
	readLimit,
	readTextList,
	type ParameterContext,
} from '../parameters/parameterContext';
import { toOptions } from '../parameters/sharedProperties';
import type { Operation, Prepare, PreparedItem } from './operation';
import { findSharedKey } from './toolKeys';

/**
 * The node as a tool of a model: the model selects its output by name, and gets no files and no more at a time
 * than it can use.
 */

const onlyForTools = { '@tool': [true] };

/** How much a model gets at a time, in characters of JSON: about 5,000 tokens. */
const MAX_CHARACTERS = 20_000;

const OUTPUTS = { simplified: 'Simplified', raw: 'Raw', selectedFields: 'Selected Fields' };

const outputParameters: INodeProperties[] = [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'simplified',
		description: 'How much of each result the model gets',
		options: toOptions(OUTPUTS),
		displayOptions: { show: onlyForTools },
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
		displayOptions: { show: { ...onlyForTools, output: ['selectedFields'] } },
	},
];

const skipInput: INodeProperties = {
	displayName: 'Skip',
	name: 'skip',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'Number of results to skip. Let the model set this number.',
	displayOptions: { show: onlyForTools },
};

/** A parameter of an operation, with the parameters that replace or extend it in tools. */
export function addToolParameters(property: INodeProperties): INodeProperties[] {
	const { name, displayOptions } = property;
	const hide = { ...displayOptions?.hide, ...onlyForTools };
	const notForTools = { ...property, displayOptions: { ...displayOptions, hide } };
	switch (name) {
		// a model gets no files and no more results than it can use
		case 'returnAll':
		case 'download':
		case 'binaryPropertyName':
			return [notForTools];
		case 'limit':
			return [notForTools, { ...property, displayOptions: { show: onlyForTools } }, skipInput];
		case 'simplify':
			return [notForTools, ...outputParameters];
		default:
			return [property];
	}
}

/** The text by which a model decides to use the tool; n8n's own text is only the action. */
export function createToolDescription({ toolDescription }: Operation): INodeProperties {
	return {
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: toolDescription,
		description: 'Explain to the model what this tool does and when to use it',
		displayOptions: { show: onlyForTools },
	};
}

/** Whether a model uses the node: n8n adds this ending to the type of a node that it offers to agents. */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

/**
 * Prepares the operation of a tool: reads Output and Fields in place of Simplify, leaves out files, and
 * selects a page of all results.
 */
export function prepareTool(prepare: Prepare, input: ParameterContext): PreparedItem {
	checkKeys(input);
	const output = readSelectedOption(input, 'output', 'Output', OUTPUTS);
	const names =
		output === 'selectedFields' ? readTextList(input, 'outputFields', 'Fields') : undefined;
	const skip = readInteger(input, 'skip', 'Skip', 0);
	const limit = readLimit(input);
	const fixed = new Map<string, unknown>([
		['simplify', output !== 'raw'],
		['options.downloadFiles', false],
		['download', false],
		['returnAll', true],
	]);
	const parameter = (name: string, fallback: unknown) =>
		fixed.get(name) ?? input.parameter(name, fallback);
	const prepared = prepare({ ...input, parameter });
	const select = (results: INodeExecutionData[]) =>
		limitToolOutput(results, { names, skip, limit });
	return {
		...prepared,
		async read(request) {
			const result = await prepared.read(request);
			return Array.isArray(result) ? select(result) : result;
		},
	};
}

/** @throws NodeOperationError if two parameters would get one value of the model */
function checkKeys(input: ParameterContext): void {
	const sharedKey = findSharedKey(input.node);
	if (sharedKey === undefined) return;
	const [first, second] = sharedKey.names;
	throw createParameterError(
		input,
		`"${first}" and "${second}" get the same value from the model, because both have the key ${sharedKey.key}`,
		`Choose ⋮ → Refresh Field List and click ✨ again in both, or change the key in one of the expressions.`,
	);
}

/**
 * What a model gets of the results: no more than it asks for and can use. A separate item says what was
 * left out, and how to get it.
 *
 * @param page.names of the selected fields; undefined for all
 */
export function limitToolOutput(
	results: readonly INodeExecutionData[],
	{ names, skip, limit = Infinity }: { names?: readonly string[]; skip: number; limit?: number },
): INodeExecutionData[] {
	const page: IDataObject[] = [];
	let characters = 0;
	for (const { json } of results.slice(skip, skip + limit)) {
		const result = names === undefined ? json : selectFields(json, names);
		const text = JSON.stringify(result);
		characters += text.length;
		const isTooLong = characters > MAX_CHARACTERS;
		if (isTooLong && page.length > 0) break;
		// within a text, each quote takes two characters
		page.push(isTooLong ? { startOfResult: cutText(text, MAX_CHARACTERS / 2) } : result);
	}
	const end = skip + page.length;
	if (page.length < results.length) {
		const shown = `${page.length} of ${results.length} results, after skipping ${skip}.`;
		const next = ` Set 'Skip' to ${end} to get the next ones, or narrow the search.`;
		page.push({ notice: end < results.length ? shown + next : shown });
	}
	return page.map((json) => ({ json }));
}

/** The selected fields of a result, by the names they were selected by, with its ID. */
function selectFields(json: IDataObject, names: readonly string[]): IDataObject {
	const found = names.map((name) => [name, getField(json, name)]);
	return {
		...pick(json, 'id' in json ? 'id' : 'uuid'),
		...omitBy(Object.fromEntries(found), isUndefined),
	};
}

/** A selected field: an attribute, else an answer, whose label can have dots, else a value within another. */
function getField(json: IDataObject, name: string): unknown {
	const answers = isRecord(json.answers) ? json.answers : {};
	const holder = [json, answers].find((one) => Object.hasOwn(one, name));
	return holder === undefined ? get(json, name) : holder[name];
}
