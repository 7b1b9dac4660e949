import { get, isUndefined, omitBy, pick } from 'lodash';
import type { IDataObject, INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { cutAtCharacter } from '../api/errorTexts';
import { isRecord } from '../api/records';
import { createParameterError, type ParameterContext } from '../parameters/parameterContext';
import { TOOL_CONDITION } from '../parameters/resultParameters';
import type { Operation, PreparedItem, OutputSelection } from './operation';
import { findKeyConflict } from './toolKeys';

/* The node as a tool of a model. A tool limits each result to the fields and the size that the model can use. */

/** The maximum number of characters of JSON that a model gets at a time: about 5,000 tokens. */
const MAX_CHARACTERS = 20_000;

/**
 * Creates the parameter that describes the tool to a model. Without the parameter, n8n's description has only
 * the name of the action.
 */
export function createToolDescription({ toolDescription }: Operation): INodeProperties {
	return {
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: toolDescription,
		description: 'Explain to the model what this tool does and when to use it',
		displayOptions: { show: TOOL_CONDITION },
	};
}

/** Whether a model uses the node as a tool. n8n adds `Tool` to the type of such a node. */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

/**
 * Prepares an item of a tool. Also checks the keys, see `checkKeys`, and limits the output, see
 * `limitToolOutput`.
 */
export function prepareTool({ prepare }: Operation, input: ParameterContext): PreparedItem {
	checkKeys(input);
	const prepared = prepare(input);
	// the output of a write is short
	if (!('read' in prepared)) return prepared;
	const { read, selection } = prepared;
	return { ...prepared, read: async (request) => limitToolOutput(await read(request), selection) };
}

/**
 * Checks that each parameter gets its own value from the model, see `findKeyConflict`.
 *
 * @throws NodeOperationError if two parameters would get the same value
 */
function checkKeys(input: ParameterContext): void {
	const sharedKey = findKeyConflict(input.node);
	if (sharedKey === undefined) return;
	const [first, second] = sharedKey.names;
	throw createParameterError(
		input,
		`"${first}" and "${second}" get the same value from the model, because both have the key ${sharedKey.key}`,
		`Choose ⋮ → Refresh Field List and click ✨ again in both, or change the key in one of the expressions.`,
	);
}

/**
 * Selects the results that a model asks for, up to `MAX_CHARACTERS`. If results are left out, adds an item
 * with a notice: "20 of 90 results, after skipping 0." If more results follow, the notice also says how to
 * get the next results.
 */
export function limitToolOutput(
	results: readonly INodeExecutionData[],
	{ skip = 0, limit = Infinity, names }: OutputSelection = {},
): INodeExecutionData[] {
	const selected: IDataObject[] = [];
	let characters = 0;
	for (const { json } of results.slice(skip, skip + limit)) {
		const result = names === undefined ? json : selectFields(json, names);
		const text = JSON.stringify(result);
		characters += text.length;
		const isTooLong = characters > MAX_CHARACTERS;
		if (isTooLong && selected.length > 0) break;
		// in JSON, a quote takes two characters
		selected.push(isTooLong ? { startOfResult: cutAtCharacter(text, MAX_CHARACTERS / 2) } : result);
	}
	const end = skip + selected.length;
	if (selected.length < results.length) {
		const counts = `${selected.length} of ${results.length} results, after skipping ${skip}.`;
		const next = ` Set 'Skip' to ${end} to get the next ones, or narrow the search.`;
		selected.push({ notice: end < results.length ? counts + next : counts });
	}
	return selected.map((json) => ({ json }));
}

/** Returns the ID and the selected fields of a result. The fields have the names that the model used. */
function selectFields(json: IDataObject, names: readonly string[]): IDataObject {
	const fields = names.map((name) => [name, findSelectedField(json, name)]);
	return {
		...pick(json, 'id' in json ? 'id' : 'uuid'),
		...omitBy(Object.fromEntries(fields), isUndefined),
	};
}

/**
 * Finds the value of a selected field: an attribute, an answer, or a value within another value: `owner.email`.
 * The label of an answer can also contain dots.
 */
function findSelectedField(json: IDataObject, name: string): unknown {
	const answers = isRecord(json.answers) ? json.answers : {};
	const source = [json, answers].find((record) => Object.hasOwn(record, name));
	return source === undefined ? get(json, name) : source[name];
}
