import { isEmpty, pick, zipObject } from 'lodash';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { yieldIfDue } from '../clock';
import { ServiceError } from '../errors';
import { downloadUploads } from '../files/download';
import type { RequestContext } from '../requestContext';
import { removeSecrets } from '../records';
import { getAnswerAttributes } from './decode';
import type { FormField, AnswerNaming } from './fields';
import { isBlank, parseAnswer, type FieldKind } from './fieldKinds';
import { matchAnswers, createAnswerKeys } from './matchAnswers';
import { COLUMN_ATTRIBUTES, SIMPLIFIED_ATTRIBUTES } from '../responseAttributes';
import { createFileFieldNames, makeUnique } from '../spelling';
import { collectUploads, mayBeUpload } from './uploads';

/** The options that decide how a response becomes an item. */
export type ResponseOutput = Required<AnswerNaming> & {
	/** Whether to simplify the response. Otherwise, the item is the record without its secrets. */
	simplify: boolean;
	/** Whether uploaded files become binary fields. */
	downloadFiles: boolean;
};

/** Whether items need the fields of the form, which take at least one more request. */
export function outputNeedsFields(output: ResponseOutput): boolean {
	const { simplify, answerKeys, columns, downloadFiles } = output;
	// an upload is recognized by its field, because its name may lack an extension
	return downloadFiles || (simplify && (answerKeys !== 'label' || columns));
}

/**
 * Creates the item of a response, with a copy of its data, because the items of a run share the list.
 * Respondents choose the links to files, so a failed download must not fail the item: the item then lacks the
 * file, and `fileError` has the reason.
 *
 * @param fields the fields of the form, if they were fetched, with the answer keys of `output`
 * @throws NodeApiError if the account fails, or with the reason `canceled` if the download was aborted
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
	const item = {
		json: problems.length > 0 ? { ...json, fileError: problems.join('; ') } : json,
		...(!isEmpty(binary) && { binary }),
	};
	return { item, fileErrors: files.filter((file) => file instanceof ServiceError) };
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
 * Collects the files of a response, each with the name of its binary field, and the problems of files without
 * an address.
 */
function collectDownloads(record: IDataObject, fields?: readonly FormField[]) {
	const problems: string[] = [];
	const files = matchAnswers(record, fields).answers.flatMap(({ value, label, field }) => {
		const fieldTitle = field?.title ?? label;
		const isFileField = field?.kind === 'file';
		return collectUploads(value, isFileField).flatMap(({ entry, file }) => {
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
 * Simplifies a response: the answers, at most eight attributes, and the problem of unreadable answers.
 *
 * @param fields the fields whose answer keys name the answers; without fields, the labels name the answers
 */
export function simplifyResponse(record: IDataObject, fields?: readonly FormField[]): IDataObject {
	const { answers, problem } = matchAnswers(record, fields);
	const values = answers.map(({ value, field }) =>
		// several choices can be listed as a text or a list
		parseAnswer(value, field && LIST_KINDS.includes(field.kind) ? field : undefined),
	);
	return {
		answers: zipObject(createAnswerKeys(answers), values),
		...pick(record, SIMPLIFIED_ATTRIBUTES),
		...(problem !== undefined && { answersError: problem }),
	};
}

/** The field kinds whose answers are always lists. */
const LIST_KINDS: readonly FieldKind[] = ['file', 'multipleChoice'];

/**
 * Converts a response to a row of a table: a column for each field, then attributes. If there are any,
 * `otherAnswers` has the answers without a field, and `answersError` the problem of unreadable answers.
 */
export function toRow(record: IDataObject, fields: readonly FormField[]): IDataObject {
	const { answers, byFieldIndex, problem } = matchAnswers(record, fields);
	const cells = fields.map((field, fieldIndex) => [
		field.answerKey,
		parseAnswer(byFieldIndex[fieldIndex]?.value, field),
	]);
	// headings have entries without a value
	const unmatchedAnswers = answers.filter(
		({ field, value }) => field === undefined && !isBlank(value),
	);
	const names = makeUnique(unmatchedAnswers.map(({ label }) => label));
	const otherCells = unmatchedAnswers.map(({ value }, index) => [names[index], parseAnswer(value)]);
	return {
		...(Object.fromEntries(cells) as IDataObject),
		...Object.fromEntries(COLUMN_ATTRIBUTES.map((name) => [name, record[name] ?? null])),
		...(unmatchedAnswers.length > 0 && { otherAnswers: Object.fromEntries(otherCells) }),
		...(problem !== undefined && { answersError: problem }),
	};
}
