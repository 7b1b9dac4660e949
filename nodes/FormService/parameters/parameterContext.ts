import { compact, has, sortBy } from 'lodash';
import {
	jsonParse,
	type IDataObject,
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';
import { InputError } from '../api/errors';
import { isRecord } from '../api/records';
import { formatNumber, isBlank, parseBoolean, parseNumber } from '../api/values';

/**
 * What the node needs to read the parameters for one input item. A reader of an invalid parameter throws a
 * NodeOperationError that names the parameter.
 */
export type ParameterContext = {
	/** Returns a value with its expressions resolved. An option of a collection has a dot: `options.preview`. */
	parameter(name: string, fallback?: unknown): unknown;
	/** The input item. */
	json: IDataObject;
	/** Undefined in a trigger, which has no input items. */
	itemIndex: number | undefined;
	hasSeveralItems: boolean;
	node: INode;
	/** The parameters of the operation or of the trigger, whose names in the editor are for errors. */
	properties: readonly INodeProperties[];
	/** The time zone of the workflow, in which times without a zone are read. */
	zone: string;
};

/** Returns the name of a parameter or option in the editor: `options.skipUnchanged` → `Skip Unchanged`. */
function getDisplayName({ properties }: ParameterContext, name: string): string {
	const listed = properties.flatMap((property) => [property, ...(property.options ?? [])]);
	const ownName = name.split('.').at(-1);
	const found = (listed as INodeProperties[]).find((entry) => entry.name === ownName);
	return found?.displayName ?? name;
}

/** Creates the error for an invalid parameter or input item. */
export function createParameterError(
	{ node, itemIndex }: ParameterContext,
	message: string,
	description?: string,
) {
	return new InputError(node, { message, description, itemIndex });
}

/** Creates the error of one parameter: `'Limit' must be a number`. */
export function createNamedError(
	input: ParameterContext,
	name: string,
	problem: string,
	description?: string,
) {
	return createParameterError(input, `'${getDisplayName(input, name)}' ${problem}`, description);
}

/**
 * Creates one error for all problems of an item. Several problems become the lines of the description.
 *
 * @param messageEnd the end of the message for several problems: `answers can't be sent`
 * @param help the last line of the description, which says how to correct the problems
 */
export function createCombinedParameterError(
	input: ParameterContext,
	problems: readonly string[],
	messageEnd: string,
	help = '',
) {
	if (problems.length === 1) {
		return createParameterError(input, problems[0].replace(/\.$/, ''), help);
	}
	const lines = compact([...problems, help]);
	return createParameterError(input, `${problems.length} ${messageEnd}`, lines.join('\n'));
}

/** Whether a model uses the node as a tool. n8n adds `Tool` to the type of such a node. */
export function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}

/** Whether a model leaves a value out, for which it can also write "null". */
export function isLeftOut({ node }: ParameterContext, value: unknown): boolean {
	return isTool(node) && (isBlank(value) || value === 'null');
}

/** Whether the user has added an entry to a collection, even if its expression returns nothing. */
export function isAdded({ node }: ParameterContext, name: string): boolean {
	return has(node.parameters, name);
}

/** Reads a boolean. Accepts words such as "true" and "no", which an expression can return. */
export function readBoolean(input: ParameterContext, name: string, fallback: boolean): boolean {
	const chosen = parseBoolean(input.parameter(name, fallback));
	if (chosen !== undefined) return chosen;
	throw createNamedError(input, name, 'must be true or false');
}

/**
 * Reads a parameter that lets the user choose one value.
 *
 * @param choices the values with their names in the editor
 */
export function readSelectedOption<Choice extends string>(
	input: ParameterContext,
	name: string,
	choices: Readonly<Record<Choice, string>>,
	fallback: NoInfer<Choice>,
): Choice {
	const values = Object.keys(choices) as Choice[];
	const option = input.parameter(name, fallback);
	const choice = values.find((value) => value === option);
	if (choice !== undefined) return choice;
	throw createNamedError(input, name, `must be one of ${values.join(', ')}`);
}

/** Reads text. Accepts a number, which an expression can return. */
export function readText(input: ParameterContext, name: string, fallback = ''): string {
	return toText(input, input.parameter(name, fallback) ?? fallback, name);
}

/** Reads the text of a resource locator, which is empty if the user chose nothing. */
export function readLocator(input: ParameterContext, name: string): string {
	const locator = input.parameter(name, '');
	return toText(input, (isRecord(locator) ? locator.value : locator) ?? '', name);
}

function toText(input: ParameterContext, value: unknown, name: string): string {
	const text = typeof value === 'string' ? value : formatNumber(value);
	if (text !== undefined) return text;
	throw createNamedError(input, name, 'must be text');
}

/** Reads a list of texts. Accepts text with commas: `"a, b"` → `["a", "b"]`. */
export function readTextList(input: ParameterContext, name: string): string[] {
	const value = input.parameter(name, []);
	const list: unknown = typeof value === 'string' ? value.split(',') : value;
	if (!Array.isArray(list)) throw createNamedError(input, name, 'must be a list');
	const texts = list.map((entry: unknown) => toText(input, entry, name).trim());
	if (!texts.includes('')) return texts;
	throw createNamedError(input, name, 'has an empty entry', 'Remove the empty entry.');
}

/** Reads a whole number. Accepts text such as "5", which an expression can return. */
export function readInteger(
	input: ParameterContext,
	name: string,
	minimum: number,
	fallback = minimum,
): number {
	const count = parseNumber(input.parameter(name, fallback)) ?? NaN;
	if (Number.isSafeInteger(count) && count >= minimum) return count;
	throw createNamedError(
		input,
		name,
		`must be a whole number of at least ${minimum}`,
		'Enter plain digits, such as 1000.',
	);
}

/** Reads a JSON object: the text that the user entered, or the object that an expression returns. */
export function readJsonObject(input: ParameterContext, name: string): IDataObject {
	const given = input.parameter(name, '');
	// `jsonParse` must not throw, because its error can quote an answer
	const value = typeof given === 'string' ? jsonParse(given, { fallbackValue: null }) : given;
	if (isRecord(value)) return value;
	const advice = 'Check the quotes, commas and brackets.';
	throw createNamedError(input, name, 'must be a JSON object, such as {"key": "value"}', advice);
}

/** Creates the collection Options, with the options sorted by name, as n8n requires. */
export function createOptionsProperty(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortBy(options, 'displayName'),
	};
}

/** Converts choices to n8n's options, sorted by name, as n8n requires. */
export function toOptions(choices: Readonly<Record<string, string>>): INodePropertyOptions[] {
	const options = Object.entries(choices).map(([value, name]) => ({ name, value }));
	return sortBy(options, 'name');
}

/** The ways in which a user can enter answers or settings. */
export const INPUT_MODES = {
	fields: 'Using Fields Below',
	auto: 'Map Automatically',
	json: 'Using JSON',
};

/** Creates the parameter that selects how the user enters answers or settings. */
export function createInputModeProperty(
	displayName: string,
	descriptions: Readonly<Record<keyof typeof INPUT_MODES, string>>,
): INodeProperties {
	const options = Object.entries(descriptions).map(([value, description]) => {
		return { name: INPUT_MODES[value as keyof typeof INPUT_MODES], value, description };
	});
	return { displayName, name: 'inputMode', type: 'options', default: 'fields', options };
}
