import { isEmpty, pick, zipObject } from 'lodash';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { yieldIfDue } from '../api/clock';
import { ServiceError } from '../api/errors';
import { downloadUploads } from '../api/files/download';
import type { RequestContext } from '../api/requestContext';
import { removeSecrets } from '../api/records';
import { getAnswerAttributes } from './decode';
import type { FormField, AnswerNaming } from './fields';
import { isBlank, parseAnswer, type FieldKind } from './fieldKinds';
import { matchAnswers, createAnswerKeys } from './matchAnswers';
import { COLUMN_ATTRIBUTES, SIMPLIFIED_ATTRIBUTES, toColumnName } from '../api/responseAttributes';
import { createFileFieldNames, makeUnique } from '../api/spelling';
import { parseAnswerEntries, mayBeUpload } from './uploads';

/** The options that decide which data of a response an item contains. */
export type ResponseOutput = Required<AnswerNaming> & {
	/** Whether to simplify the response. If false, the item is the whole record without secrets, such as tokens. */
	simplify: boolean;
	/** Whether uploaded files become binary fields. */
	downloadFiles: boolean;
};

/**
 * Whether the fields of the form are needed to create items. Fetching the fields takes at least one more
 * request.
 */
export function outputNeedsFields(output: ResponseOutput): boolean {
	const { simplify, answerKeys, columns, downloadFiles } = output;
	// a download needs the field kinds, because a file without an extension is found only in a file field
	return downloadFiles || (simplify && (answerKeys !== 'label' || columns));
}

/**
 * Creates the item of a response. The item has a copy of the data, because several items can share a response.
 * If a file cannot be downloaded, the item has the reason as `fileError`. The workflow continues, because a
 * respondent can enter a link to a file that does not exist.
 *
 * @param fields the fields of the form with the answer keys of `output`; undefined if `output` needs no fields
 * @throws ServiceError with the reason `canceled` if the download was aborted
 */
export async function createResponseItem(
	context: RequestContext,
	record: IDataObject,
	output: ResponseOutput,
	fields?: readonly FormField[],
): Promise<{ item: INodeExecutionData; fileErrors: ServiceError[] }> {
	await yieldIfDue();
	const json = structuredClone(toJson(record, output, fields));
	if (!output.downloadFiles) return { item: { json }, fileErrors: [] };
	const { uploads, problems } = collectDownloads(record, fields);
	const files = await downloadUploads(context, uploads);
	const binary: IBinaryKeyData = {};
	files.forEach((file, index) => {
		const { name, fieldName } = uploads[index];
		if (file instanceof ServiceError) problems.push(`${name}: ${file.message}`);
		else binary[fieldName] = file;
	});
	const fileError = nameAttribute('fileError', output);
	const item = {
		json: problems.length > 0 ? { ...json, [fileError]: problems.join('; ') } : json,
		...(!isEmpty(binary) && { binary }),
	};
	return { item, fileErrors: files.filter((file) => file instanceof ServiceError) };
}

/**
 * Returns the name that an item has for a value that is not an answer. As a column, the name starts with
 * `response_`, so that no field has the same name.
 */
export function nameAttribute(name: string, { simplify, columns }: ResponseOutput): string {
	return simplify && columns ? toColumnName(name) : name;
}

function toJson(
	record: IDataObject,
	{ simplify, columns }: ResponseOutput,
	fields?: readonly FormField[],
): IDataObject {
	if (!simplify) return removeSecrets(record, getAnswerAttributes(record));
	return columns && fields !== undefined ? toRow(record, fields) : simplifyResponse(record, fields);
}

/**
 * Finds the files that a response contains. `uploads` has the name, URL and binary field of each file.
 * `problems` has a sentence for each upload that is not in `uploads`.
 */
function collectDownloads(record: IDataObject, fields?: readonly FormField[]) {
	const problems: string[] = [];
	const files = matchAnswers(record, fields).answers.flatMap(({ value, label, field }) => {
		const fieldTitle = field?.title ?? label;
		const isFileField = field?.kind === 'file';
		return parseAnswerEntries(value, isFileField).flatMap(({ entry, file }) => {
			if (file !== undefined) return { ...file, fieldTitle };
			const isUpload = isFileField ? !isBlank(entry) : field === undefined && mayBeUpload(entry);
			if (isUpload) problems.push(`${fieldTitle}: ${isFileField ? NO_ADDRESS : NO_FIELD}`);
			return [];
		});
	});
	const fieldNames = createFileFieldNames(files.map(({ fieldTitle }) => fieldTitle));
	const uploads = files.map(({ name, url }, index) => ({
		name,
		url,
		fieldName: fieldNames[index],
	}));
	return { uploads, problems };
}

const NO_ADDRESS = 'The answer has no web address of a file';
const NO_FIELD = 'The answer may be a file, but the form no longer has this field';

/**
 * Simplifies a response to its answers and at most eight attributes. If some answers cannot be read,
 * `answersError` describes the problem.
 *
 * @param fields the fields of the form, with the answer keys; without fields, the labels are the answer keys
 */
export function simplifyResponse(record: IDataObject, fields?: readonly FormField[]): IDataObject {
	const { answers, problem } = matchAnswers(record, fields);
	const values = answers.map(({ value, field }) =>
		// the field is needed only to turn files and several choices into lists
		parseAnswer(value, field && LIST_KINDS.includes(field.kind) ? field : undefined),
	);
	return {
		answers: zipObject(createAnswerKeys(answers), values),
		...pick(record, SIMPLIFIED_ATTRIBUTES),
		...(problem !== undefined && { answersError: problem }),
	};
}

/** The field kinds whose answers are always lists in an item. */
const LIST_KINDS: readonly FieldKind[] = ['file', 'multipleChoice'];

/**
 * Converts a response to a row of a table: one column for each field, then the attributes.
 *
 * - If the response has answers without a field, `response_other_answers` has these answers.
 * - If some answers cannot be read, `response_answers_error` describes the problem.
 */
export function toRow(record: IDataObject, fields: readonly FormField[]): IDataObject {
	const { answers, byField, problem } = matchAnswers(record, fields);
	const cells = fields.map((field) => [
		field.answerKey,
		parseAnswer(byField.get(field)?.value, field),
	]);
	// a heading is listed as an answer without a value
	const unmatchedAnswers = answers.filter(
		({ field, value }) => field === undefined && !isBlank(value),
	);
	const names = makeUnique(unmatchedAnswers.map(({ label }) => label));
	const otherCells = unmatchedAnswers.map(({ value }, index) => [names[index], parseAnswer(value)]);
	return {
		...(Object.fromEntries(cells) as IDataObject),
		...Object.fromEntries(
			COLUMN_ATTRIBUTES.map((name) => [toColumnName(name), record[name] ?? null]),
		),
		...(unmatchedAnswers.length > 0 && {
			response_other_answers: Object.fromEntries(otherCells),
		}),
		...(problem !== undefined && { response_answers_error: problem }),
	};
}
