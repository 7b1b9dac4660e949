import { isRecord } from '../records';

/** Names of a link to a PDF in the replies that are known; the specification does not give one. */
const LINK_NAMES = ['pdf_url', 'pdf', 'download_url', 'url', 'link', 'href'];

/** A link under one of the names that are known, else the only link there is. */
export function linkIn(data: unknown): string | undefined {
	if (isLink(data)) return data;
	if (!isRecord(data)) return undefined;
	const named = LINK_NAMES.map((name) => data[name]).find(isLink);
	if (named !== undefined) return named;
	const links = Object.values(data)
		.map((value) => (isRecord(value) ? linkIn(value) : value))
		.filter(isLink);
	return links.length === 1 ? links[0] : undefined;
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/)?\/\S+$/i.test(value);
}
