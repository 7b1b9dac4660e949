import type { IDataObject } from 'n8n-workflow';
import { createdAt } from '../api/answers/order';
import { readNumber } from '../api/readers';
import { identityOf } from '../api/records';
import type { PageRead, Place } from '../api/replies/list';
import { isIncomplete } from './diff';
import { Fingerprints } from './fingerprint';
import { status } from './knownResponses';
import type { KnownResponses } from './knownResponses';

/**
 * The page of a listing on which new responses appear, and what was true of the whole listing when it
 * was read: with what is known, enough to prove by this page alone that nothing else has changed.
 */
export type Edge = {
	/** Where new responses go. */
	side: 'first' | 'last';
	/** The last page is asked for by itself. */
	place?: Place;
	/** The identities on the page in their order. */
	identities: readonly string[];
	/** Those of them that were incomplete. */
	incomplete: ReadonlySet<string>;
	/** The responses on all pages, and how many of them were incomplete. */
	total: number;
	totalIncomplete: number;
	/** Something else has changed since, and what it was is yet to be read: nothing can be proven. */
	isDoubtful: boolean;
};

/** A part of a listing, or all of it. */
export type Part = { records: readonly IDataObject[]; pages: readonly PageRead[] };

/** Fewer pages are read whole as soon as two requests of a short poll could be waited for. */
const FEWEST_PAGES = 3;

/**
 * The edge of a listing that was read whole. There is none where the pages do not say how many
 * responses there are, or where it cannot be told on which of them new ones appear: by where those
 * were that `before` does not know, or else as it was, or else by the order in time.
 *
 * @param before undefined when the trigger begins with this listing
 */
export function edgeOf(
	{ records, pages }: Part,
	before: KnownResponses | undefined,
	previous: Edge | undefined,
): Edge | undefined {
	const total = totalOf(pages);
	if (pages.length < FEWEST_PAGES || total !== records.length) return undefined;
	if (pages.reduce((sum, { shown }) => sum + shown, 0) !== total) return undefined;
	const side = sideOfNew(records, before) ?? (previous?.side || sideByTime(records));
	if (side === undefined || side === 'middle') return undefined;
	const totalIncomplete = records.filter(isIncomplete).length;
	return edgeAt(side, { records, pages }, { total, totalIncomplete });
}

function edgeAt(
	side: Edge['side'],
	{ records, pages }: Part,
	totals: Pick<Edge, 'total' | 'totalIncomplete'>,
): Edge | undefined {
	const page = side === 'first' ? pages[0] : pages.findLast(({ shown }) => shown > 0);
	if (page === undefined || (side === 'last' && !page.isNumbered)) return undefined;
	const start = page.received - pages[0].received;
	const shown = records.slice(start, start + page.shown);
	const identities = shown.map(identityOf).filter((identity) => identity !== undefined);
	if (identities.length < page.shown) return undefined;
	const { url, pages: pagesBefore, received } = page;
	return {
		side,
		...(side === 'last' && { place: { url, pages: pagesBefore, received } }),
		identities,
		incomplete: identitiesOf(shown.filter(isIncomplete)),
		...totals,
		isDoubtful: false,
	};
}

/** What all pages say that there are; undefined when one says nothing, or something else. */
function totalOf(pages: readonly PageRead[]): number | undefined {
	const [{ total } = { total: undefined }] = pages;
	return pages.every((page) => page.total === total) ? total : undefined;
}

/** Where the new responses of a listing are; undefined when none is, or all are. */
function sideOfNew(
	records: readonly IDataObject[],
	before: KnownResponses | undefined,
): Edge['side'] | 'middle' | undefined {
	if (before === undefined) return undefined;
	const listed = new Listed(before, records.length);
	const isNew = records.map((record) => !listed.has(identityOf(record)));
	const count = isNew.filter(Boolean).length;
	if (count === 0 || count === records.length) return undefined;
	if (isNew.indexOf(false) === count) return 'first';
	return isNew.indexOf(true) === records.length - count ? 'last' : 'middle';
}

/** By the times of the responses, or else their numbers, if they rise or fall along the whole listing. */
function sideByTime(records: readonly IDataObject[]): Edge['side'] | undefined {
	const number = (record: IDataObject) => readNumber(record.number) ?? NaN;
	for (const key of [createdAt, number]) {
		const values = records.map((record) => key(record) ?? NaN);
		const steps = values.slice(1).map((value, index) => value - values[index]);
		if (steps.every((step) => step <= 0) && steps.some((step) => step < 0)) return 'first';
		if (steps.every((step) => step >= 0) && steps.some((step) => step > 0)) return 'last';
	}
	return undefined;
}

/** The responses of a listing as the trigger knows them. */
class Listed {
	private readonly numbers: Fingerprints;

