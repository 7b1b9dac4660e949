import type { IDataObject } from 'n8n-workflow';
import type { Headers } from '../gate/rateHeaders';

/** `<url>; rel="next"`, where a further parameter may stand on either side of `rel`. */
const NEXT =
	/<([^<>]*)>(?:[^<>,"]|"[^"]*")*;\s*rel\s*=\s*(?:next\b|"(?:[^"]*\s)?next(?:\s[^"]*)?")/i;

/** The next page in a reply's Link header (RFC 8288), as a listing would name it, or nothing. */
export function linksOf({ link }: Headers): IDataObject {
	const header = Array.isArray(link) ? link.join(', ') : link;
	const next = typeof header === 'string' ? NEXT.exec(header)?.[1] : undefined;
	return next === undefined ? {} : { links: { next: { href: next } } };
}
