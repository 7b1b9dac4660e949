import type { GenericValue } from 'n8n-workflow';
import { isRecord } from '../records';
import { parseUrl } from '../url';

/** An uploaded file, as it stands in an answer. */
type UploadedFile = { name: string; url: string };

/** The value of an answer with `{name, url}` in place of each file; other values stay as the service gave them. */
export function withFiles(value: GenericValue): GenericValue {
	if (Array.isArray(value)) return (value as unknown[]).map((one) => fileInText(one) ?? one);
	const files = typeof value === 'string' ? filesInText(value) : [];
	return files.length > 1 ? files : (files.at(0) ?? value);
}

/** The files in the value of an answer, with names that lead into no folder. */
export function filesIn(value: GenericValue): UploadedFile[] {
	const inside = [withFiles(value)].flat() as unknown[];
	return inside.flatMap((one) => fileInObject(one) ?? []);
}

/** A file as an object, as simplified output has it; undefined for anything else. */
function fileInObject(value: unknown): UploadedFile | undefined {
	if (!isRecord(value)) return undefined;
	const url = [value.url, value.href].map(addressIn).find((one) => one !== undefined);
	if (url === undefined) return undefined;
	const name = [value.name, value.filename, value.file_name].find(
		(given): given is string => typeof given === 'string' && given !== '',
	);
	return { name: withoutFolders(name ?? lastPartOf(url)), url };
}

/**
 * The files of a text that consists of files alone, with a comma, a semicolon or a line between them;
 * none for any other text. Takes time linear in the length of the text, which a respondent chooses.
 */
function filesInText(text: string): UploadedFile[] {
	if (!text.includes('|')) return [];
	const files = splitFiles(text).map(fileInText);
	return files.every((file) => file !== undefined) ? files : [];
}

/** Between the name of a file and its address. */
const BEFORE_ADDRESS = /\|https?:\/\//gi;

/** Between a file and the next one, the most certain first: a comma can stand in an address. */
const BETWEEN_FILES = [/[,;]\s|[\r\n]/, /[,;]/];

/** No system has longer names; a longer text is not searched for. */
const MAX_NAME_LENGTH = 255;

/**
 * Splits a text where one address ends and the next name begins. A name and an address can both have
 * commas in them: an address ends behind its file's name, or else with the first comma.
 */
function splitFiles(text: string): string[] {
	const marks = [...text.matchAll(BEFORE_ADDRESS)].map(({ index }) => index);
	const parts: string[] = [];
	let start = 0;
	for (let index = 0; index + 1 < marks.length; index++) {
		const name = text.slice(start, marks[index]).trim();
		const between = text.slice(marks[index], marks[index + 1]);
		const end = endOfAddress(between, name);
		if (end === undefined) continue;
		parts.push(text.slice(start, marks[index] + end));
		start = marks[index] + end + 1;
	}
	return [...parts, text.slice(start)];
}

/** Where the separator stands that ends the address; undefined if none is there, as in a query. */
function endOfAddress(between: string, name: string): number | undefined {
	const behind = name.length > MAX_NAME_LENGTH ? 0 : between.indexOf(`/${name}`) + name.length + 1;
	if (behind > name.length && /[,;\r\n]/.test(between.charAt(behind))) return behind;
	return BETWEEN_FILES.map((one) => between.search(one)).find((end) => end >= 0);
}

/**
 * Reads `filename.ext|https://host/path/filename.ext`, the form in which uploaded files have been
 * seen. The name must have an extension or be the last part of the path, so that a person's own "see
 * here|https://..." stays text.
 */
function fileInText(value: unknown): UploadedFile | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	const mark = text.search(/\|https?:\/\//i);
	const name = text.slice(0, Math.max(mark, 0));
	const address = text.slice(mark + 1);
	if (name === '' || /[\\/\r\n]/.test(name) || /[\r\n]/.test(address)) return undefined;
	const url = addressIn(address);
	if (url === undefined) return undefined;
	const isFileName = EXTENSION.test(name) || name === lastPartOf(url);
	return isFileName ? { name, url } : undefined;
}

const EXTENSION = /\.[A-Za-z0-9]{1,16}$/;

/**
 * The URL that a text stands for. Blanks in it must be those of a file's name: behind an address, they
 * are those of a person's sentence.
 */
function addressIn(value: unknown): string | undefined {
	if (typeof value !== 'string' || !/^https?:\/\/[^\s/?#]/i.test(value)) return undefined;
	const queryAt = value.search(/[?#]/);
	const path = queryAt < 0 ? value : value.slice(0, queryAt);
	const query = queryAt < 0 ? '' : value.slice(queryAt);
	const hasPath = path.includes('/', 'https://'.length);
	const isWhole = !/\s/.test(value) || (hasPath && EXTENSION.test(path) && !/\s/.test(query));
	return isWhole ? parseUrl(value)?.href : undefined;
}

function lastPartOf(url: string): string {
	const part = new URL(url).pathname.split('/').at(-1)!;
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** A path in the name of a file could lead out of the folder that a workflow writes it into. */
function withoutFolders(name: string): string {
	return name.split(/[/\\]/).at(-1)!;
}
