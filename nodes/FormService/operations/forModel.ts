import { pick } from 'lodash';
import type { INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../api/records';
import type { Input } from '../parameters/input';
import { readChoice, readCount, readLimit, readWords } from '../parameters/input';
import type { Prepare, Prepared } from './operation';

/**
 * What differs where a model uses the node as a tool: it chooses its output by name, reads no files,
 * and gets no more of a listing than it can use at a time.
 */

const onlyForTools = { '@tool': [true] };

/** How much of a listing a model gets at a time, in characters of JSON: about 5,000 tokens. */
const MAX_CHARACTERS = 20_000;

const outputParameters: INodeProperties[] = [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		default: 'simplified',
		description: 'How much of each result the model gets',
		options: [
			{ name: 'Raw', value: 'raw', description: 'All that the service returns' },
			{
				name: 'Selected Fields',
				value: 'selectedFields',
				description: 'Only some fields of the simplified result',
			},
			{ name: 'Simplified', value: 'simplified', description: 'The most useful fields' },
		],
		displayOptions: { show: onlyForTools },
	},
	{
		displayName: 'Fields',
		name: 'outputFields',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. created_at, answers.Email',
		description:
			'The names of the fields that the model gets, separated by commas. The ID is always included.',
		displayOptions: { show: { ...onlyForTools, output: ['selectedFields'] } },
	},
];

const skipInput: INodeProperties = {
	displayName: 'Skip',
	name: 'skip',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'Number of results to skip, to get the next ones. Best defined by the model.',
	displayOptions: { show: onlyForTools },
};

/** A parameter of an operation, with those that stand in its place or beside it for tools. */
export function withToolParameters(property: INodeProperties): INodeProperties[] {
	if (property.name === 'limit') return [property, skipInput];
	if (property.name !== 'simplify') return [property];
	const { displayOptions } = property;
	const hide = { ...displayOptions?.hide, ...onlyForTools };
	return [{ ...property, displayOptions: { ...displayOptions, hide } }, ...outputParameters];
}

/** The text by which a model decides to use the tool. It replaces n8n's own, which is the action alone. */
export const toolDescriptionInput: INodeProperties = {
	displayName: 'Tool Description',
	name: 'toolDescription',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	description: 'Explain to the model what this tool does and when to use it',
	displayOptions: { show: onlyForTools },
};

/** Whether a model uses the node: n8n offers it to agents as a type of its own, with this at its end. */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

/** Prepares the operation of a tool. */
export function prepareForModel(prepare: Prepare, input: Input): Prepared {
	let isListing = false;
	const output = readChoice(input, 'output', 'Output', ['simplified', 'raw', 'selectedFields']);
	const names = output === 'selectedFields' ? readWords(input, 'outputFields', 'Fields') : [];
	const parameter = <T>(name: string, fallback?: T): T => {
		if (name === 'simplify') return (output !== 'raw') as T;
		if (name === 'returnAll') {
			// all that there are, so that the model can be told how many
			isListing = true;
			return true as T;
		}
		const value = input.parameter<T>(name, fallback);
		return name === 'options' && isRecord(value)
			? ({ ...value, downloadFiles: false } as T)
			: value;
	};
	const { body, send } = prepare({ ...input, parameter });
	const page = isListing
		? { skip: readCount(input, 'skip', 'Skip', 0), limit: readLimit(input) }
		: {};
	return {
		body,
		async send(request) {
			const items = (await send(request)).map((item) =>
				names.length > 0 ? { ...item, json: pick(item.json, [idOf(item), ...names]) } : item,
			);
			return isListing ? pageOf(items, page) : items;
		},
	};
}

/** The attribute by which a result is known, which a model always gets: the next tool asks for it. */
function idOf({ json }: INodeExecutionData): string {
	return 'id' in json ? 'id' : 'uuid';
}

/**
 * As much of a listing as was asked for and as a model can use. What is left out is said in an item of
 * its own, with how to get it.
 */
export function pageOf(
	items: readonly INodeExecutionData[],
	{ skip = 0, limit = Infinity }: { skip?: number; limit?: number },
): INodeExecutionData[] {
	const page: INodeExecutionData[] = [];
	let characters = 0;
	for (const item of items.slice(skip, skip + limit)) {
		characters += JSON.stringify(item.json).length;
		if (characters > MAX_CHARACTERS && page.length > 0) break;
		page.push(item);
	}
	const end = skip + page.length;
	if (page.length === items.length) return page;
	const shown = page.length === 0 ? 'No results' : `Results ${skip + 1} to ${end}`;
	const rest =
		end < items.length ? ` Set 'Skip' to ${end} to get the next ones, or narrow the search.` : '';
	return [...page, { json: { notice: `${shown} of ${items.length}.${rest}` } }];
}
