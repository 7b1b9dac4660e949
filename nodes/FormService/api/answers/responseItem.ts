import { isEmpty, pick, zipObject } from 'lodash';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { yieldIfDue } from '../clock';
import { ServiceError } from '../errors';
import { downloadUploads } from '../files/download';
import type { RequestContext } from '../requestContext';
import { removeSecrets } from '../records';
import { getAnswerAttributes } from './decode';
import type { FormField, AnswerNaming } from './fields';
import { isBlank, parseAnswer } from './fieldKinds';
import { matchAnswers, createAnswerKeys } from './matchAnswers';
import { COLUMN_ATTRIBUTES, SIMPLIFIED_ATTRIBUTES } from '../responseAttributes';
import { createFileFieldNames, makeUnique } from '../spelling';
import { collectFiles } from './uploads';

/** The chosen options that decide how a response becomes an item. */
export type ResponseOutput = Required<AnswerNaming> & {
	/** Simplified, or the record as it came, without secrets. */
	simplify: boolean;
	/** Whether uploaded files become binary fields. */
	downloadFiles: boolean;
};

/** Whether items cannot be made without the fields of the form, which are one request more. */
export function outputNeedsFields({ simplify, answerKeys, columns }: ResponseOutput): boolean {
	return simplify && (answerKeys !== 'label' || columns);
}

/**
 * A response as a separate item: items of one run can share a listing, never a record. A file that
 * cannot be downloaded is left out, and `fileError` names the reason: respondents choose the links.
 *
 * @param fields the fields of the form, named as `output` says, if they have been read
 * @throws NodeApiError for a problem of the account and not of the file; NotSent if the download was stopped
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
	const uploads = listUploads(record, fields);
	const files = await downloadUploads(context, uploads);
	const binary: IBinaryKeyData = {};
	const problems: string[] = [];
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

/** The files of a response, each with the name of the binary field that takes it. */
function listUploads(record: IDataObject, fields?: readonly FormField[]) {
	const files = matchAnswers(record, fields).answers.flatMap(({ value, label, field }) =>
		collectFiles(value).map((file) => ({ ...file, owner: field?.title ?? label })),
	);
	const fieldNames = createFileFieldNames(files.map(({ owner }) => owner));
	return files.map(({ name, url }, index) => ({ name, url, fieldName: fieldNames[index] }));
}

/**
 * A response in a shape that is easy to use in a workflow: its answers first, then at most ten attributes
 * of the service, and what could not be read.
 *
 * @param fields name the answers; without them, labels name the answers
 */
export function simplifyResponse(record: IDataObject, fields?: readonly FormField[]): IDataObject {
	const { answers, byPosition, problem } = matchAnswers(record, fields);
	const values = answers.map(({ value }) => parseAnswer(value));
	return {
		answers: zipObject(createAnswerKeys(answers), values),
		...pick(record, SIMPLIFIED_ATTRIBUTES),
		...(byPosition.length > 0 && { matchedByPosition: byPosition }),
		...(problem !== undefined && { answersError: problem }),
	};
}

/**
 * A response as a row of a table: a column for each field, in the form's order, then attributes of the
 * service, and, if there are any, answers that belong to no field and what could not be read.
 */
export function toRow(record: IDataObject, fields: readonly FormField[]): IDataObject {
	const { answers, byField, problem } = matchAnswers(record, fields);
	const cells = fields.map((field, at) => [field.name, parseAnswer(byField[at]?.value, field)]);
	// headings have entries without a value
	const others = answers.filter(({ field, value }) => field === undefined && !isBlank(value));
	const names = makeUnique(others.map(({ label }) => label));
	const otherCells = others.map(({ value }, index) => [names[index], parseAnswer(value)]);
	return {
		...(Object.fromEntries(cells) as IDataObject),
		...Object.fromEntries(COLUMN_ATTRIBUTES.map((name) => [name, record[name] ?? null])),
		...(others.length > 0 && { otherAnswers: Object.fromEntries(otherCells) }),
		...(problem !== undefined && { answersError: problem }),
	};
}
