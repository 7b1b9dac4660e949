import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { FileError } from '../errors';
import { fetchBinary } from '../files/download';
import type { RequestContext } from '../requestContext';
import { decodeAnswers } from './decode';
import type { Answer } from './decode';
import { answerFieldsOf, matchAnswers } from './fields';
import type { AnswerField, AnswerKeys } from './fields';
import { fileFieldNames } from './labels';
import { namesOf, RESERVED_COLUMNS, simplifyResponse } from './simplify';
import type { AnswerOutput } from './simplify';
import { filesIn } from './uploads';

/** What a person chose of how a response becomes an item. */
export type ResponseOutput = {
	/** Simplified, or the record as it came. */
	simplify: boolean;
	/** The start of the names of the binary fields that take the files; undefined for no files. */
	filePrefix: string | undefined;
	/** By what answers are named; by label if not given. */
	answerKeys?: AnswerKeys;
	/** Each field as a column of its own, in each item. */
	columns?: boolean;
};

/** Whether items cannot be made without the fields of the form, which are one request more. */
export function needsFields({ simplify, answerKeys = 'label', columns }: ResponseOutput): boolean {
	return simplify && (answerKeys !== 'label' || columns === true);
}

/**
 * The fields of a form as its responses' items need them.
 *
 * @param records the fields as the service gave them
 */
export function fieldsFor(
	records: readonly IDataObject[],
	{ answerKeys = 'label', columns }: ResponseOutput,
): AnswerField[] {
	return answerFieldsOf(records, answerKeys, columns === true ? RESERVED_COLUMNS : []);
}

/**
 * A response as an item of its own: items of one run can share a listing, never a record. A file that
 * cannot be had is left out, and `fileError` says so: respondents choose the links.
 *
 * @param onFileError told of each such file; what it throws ends the work
 * @throws NodeApiError for what concerns the account and not the file; NotSent when it was stopped
 */
export async function toResponseItem(
	context: RequestContext,
	record: IDataObject,
	output: ResponseOutput & Pick<AnswerOutput, 'fields'>,
	onFileError: (error: Error) => void = () => {},
): Promise<INodeExecutionData> {
	const { simplify, filePrefix, fields, columns } = output;
	const decoded = decodeAnswers(record);
	const json = structuredClone(simplify ? simplifyResponse(record, decoded, output) : record);
	if (filePrefix === undefined) return { json };
	const files = filesOf(decoded.answers, fields);
	const binary: Record<string, IBinaryData> = {};
	const problems: string[] = [];
	for (const { name, file } of files) {
		const data = await fetchBinary(context, file).catch((error: unknown) => {
			if (!(error instanceof FileError)) throw error;
			onFileError(error);
			problems.push(`${file.name}: ${error.message}`);
			return undefined;
		});
		if (data !== undefined) binary[filePrefix + name] = data;
	}
	const fileError = problems.length > 0 ? problems.join('; ') : null;
	const isTold = fileError !== null || (simplify && columns === true);
	return {
		json: isTold ? { ...json, fileError } : json,
		...(Object.keys(binary).length > 0 && { binary }),
	};
}

/** The files of a response, each with the name of the binary field that takes it. */
function filesOf(answers: readonly Answer[], fields: readonly AnswerField[] = []) {
	const matched = [...matchAnswers(answers, fields).answers];
	const fieldOf = new Map(matched.map(([field, answer]) => [answer, field]));
	// a UUID would be no name that a person knows the field by
	const named = answers.map((answer) => {
		const field = fieldOf.get(answer);
		return field !== undefined && field.name === field.uuid ? field.label : undefined;
	});
	const names = namesOf(answers, fieldOf).map((name, index) => named[index] ?? name);
	const owned = answers.flatMap(({ value }, index) =>
		filesIn(value).map((file) => ({ owner: names[index], file })),
	);
	const fieldNames = fileFieldNames(
		owned.map(({ owner }) => owner),
		names,
	);
	return owned.map(({ file }, index) => ({ file, name: fieldNames[index] }));
}
