import { isEmpty, pick, zipObject } from 'lodash';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import { ServiceError } from '../api/errors';
import { downloadFiles } from '../api/files/download';
import { getListEntries, removeSecrets } from '../api/records';
import type { RequestContext } from '../api/requestContext';
import { createFileFieldNames } from '../api/text';
import { isBlank } from '../api/values';
import { ANSWERS_ATTRIBUTE, parseUpload } from './decode';
import { parseAnswer } from './fieldKinds';
import {
	COLUMN_ATTRIBUTES,
	toColumnName,
	createAnswerKeys,
	matchAnswers,
	type AnswerNaming,
	type FormField,
	type MatchedAnswer,
	type MatchedAnswers,
} from './fields';

/** The options that decide which data of a response an item contains. */
export type ResponseOutput = Required<AnswerNaming> & {
	/** If false, the item is the whole record without secrets. */
	simplify: boolean;
	/** Whether uploaded files become binary fields. */
	downloadFiles: boolean;
};

/** Whether the fields of the form are needed to create items, which takes at least one more request. */
export function outputNeedsFields(output: ResponseOutput): boolean {
	const { simplify, answerKeys, columns, downloadFiles } = output;
	// a download needs the fields, because a file without an extension is found only in a file field
	return downloadFiles || (simplify && (answerKeys !== 'label' || columns));
}

/**
 * Creates the item of a response. If a file cannot be downloaded, the item has the reason as `fileError`, and the
 * workflow continues, because a respondent can enter a link to a file that does not exist.
 *
 * @param fields the form's fields, parsed with the naming of `output`. Undefined if `output` needs none
 * @throws ServiceError with the reason `canceled` if the download was aborted
 */
export async function createResponseItem(
	context: RequestContext,
	record: IDataObject,
	output: ResponseOutput,
	fields?: readonly FormField[],
): Promise<INodeExecutionData> {
	await yieldIfDue();
	// a copy, because several items can share a response
	const json = structuredClone(createJson(record, output, fields));
	if (!output.downloadFiles) return { json };
	const { uploads, problems } = collectUploads(record, fields);
	const files = await downloadFiles(context, uploads, 'upload');
	const binary: IBinaryKeyData = {};
	for (const [index, file] of files.entries()) {
		const { name, fieldName } = uploads[index];
		if (file instanceof ServiceError) problems.push(`${name}: ${file.message}`);
		else binary[fieldName] = file;
	}
	if (problems.length > 0) json[nameAttribute('fileError', output)] = problems.join('; ');
	return isEmpty(binary) ? { json } : { json, binary };
}

/**
 * Returns the name of a value that is not an answer. With One Column per Field, it begins with `response_`, so that
 * no field has the same name.
 */
export function nameAttribute(name: string, { simplify, columns }: ResponseOutput): string {
	return simplify && columns ? toColumnName(name) : name;
}

/** Creates the data of an item. `answersError` describes the answers that could not be read. */
export function createJson(
	record: IDataObject,
	output: ResponseOutput,
	fields?: readonly FormField[],
): IDataObject {
	if (!output.simplify) return removeSecrets(record, [ANSWERS_ATTRIBUTE]);
	const matched = matchAnswers(record, fields);
	const isRow = output.columns && fields !== undefined;
	const json = isRow ? toRow(record, matched, fields) : simplify(record, matched);
	if (matched.problem === undefined) return json;
	return { ...json, [nameAttribute('answersError', output)]: matched.problem };
}

/** Collects the files of a response. `problems` has a sentence for each upload that is not a file. */
function collectUploads(record: IDataObject, fields?: readonly FormField[]) {
	const problems: string[] = [];
	const files = matchAnswers(record, fields).answers.flatMap(({ value, label, field }) => {
		const fieldTitle = field?.title ?? label;
		const isFileField = field?.kind === 'file';
		return (getListEntries(value) ?? [value]).flatMap((entry) => {
			const file = parseUpload(entry, isFileField);
			if (file !== undefined) return { ...file, fieldTitle };
			if (isFileField && !isBlank(entry)) problems.push(`${fieldTitle}: ${NO_ADDRESS}`);
			return [];
		});
	});
	const fieldNames = createFileFieldNames(files.map(({ fieldTitle }) => fieldTitle));
	const uploads = files.map((file, index) => ({ ...file, fieldName: fieldNames[index] }));
	return { uploads, problems };
}

const NO_ADDRESS = 'The answer has no web address of a file';

/** The attributes of a simplified response, in addition to `answers`. */
const SIMPLIFIED_ATTRIBUTES =
	'uuid id number number_formatted is_incomplete created_at referrer'.split(' ');

/** Simplifies a response to its answers and a few attributes. */
function simplify(record: IDataObject, { answers }: MatchedAnswers): IDataObject {
	return { answers: toObject(answers), ...pick(record, SIMPLIFIED_ATTRIBUTES) };
}

function toObject(answers: readonly MatchedAnswer[]): IDataObject {
	const values = answers.map(({ value }) => parseAnswer(value));
	return zipObject(createAnswerKeys(answers), values);
}

/** Converts a response to columns: one for each field, then the attributes, then the answers without a field. */
function toRow(
	record: IDataObject,
	{ answers, byField }: MatchedAnswers,
	fields: readonly FormField[],
): IDataObject {
	const cells = fields.map((field) => [
		field.answerKey,
		parseAnswer(byField.get(field)?.value, field),
	]);
	const attributes = COLUMN_ATTRIBUTES.map((name) => [toColumnName(name), record[name] ?? null]);
	const row = Object.fromEntries([...cells, ...attributes]) as IDataObject;
	// a blank answer does not count, because a heading can be listed as one
	const others = answers.filter(({ field, value }) => field === undefined && !isBlank(value));
	if (others.length === 0) return row;
	return { ...row, response_other_answers: toObject(others) };
}