	/** @param asked how many others are asked for at most */
	constructor(
		private readonly known: KnownResponses,
		asked: number,
	) {
		this.numbers = new Fingerprints(known.size + asked);
		this.numbers.addAll(known.fingerprints);
	}

	/** Its number in what is known; undefined when it is not known or has left the listing. */
	numberOf(identity: string | undefined): number | undefined {
		if (identity === undefined) return undefined;
		const number = this.numbers.numberOf(identity);
		return number < this.known.size && this.known.missingSince[number] === 0 ? number : undefined;
	}

	has(identity: string | undefined): boolean {
		return this.numberOf(identity) !== undefined;
	}
}

/**
 * What the page of the edge says, and those after it that were read.
 * `goesOn`: there is only what is new, and the rest of it may be on the next page.
 * `unchanged`: no response has come or gone elsewhere. What cannot be seen so is one that came elsewhere
 * while another one left elsewhere.
 * `changed`: that cannot be proven.
 */
export type Verdict = 'goesOn' | 'unchanged' | 'changed';

/** @param isEnd whether the list ends with this part */
export function verdictOf(
	edge: Edge,
	known: KnownResponses,
	{ records, pages, isEnd }: Part & { isEnd: boolean },
): Verdict {
	const identities = records.map(identityOf);
	const isSame = (one: string | undefined, index: number) => one === edge.identities[index];
	const old = new Set<string | undefined>(edge.identities);
	const firstOld = identities.findIndex((identity) => old.has(identity));
	const [fresh, rest] =
		edge.side === 'last'
			? [identities.slice(old.size), identities.slice(0, old.size)]
			: firstOld === -1
				? [identities, []]
				: [identities.slice(0, firstOld), identities.slice(firstOld)];
	const listed = new Listed(known, fresh.length);
	const isAsBefore = rest.every(isSame) && (edge.side === 'first' || rest.length === old.size);
	if (!isAsBefore || fresh.some((identity) => listed.has(identity))) return 'changed';
	const isWhole = edge.side === 'first' ? rest.length > 0 : isEnd;
	if (!isWhole && !isEnd) return 'goesOn';
	const total = totalOf(pages);
	const isProven = isWhole && !edge.isDoubtful && total === edge.total + fresh.length;
	return isProven ? 'unchanged' : 'changed';
}

/** How many responses are known to be incomplete and are not in this part: they may be complete now. */
export function unseenIncomplete(known: KnownResponses, records: readonly IDataObject[]): number {
	const listed = new Listed(known, records.length);
	const seen = new Set(records.map((record) => listed.numberOf(identityOf(record))));
	return known.statuses.reduce((count, one, number) => {
		const isUnseen = known.missingSince[number] === 0 && !seen.has(number);
		return one !== status.complete && isUnseen ? count + 1 : count;
	}, 0);
}

/** How many of the listing are incomplete, if all outside of this part are as they were. */
function expectedIncomplete(edge: Edge, records: readonly IDataObject[]): number {
	const before = records.filter((record) => edge.incomplete.has(identityOf(record) ?? ''));
	return edge.totalIncomplete - before.length + records.filter(isIncomplete).length;
}

/**
 * Whether a list of the incomplete responses alone proves that none outside of the part that was read
 * is complete now. Where it has several pages, by how many it says there are: one that was completed
 * is then not seen if another one became incomplete elsewhere.
 */
export function provesIncomplete(
	edge: Edge,
	known: KnownResponses,
	{ records }: Part,
	incomplete: Part & { complete: boolean },
): boolean {
	// a service that does not know the filter gives all
	if (!incomplete.records.every(isIncomplete)) return false;
	const onPage = identitiesOf(records);
	const listed = new Listed(known, incomplete.records.length);
	const elsewhere = [...identitiesOf(incomplete.records)].filter((one) => !onPage.has(one));
	if (elsewhere.some((identity) => !listed.has(identity))) return false;
	if (incomplete.complete) {
		return unseenIncomplete(known, [...records, ...incomplete.records]) === 0;
	}
	return totalOf(incomplete.pages) === expectedIncomplete(edge, records);
}

/** The edge after a short poll that has proven that nothing else has changed. */
export function movedEdge(edge: Edge, part: Part): Edge | undefined {
	const total = totalOf(part.pages) ?? edge.total;
	return edgeAt(edge.side, part, {
		total,
		totalIncomplete: expectedIncomplete(edge, part.records),
	});
}

/** Whether what is known is the listing to which the edge belongs, with nothing that is still to be delivered. */
export function fits(edge: Edge, known: KnownResponses): boolean {
	return edge.isDoubtful || known.missingSince.filter((day) => day === 0).length === edge.total;
}

function identitiesOf(records: readonly IDataObject[]): Set<string> {
	return new Set(records.map((record) => identityOf(record) ?? ''));
}
