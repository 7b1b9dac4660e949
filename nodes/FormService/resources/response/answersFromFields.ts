import { encodeAnswers } from '../../api/answers/encode';
import type { AnswerValue, GivenAnswer } from '../../api/answers/encode';
import { isRecord } from '../../api/records';
import type { Input } from '../../routing/operation';
import { invalidAll } from '../common/invalid';

/** A field of the form, as the resource mapper remembers it from resourceMapping/getFormFields. */
type MappedField = { id: string; displayName: string; required: boolean; isFile: boolean };

/**
 * The answers that were given through the resource mapper, as they are sent. The mapper's value is
 * read as a whole, since n8n's own conversion of its parts would turn empty text into the number 0.
 *
 * @throws NodeOperationError that names every answer that is missing or cannot be sent
 */
export function readAnswersFromFields(input: Input): Record<string, AnswerValue> {
	const mapper = input.parameter<unknown>('fields', {});
	const { mappingMode, value, schema } = isRecord(mapper) ? mapper : {};
	const fields = readSchema(schema);
	const given =
		mappingMode === 'autoMapInputData'
			? fromItem(input.item.json, fields)
			: fromValue(isRecord(value) ? value : {}, fields);

	const { answers, problems } = encodeAnswers(given);
	const missing = fields
		.filter(({ id, required }) => required && isEmpty(given.find(({ uuid }) => uuid === id)?.value))
		.map(({ displayName }) => `${displayName} is required, but has no answer.`);
	if (problems.length + missing.length > 0) throw invalidAll(input, [...problems, ...missing]);
	if (Object.keys(answers).length === 0) {
		throw invalidAll(input, [
			mappingMode === 'autoMapInputData'
				? 'No field of the input item has the name or the UUID of a field of the form.'
				: 'Fields must have an answer to at least one field.',
		]);
	}
	return answers;
}

function readSchema(schema: unknown): MappedField[] {
	return (Array.isArray(schema) ? (schema as unknown[]) : [])
		.filter(isRecord)
		.flatMap(({ id, displayName, required, type, removed }) => {
			if (typeof id !== 'string' || removed === true) return [];
			return {
				id,
				displayName: typeof displayName === 'string' ? displayName.trim() : id,
				required: required === true,
				isFile: type === 'url',
			};
		});
}

function fromValue(value: Record<string, unknown>, fields: readonly MappedField[]): GivenAnswer[] {
	return Object.entries(value).map(([uuid, answer]) => {
		const field = fields.find(({ id }) => id === uuid);
		return { uuid, name: field?.displayName ?? uuid, value: answer, isFile: field?.isFile };
	});
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Keys of the item that are the UUID or the label of a field; all others are none of the form's. A
 * workflow that was never opened in the editor knows no labels: there, a UUID says enough.
 */
function fromItem(json: Record<string, unknown>, fields: readonly MappedField[]): GivenAnswer[] {
	if (fields.length === 0) {
		return Object.entries(json)
			.filter(([key]) => UUID.test(key))
			.map(([key, value]) => ({ uuid: key, name: key, value }));
	}
	return fields.flatMap(({ id, displayName, isFile }) => {
		const key = [id, ...Object.keys(json).filter((name) => name.trim() === displayName)].find(
			(name) => Object.hasOwn(json, name),
		);
		return key === undefined ? [] : [{ uuid: id, name: displayName, value: json[key], isFile }];
	});
}

/** Whether a value leaves a required field without an answer: nothing, blanks, or a list of these. */
function isEmpty(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isEmpty);
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}
