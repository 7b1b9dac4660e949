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

/** The chosen options that decide how a response becomes an item. */
export type ResponseOutput = Required<AnswerNaming> & {
	/** Simplified, or the record as it came, without secrets. */
	simplify: boolean;
	/** Whether uploaded files become binary fields. */
	downloadFiles: boolean;
};

/** Whether items need the fields of the form, which cost one more request. */
export function outputNeedsFields(output: ResponseOutput): boolean {
	const { simplify, answerKeys, columns, downloadFiles } = output;
	// the name of an upload need not look like that of a file
	return downloadFiles || (simplify && (answerKeys !== 'label' || columns));
}

/**
 * Creates the item of a response. Items of one run can share a list, never a record. A file that cannot be
 * downloaded is left out, and `fileError` names the reason, because respondents choose the links.
 *
 * @param fields the fields of the form, named as `output` says, if they have been read
 * @throws NodeApiError for a problem of the account and not of the file, and with the reason `canceled` if the
 * download was stopped
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

/** Collects the files of a response, each with the name of its binary field, and why others have no address. */
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
 * Simplifies a response: its answers come first, then at most eight attributes of the service, and what could
 * not be read.
 *
 * @param fields name the answers; without fields, labels name the answers
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

/** The kinds of fields whose answers are always lists, if the field is known. */
const LIST_KINDS: readonly FieldKind[] = ['file', 'multipleChoice'];

/**
 * Converts a response to a row of a table: a column for each field, in the form's order, then attributes of the
 * service, and, if there are any, answers that belong to no field and what could not be read.
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
