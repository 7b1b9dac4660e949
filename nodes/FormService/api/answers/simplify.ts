import type { GenericValue, IDataObject } from 'n8n-workflow';
import { decodeAnswers } from './decode';
import type { Answer } from './decode';
import { tellApart } from './labels';
import { isRecord } from '../records';
import { isWebUrl } from '../files/webUrl';

/** An uploaded file, as it stands in an answer. */
export type UploadedFile = { name: string; url: string };

/** The service's own attributes that simplified output keeps: who, which and when, at most ten. */
const KEPT_ATTRIBUTES = [
	'uuid',
	'id',
	'number',
	'number_formatted',
	'is_incomplete',
	'created_at',
	'updated_at',
	'submitted_at',
	'completed_at',
	'referrer',
];

/**
 * A response in a form that is easy to use in a workflow: at most ten of the service's own
 * attributes, `answers` by label, and `fields` with the UUIDs where the service gives them. A
 * record whose answers cannot be made out comes back whole, as it was.
 */
export function simplifyResponse(record: IDataObject): IDataObject {
	const answers = decodeAnswers(record);
	if (answers === undefined) return { ...record };
	const named = nameAnswers(answers);
	const fields = named.filter(({ uuid }) => uuid !== undefined);
	return {
		...Object.fromEntries(
			KEPT_ATTRIBUTES.filter((name) => Object.hasOwn(record, name)).map((name) => [
				name,
				record[name],
			]),
		),
		answers: Object.fromEntries(named.map(({ label, value }) => [label, value])),
		...(fields.length > 0 && {
			fields: fields.map(({ uuid, label, value }) => ({ uuid, label, value })),
		}),
	};
}

/** The files that were uploaded with a response, in the order of its answers. */
export function filesOf(record: IDataObject): Array<UploadedFile & { label: string }> {
	return nameAnswers(decodeAnswers(record) ?? []).flatMap(({ label, value }) =>
		(Array.isArray(value) ? (value as unknown[]) : [value])
			.filter(isUploadedFile)
			.map(({ name, url }) => ({ label, name: withoutFolders(name), url })),
	);
}

/** A path in the name of a file could lead out of the folder that a workflow writes it into. */
function withoutFolders(name: string): string {
	return name.split(/[/\\]/).at(-1)!;
}

function nameAnswers(answers: readonly Answer[]): Answer[] {
	const names = tellApart(answers.map(({ label }) => label));
	return answers.map((answer, index) => ({
		...answer,
		label: names[index],
		value: asFiles(answer.value),
	}));
}

/** The value as the service gave it, but for a file or a list of files. */
function asFiles(value: GenericValue): GenericValue {
	if (!Array.isArray(value)) return asFile(value) ?? value;
	const files = (value as unknown[]).map(asFile);
	return files.length > 0 && files.every((file) => file !== undefined) ? files : value;
}

/**
 * Reads `filename.ext|https://host/path/filename.ext`, the form in which uploaded files have been
 * seen. The name must have an extension, so that a person's own "see here|https://..." stays text.
 */
function asFile(value: unknown): UploadedFile | undefined {
	if (typeof value !== 'string') return undefined;
	const match = /^([^\\/\r\n]*\.[A-Za-z0-9]{1,16})\|(https?:\/\/\S+)$/i.exec(value);
	if (match === null) return undefined;
	const [, name, url] = match;
	return isWebUrl(url) ? { name, url } : undefined;
}

function isUploadedFile(value: unknown): value is UploadedFile {
	return isRecord(value) && typeof value.name === 'string' && isWebUrl(value.url);
}
