import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { FileError } from '../errors';
import { downloadFiles } from '../files/download';
import type { RequestContext } from '../requestContext';
import { withoutSecrets } from '../records';
import { answerAttributes } from './decode';
import type { FormField, Naming } from './fields';
import { matchAnswers } from './match';
import { fileFieldNames } from './names';
import { simplifyResponse, toColumns } from './simplify';
import { filesIn } from './uploads';

/** The chosen options that decide how a response becomes an item. */
export type ResponseOutput = Required<Naming> & {
	/** Simplified, or the record as it came. */
	simplify: boolean;
	/** Whether a raw record keeps its secrets. */
	includeSecrets: boolean;
	/** The start of the names of the binary fields that take the files; undefined for no files. */
	filePrefix: string | undefined;
	/** In columns: all attributes that simplified output keeps, and a column for each note. */
	details: boolean;
};

/** A response as an item, and the errors of its files. */
type ResponseItem = { item: INodeExecutionData; fileErrors: FileError[] };

/** Whether items cannot be made without the fields of the form, which are one request more. */
export function outputNeedsFields({ simplify, answerKeys, columns }: ResponseOutput): boolean {
	return simplify && (answerKeys !== 'label' || columns);
}

/**
 * A response as an item of its own: items of one run can share a listing, never a record. A file that
 * cannot be downloaded is left out, and `fileError` names the reason: respondents choose the links.
 *
 * @param fields the fields of the form, named as `output` says, if they have been read
 * @throws NodeApiError for a problem of the account and not of the file; NotSent if the download was stopped
 */
export async function toResponseItem(
	context: RequestContext,
	record: IDataObject,
	output: ResponseOutput,
	fields?: readonly FormField[],
): Promise<ResponseItem> {
	const { simplify, filePrefix, columns, details } = output;
	const json = structuredClone(toJson(record, output, fields));
	if (filePrefix === undefined) return { item: { json }, fileErrors: [] };
	const uploads = uploadsOf(record, fields);
	const files = await downloadFiles(context, uploads);
	const binary = files.flatMap((file, index) =>
		file instanceof FileError ? [] : [[filePrefix + uploads[index].fieldName, file] as const],
	);
	const problems = files.flatMap((file, index) =>
		file instanceof FileError ? [`${uploads[index].name}: ${file.message}`] : [],
	);
	const hasColumn = simplify && columns && details;
	const fileError = problems.join('; ') || null;
	const item = {
		json: problems.length > 0 || hasColumn ? { ...json, fileError } : json,
		...(binary.length > 0 && { binary: Object.fromEntries(binary) }),
	};
	return { item, fileErrors: files.filter((file) => file instanceof FileError) };
}

function toJson(
	record: IDataObject,
	{ simplify, includeSecrets, columns, details }: ResponseOutput,
	fields?: readonly FormField[],
): IDataObject {
	if (!simplify) {
		return includeSecrets ? record : withoutSecrets(record, answerAttributes(record));
	}
	return columns && fields !== undefined
		? toColumns(record, fields, details)
		: simplifyResponse(record, fields);
}

/** The files of a response, each with the name of the binary field that takes it. */
function uploadsOf(record: IDataObject, fields?: readonly FormField[]) {
	const { answers } = matchAnswers(record, fields);
	// nobody knows a field by its UUID
	const names = answers.map(({ name, field }) =>
		field !== undefined && field.name === field.uuid ? field.label : name,
	);
	const files = answers.flatMap(({ value }, index) =>
		filesIn(value).map((file) => ({ ...file, owner: names[index] })),
	);
	const owners = files.map(({ owner }) => owner);
	const fieldNames = fileFieldNames(owners, names);
	return files.map(({ name, url }, index) => ({ name, url, fieldName: fieldNames[index] }));
}
