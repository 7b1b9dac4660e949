import { get, isUndefined, omitBy, pick } from 'lodash';
import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../api/records';
import { cutAtCharacter } from '../api/text';
import {
	readInteger,
	readSelectedOption,
	readTextList,
	type ParameterContext,
} from '../parameters/parameterContext';
import { DEFAULT_LIMIT, TOOL_OUTPUTS, TOOL_CONDITION } from '../parameters/resultParameters';
import type { Operation, PreparedItem } from './operation';

/** The maximum number of characters of JSON that a model gets at a time: about 5,000 tokens. */
const MAX_CHARACTERS = 20_000;

/** Creates the parameter that describes the tool to a model. n8n's own description has only the action. */
export function createToolDescriptionProperty({ toolDescription }: Operation): INodeProperties {
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

/** Prepares an item whose output a model gets, within what the model asks for. */
export function prepareTool({ prepare }: Operation, input: ParameterContext): PreparedItem {
	const prepared = prepare(input);
	// the output of a write needs no limit, because it is short
	if (!('read' in prepared)) return prepared;
	const { read } = prepared;
	const output = readSelectedOption(input, 'output', TOOL_OUTPUTS, 'simplified');
	const selection = {
		skip: readInteger(input, 'skip', 0),
		limit: readInteger(input, 'limit', 1, DEFAULT_LIMIT),
		names: output === 'selectedFields' ? readTextList(input, 'outputFields') : undefined,
	};
	return { ...prepared, read: async (request) => limitToolOutput(await read(request), selection) };
}

/** The results that a model wants. `names` are the fields of each result, undefined for all fields. */
type Selection = { skip: number; limit: number; names?: readonly string[] };

/** Selects the results that a model asks for. If some are left out, a notice says how to get the next ones. */
function limitToolOutput(
	results: readonly INodeExecutionData[],
	{ skip, limit, names }: Selection,
): INodeExecutionData[] {
	const selected: IDataObject[] = [];
	let characters = 0;
	for (const { json } of results.slice(skip, skip + limit)) {
		const result = names === undefined ? json : selectFields(json, names);
		const text = JSON.stringify(result);
		characters += text.length;
		const isTooLong = characters > MAX_CHARACTERS;
		if (isTooLong && selected.length > 0) break;
		// half as many characters, because a quote takes two in JSON
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

function selectFields(json: IDataObject, names: readonly string[]): IDataObject {
	const fields = names.map((name) => [name, findSelectedField(json, name)]);
	return {
		...pick(json, 'id', 'uuid'),
		...omitBy(Object.fromEntries(fields), isUndefined),
	};
}

/** Finds an attribute, an answer, or a value within another value: `owner.email`. A label can contain dots. */
function findSelectedField(json: IDataObject, name: string): unknown {
	const answers = isRecord(json.answers) ? json.answers : {};
	const source = [json, answers].find((record) => Object.hasOwn(record, name));
	return source === undefined ? get(json, name) : source[name];
}
