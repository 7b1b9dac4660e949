import { compact } from 'lodash';
import type { INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { InputError } from '../api/errors';
import { isId, isRecord } from '../api/records';
import { formatNumber, parseBoolean, parseNumber } from '../api/parseValues';
import { createFormNotFoundText, extractFormId, getSelectedFormName } from './formId';

/**
 * The values that the node needs to read the parameters for one input item. If a parameter is invalid, the
 * functions that read parameters throw a NodeOperationError. Its message has the name of the parameter and the
 * expected value: `'Limit' must be a whole number of at least 1`.
 */
export type ParameterContext = {
	/**
	 * Returns the value of a parameter for the item. Expressions are resolved. For an option of a collection,
	 * the name has a dot: `options.preview`.
	 */
	parameter(name: string, fallback?: unknown): unknown;
	/**
	 * Returns the value of a resource locator, such as the ID of a form. Returns an empty string if the user
	 * chose nothing.
	 */
	locator(name: string): unknown;
	item: INodeExecutionData;
	/** The index of the input item. Undefined in a trigger, which has no input items. */
	itemIndex: number | undefined;
	/** Whether the node has more than one input item. */
	hasSeveralItems: boolean;
	node: INode;
	/** The parameters of the operation or of the trigger. Error messages contain their names in the editor. */
	properties: readonly INodeProperties[];
	/** Whether a model uses the node as a tool. A tool returns results in pages, and returns no files. */
	isTool: boolean;
	/** The time zone of the workflow. Times without a zone are in this zone. */
	zone: string;
};

/**
 * Returns the name of a parameter in the editor: `options.skipUnchanged` → `Skip Unchanged`.
 *
 * @throws Error if there is no such parameter
 */
export function getDisplayName({ properties }: ParameterContext, name: string): string {
	const [ownName, optionName] = name.split('.');
	// a notice can have the name of the parameter that the notice replaces
	const property = properties.find((entry) => entry.name === ownName && entry.type !== 'notice');
	const options = (property?.options ?? []) as INodeProperties[];
	const found =
		optionName === undefined ? property : options.find((entry) => entry.name === optionName);
	if (found === undefined) throw new Error(`There is no parameter "${name}"`);
	return found.displayName;
}

/** Creates the error for an invalid parameter or input item. */
export function createParameterError(
	{ node, itemIndex }: ParameterContext,
	message: string,
	description?: string,
) {
	const failure = { cause: 'configuration-invalid' } as const;
	return new InputError(node, { message, description, itemIndex, failure });
}

/**
 * Creates an error for all problems of an item. If there is one problem, the problem is the message. If there
 * are several problems, the message has the number of problems, and each problem is a line of the description.
 *
 * @param problems at least one sentence
 * @param messageEnd the end of the message for several problems: `answers can't be sent`
 * @param help the last line of the description, which says how to correct the problems
 */
export function createCombinedParameterError(
	input: ParameterContext,
	problems: readonly string[],
	messageEnd: string,
	help = '',
) {
	const [only] = problems;
	return problems.length === 1
		? createParameterError(input, only.replace(/\.$/, ''), help)
		: createParameterError(
				input,
				`${problems.length} ${messageEnd}`,
				compact([...problems, help]).join('\n'),
			);
}

export function readFormId(input: ParameterContext): string {
	const id = extractFormId(toText(input, input.locator('formId') ?? '', 'formId'));
	return checkId(input, id, 'formId', 'ID');
}

export function readResponseId(input: ParameterContext): string {
	const id = toText(input, input.locator('responseId') ?? '', 'responseId').trim();
	return checkId(input, id, 'responseId', 'UUID');
}

function checkId(input: ParameterContext, id: string, name: string, kind: string): string {
	if (isId(id)) return id;
	const problem = id === '' ? 'is empty' : `is not a valid ${kind}`;
	throw createParameterError(
		input,
		`'${getDisplayName(input, name)}' ${problem}`,
		`Choose it from the list, or enter its ${kind}.`,
	);
}

/** Creates the error for a form that is not in the list of all forms. */
export function createFormNotListedError(input: ParameterContext, formId: string) {
	const name = getSelectedFormName(input.node, formId);
	const { message, description } = createFormNotFoundText(formId, name);
	return createParameterError(input, message, description);
}

/** Stands for the value of an option that the user has not added. */
const NOT_ADDED = 'option not added';

/**
 * Whether the user has added an option. Also true if the option has no value, for example if its expression
 * returned nothing.
 */
export function isOptionAdded(input: ParameterContext, name: string): boolean {
	return input.parameter(`options.${name}`, NOT_ADDED) !== NOT_ADDED;
}

/** Reads a boolean parameter. Accepts the strings "true" and "false", which an expression can return. */
export function readBoolean(input: ParameterContext, name: string, fallback: boolean): boolean {
	const chosen = parseBoolean(input.parameter(name, fallback));
	if (chosen !== undefined) return chosen;
	throw createParameterError(input, `'${getDisplayName(input, name)}' must be true or false`);
}

/**
 * Reads a parameter that lets the user choose one value.
 *
 * @param choices the values with their names in the editor
 * @param fallback the value if the user has not chosen a value
 */
export function readSelectedOption<Choice extends string>(
	input: ParameterContext,
	name: string,
	choices: Readonly<Record<Choice, string>>,
	fallback: NoInfer<Choice>,
): Choice {
	const values = Object.keys(choices) as Choice[];
	const option = input.parameter(name, fallback);
	const choice = values.find((candidate) => candidate === option);
	if (choice !== undefined) return choice;
	throw createParameterError(
		input,
		`'${getDisplayName(input, name)}' must be one of ${values.join(', ')}`,
	);
}

/** Reads a string parameter. Accepts a number, which an expression can return. */
export function readText(input: ParameterContext, name: string, fallback = ''): string {
	return toText(input, input.parameter(name, fallback) ?? fallback, name);
}

function toText(input: ParameterContext, value: unknown, name: string): string {
	const text = typeof value === 'string' ? value : formatNumber(value);
	if (text !== undefined) return text;
	throw createParameterError(input, `'${getDisplayName(input, name)}' must be text`);
}

/**
 * Reads a list of strings, and removes the blanks around each string. Accepts a string with commas, which an
 * expression can return: `"a, b"` → `["a", "b"]`.
 */
export function readTextList(input: ParameterContext, name: string): string[] {
	const value = input.parameter(name, []);
	const list: unknown = typeof value === 'string' ? value.split(',') : value;
	if (!Array.isArray(list))
		throw createParameterError(input, `'${getDisplayName(input, name)}' must be a list`);
	const words = list.map((word: unknown) => toText(input, word, name).trim());
	if (words.every((word) => word !== '')) return words;
	throw createParameterError(
		input,
		`'${getDisplayName(input, name)}' has an empty entry`,
		'Remove the empty entry.',
	);
}

/**
 * Reads a whole number. Accepts a string such as "5", which an expression can return.
 *
 * @param minimum the lowest allowed number
 */
export function readInteger(
	input: ParameterContext,
	name: string,
	minimum: number,
	fallback = minimum,
): number {
	const count = parseNumber(input.parameter(name, fallback)) ?? NaN;
	if (Number.isSafeInteger(count) && count >= minimum) return count;
	throw createParameterError(
		input,
		`'${getDisplayName(input, name)}' must be a whole number of at least ${minimum}`,
	);
}

/**
 * Reads a parameter whose value is a JSON object. The value is a string if the user entered the JSON, or an
 * object if an expression returned the object.
 */
export function readJsonObject(input: ParameterContext, name: string): Record<string, unknown> {
	let value = input.parameter(name, '');
	try {
		if (typeof value === 'string') value = JSON.parse(value);
	} catch {
		// the message of JSON.parse can quote an answer
		const advice = 'Check the quotes, commas and brackets.';
		throw createParameterError(input, `'${getDisplayName(input, name)}' is not valid JSON`, advice);
	}
	if (isRecord(value)) return value;
	throw createParameterError(
		input,
		`'${getDisplayName(input, name)}' must be an object, such as {"key": "value"}`,
	);
}
