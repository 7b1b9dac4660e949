import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { FileError } from '../errors';
import { downloadFiles } from '../files/download';
import type { RequestContext } from '../requestContext';
import { withoutSecrets } from '../secrets';
import { answerAttributes } from './decode';
import type { FormField, Naming } from './fields';
import { fileFieldNames } from './labels';
import { matchAnswers } from './match';
import { simplifyResponse, toColumns } from './simplify';
import { filesIn } from './uploads';

/** What a person chose of how a response becomes an item. */
export type ResponseOutput = Naming & {
	/** Simplified, or the record as it came. */
	simplify: boolean;
	/** Whether a raw record keeps its secrets. */
	includeSecrets?: boolean;
	/** The start of the names of the binary fields that take the files; undefined for no files. */
	filePrefix: string | undefined;
	/** In columns: all attributes that simplified output keeps, and a column for each note. */
	details?: boolean;
};

/** A response as an item, and what went wrong with its files. */
export type ResponseItem = { item: INodeExecutionData; fileErrors: FileError[] };

/** Whether items cannot be made without the fields of the form, which are one request more. */
export function outputNeedsFields({
	simplify,
	answerKeys = 'label',
	columns,
}: ResponseOutput): boolean {
	return simplify && (answerKeys !== 'label' || columns === true);
}

/**
 * A response as an item of its own: items of one run can share a listing, never a record. A file that
 * cannot be had is left out, and `fileError` says so: respondents choose the links.
 *
 * @param fields those of the form, named as `output` says, where they have been read
 * @throws NodeApiError for what concerns the account and not the file; NotSent when it was stopped
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
	const named = filesOf(record, fields);
	const files = await downloadFiles(
		context,
		named.map(({ file }) => file),
	);
	const binary: Record<string, IBinaryData> = {};
	const fileErrors: FileError[] = [];
	files.forEach((file, index) => {
		if (file instanceof FileError) fileErrors.push(file);
		else binary[filePrefix + named[index].name] = file;
	});
	const problems = files.flatMap((file, index) =>
		file instanceof FileError ? [`${named[index].file.name}: ${file.message}`] : [],
	);
	const hasColumn = simplify && columns === true && details === true;
	const item = {
		json:
			problems.length > 0 || hasColumn ? { ...json, fileError: problems.join('; ') || null } : json,
		...(Object.keys(binary).length > 0 && { binary }),
	};
	return { item, fileErrors };
}

function toJson(
	record: IDataObject,
	{ simplify, includeSecrets, columns, details }: ResponseOutput,
	fields?: readonly FormField[],
): IDataObject {
	if (!simplify) {
		return includeSecrets === true ? record : withoutSecrets(record, answerAttributes(record));
	}
	return columns === true && fields !== undefined
		? toColumns(record, fields, details)
		: simplifyResponse(record, fields);
}

/** The files of a response, each with the name of the binary field that takes it. */
function filesOf(record: IDataObject, fields?: readonly FormField[]) {
	const { answers } = matchAnswers(record, fields);
	// nobody knows a field by its UUID
	const names = answers.map(({ name, field }) =>
		field !== undefined && field.name === field.uuid ? field.label : name,
	);
	const owned = answers.flatMap(({ value }, index) =>
		filesIn(value).map((file) => ({ owner: names[index], file })),
	);
	const fieldNames = fileFieldNames(
		owned.map(({ owner }) => owner),
		names,
	);
	return owned.map(({ file }, index) => ({ file, name: fieldNames[index] }));
}
