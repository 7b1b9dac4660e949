import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../account';
import type { Endpoint } from '../endpoints';
import { serviceError } from '../errors';
import { linksOf } from './linkHeader';
import { findListing } from './listing';
import { nextPage } from './pages';
import { identityOf } from '../records';
import { shapeOf, unwrap } from './content';
import { request } from '../request/request';
import type { Sender } from '../sender';
import { onOwnOrigin, parseUrl } from '../request/url';

/** Pages of one listing that are fetched at most: a third of the requests of a day. */
const MAX_PAGES = 480;

/** Pages in a row that only repeat earlier ones, as when many responses came meanwhile; more are a circle. */
const MAX_REPEATED_PAGES = 2;

export type ListOptions = {
	/** Records that are enough; no further page is fetched then. */
	limit?: number;
	/** No further page is fetched after this time, in epoch milliseconds. */
	until?: number;
	/** Asked before each further page; the list is cut where it says no. */
	goOn?: () => boolean;
	now: () => number;
};

/** The records of a listing; `complete` is false when there are more that were not fetched. */
export type Listed = { records: IDataObject[]; complete: boolean };

/**
 * Fetches a listing, page by page to its end. A record that moved to a later page while the pages
 * were fetched is given once.
 *
 * @throws NodeApiError when a page has no list, or its next page is elsewhere or nowhere
 */
export async function list(
	sender: Sender,
	account: Account,
	{ endpoint, url }: { endpoint: Endpoint; url: string },
	{ limit = Infinity, until = Infinity, goOn = () => true, now }: ListOptions,
): Promise<Listed> {
	const records: IDataObject[] = [];
	const identities = new Set<string | undefined>();
	const visited = new Set<string>();
	let repeated = 0;
	for (let next: string | undefined = url; next !== undefined; ) {
		if (visited.size >= MAX_PAGES) throw tooManyPages(sender);
		if (visited.has(next)) throw circle(sender);
		visited.add(next);
		const { value, headers } = await request(sender, account, { endpoint, url: next });
		const listing = findListing(value);
		if (listing === undefined) throw noList(sender, account, value);
		const fresh = listing.records.filter((record) => !identities.has(identityOf(record)));
		for (const record of listing.records) identities.add(identityOf(record));
		// what has no identity cannot be told to be a repetition
		identities.delete(undefined);
		for (const record of fresh) records.push(record);
		repeated = listing.records.length > 0 && fresh.length === 0 ? repeated + 1 : 0;
		if (repeated > MAX_REPEATED_PAGES) throw circle(sender);
		const shown = visited.size === 1 ? listing.records.length : undefined;
		const page = nextPage([linksOf(headers), ...listing.around], next, shown);
		if (page.kind === 'unknown') throw pageNowhere(sender);
		if (page.kind === 'none') break;
		if (records.length >= limit || now() >= until || !goOn()) {
			return { records: records.slice(0, limit), complete: false };
		}
		next = onOwnOrigin(withQueryOf(url, page.url), next, account.origin);
		if (next === undefined) throw pageElsewhere(sender, page.url);
	}
	return { records: records.slice(0, limit), complete: records.length <= limit };
}

/** A link to a next page, with what the first page was asked for: not every service repeats that. */
function withQueryOf(first: string, link: string): string {
	const next = parseUrl(link);
	if (next === undefined) return link;
	for (const [name, value] of new URL(first).searchParams) {
		if (!next.searchParams.has(name)) next.searchParams.set(name, value);
	}
	return next.href;
}

const ASK = 'Ask whoever runs the service whether it speaks the Form Service API, version 1.';

function noList(sender: Sender, { conceal }: Account, value: unknown) {
	const { data } = unwrap(value);
	const message = Array.isArray(data)
		? 'The service sent a list that holds something else than records'
		: `The service sent no list, but ${conceal(shapeOf(data))}`;
	return listError(sender, message);
}

function tooManyPages(sender: Sender) {
	return listError(
		sender,
		`The list has more than ${MAX_PAGES} pages`,
		'Ask whoever runs the service for larger pages. Response: Get Many can stop earlier with a Limit.',
	);
}

function circle(sender: Sender) {
	return listError(sender, 'The pages of the list lead in a circle');
}

function pageNowhere(sender: Sender) {
	return listError(sender, 'The service says that the list goes on, but not where');
}

function pageElsewhere(sender: Sender, link: string) {
	const place =
		URL.canParse(link) && /^https?:/.test(link) ? new URL(link).origin : 'another place';
	return listError(
		sender,
		`The next page of the list is at ${place}, where the access token does not go`,
		'If that is the address that the service really has, enter it as the Base URL in the Form Service credential.',
	);
}

function listError({ context, itemIndex }: Sender, message: string, description = ASK) {
	return serviceError(
		context.getNode(),
		{ message, description, failure: { cause: 'configuration-invalid' } },
		itemIndex,
	);
}
