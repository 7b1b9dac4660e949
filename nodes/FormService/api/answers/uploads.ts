import type { GenericValue } from 'n8n-workflow';
import { isRecord } from '../records';
import { parseUrl } from '../url';

/** An uploaded file, as it stands in an answer. */
export type UploadedFile = { name: string; url: string };

/** The value of an answer, with `{name, url}` for each file in it, and all else as the service gave it. */
export function withFiles(value: GenericValue): GenericValue {
	if (Array.isArray(value)) return (value as unknown[]).map((one) => asFile(one) ?? one);
	if (typeof value !== 'string') return value;
	const parts = value.split(BETWEEN_FILES).map(asFile);
	return parts.length > 1 && parts.every((file) => file !== undefined)
		? parts
		: (asFile(value) ?? value);
}

/** The files in the value of an answer, with names that lead into no folder. */
export function filesIn(value: GenericValue): UploadedFile[] {
	const inside: unknown = withFiles(value);
	return (Array.isArray(inside) ? (inside as unknown[]) : [inside]).flatMap((one) => {
		const url = isRecord(one) ? [one.url, one.href].map(addressIn).find(Boolean) : undefined;
		if (!isRecord(one) || url === undefined) return [];
		const name = [one.name, one.filename, one.file_name].find(
			(given) => typeof given === 'string' && given !== '',
		);
		return [{ name: withoutFolders((name as string | undefined) ?? lastPartOf(url)), url }];
	});
}

/** Several files in one text, with a comma or a line between them. */
const BETWEEN_FILES = /[,;\r\n]\s*(?=[^|\r\n]+\|https?:\/\/)/i;

/**
 * Reads `filename.ext|https://host/path/filename.ext`, the form in which uploaded files have been
 * seen. The name must have an extension or be the last part of the path, so that a person's own "see
 * here|https://..." stays text.
 */
function asFile(value: unknown): UploadedFile | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	const [, name = '', address] = /^([^\\/\r\n]+)\|(https?:\/\/[^\r\n]+)$/i.exec(text) ?? [];
	const url = addressIn(address);
	if (url === undefined) return undefined;
	const isFileName = /\.[A-Za-z0-9]{1,16}$/.test(name) || name === lastPartOf(url);
	return isFileName ? { name, url } : undefined;
}

/**
 * The URL that a text stands for. Blanks in it must be those of a file's name: after an address, they
 * are of a person's sentence.
 */
function addressIn(value: unknown): string | undefined {
	if (typeof value !== 'string' || !/^https?:\/\/[^\s/?#]/i.test(value)) return undefined;
	const url = parseUrl(value);
	const isWhole = !/\s/.test(value) || /\/[^/]*\.[a-z0-9]{1,16}([?#]\S*)?$/i.test(value.slice(8));
	return isWhole ? url?.href : undefined;
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
