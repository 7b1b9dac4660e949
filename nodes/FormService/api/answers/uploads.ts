import type { GenericValue } from 'n8n-workflow';
import { isRecord } from '../records';
import { parseUrl } from '../url';

/** An uploaded file, as it stands in an answer. */
type UploadedFile = { name: string; url: string };

/** The value of an answer with `{name, url}` in place of each file; other values stay as the service gave them. */
export function withFiles(value: GenericValue): GenericValue {
	if (Array.isArray(value)) return (value as unknown[]).map((one) => parseFile(one) ?? one);
	return parseFile(value) ?? value;
}

/** The files in the value of an answer, with names that lead into no folder. */
export function listFiles(value: GenericValue): UploadedFile[] {
	const parts = [withFiles(value)].flat() as unknown[];
	return parts.flatMap((part) => {
		const url = isRecord(part) ? parseAddress(part.url) : undefined;
		if (!isRecord(part) || url === undefined) return [];
		const name = typeof part.name === 'string' && part.name !== '' ? part.name : getFileName(url);
		// a path in the name could lead out of the folder that a workflow writes the file into
		return [{ name: name.split(/[/\\]/).at(-1)!, url }];
	});
}

/**
 * Reads `filename.ext|https://host/path/filename.ext`, the form in which uploaded files have been
 * seen. The name must have an extension or be the last part of the path, so that a person's own "see
 * here|https://..." stays text.
 */
function parseFile(value: unknown): UploadedFile | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	const mark = text.search(/\|https?:\/\//i);
	const name = text.slice(0, Math.max(mark, 0));
	const address = text.slice(mark + 1);
	if (name === '' || /[\\/\r\n]/.test(name) || /[\r\n]/.test(address)) return undefined;
	const url = parseAddress(address);
	if (url === undefined) return undefined;
	return EXTENSION.test(name) || name === getFileName(url) ? { name, url } : undefined;
}

const EXTENSION = /\.[A-Za-z0-9]{1,16}$/;

/**
 * The address of a file. Blanks in it must be those of a file's name at the end of its path: behind an
 * address, they are those of a person's sentence.
 */
const ADDRESS = /^https?:\/\/[^\s/?#]+(\/([^?#]*\.[a-z0-9]{1,16}|[^\s?#]*))?([?#]\S*)?$/i;

function parseAddress(value: unknown): string | undefined {
	return typeof value === 'string' && ADDRESS.test(value) ? parseUrl(value)?.href : undefined;
}

/** The last part of the path of a URL, as people read it. */
function getFileName(url: string): string {
	const part = new URL(url).pathname.split('/').at(-1)!;
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}
