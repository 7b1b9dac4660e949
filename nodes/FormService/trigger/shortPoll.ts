import type { IDataObject } from 'n8n-workflow';
import type { Asked } from './dependencies';
import type { PollListing } from './diff';
import { edgeOf, fits, movedEdge, provesIncomplete, unseenIncomplete, verdictOf } from './edge';
import type { Part } from './edge';
import { failureOf } from './errors';
import type { KnownResponses } from './knownResponses';
import type { FormMemory, Paged } from './memory';

/** How a listing can be asked for, and what a poll may send. */
export type Asking = {
	list(asked: Asked): Promise<PollListing>;
	/** See `Dependencies`; also to be asked before another list than the first. */
	goOn(): boolean;
	/** Whether the poll may go on to all pages, however many there are. */
	mayBeWhole(): boolean;
};

/** What is next: more pages of a short poll, its end, or the whole listing. */
type Step = 'goesOn' | 'proven' | 'doubtful' | 'whole';

/**
 * Reads the page on which new responses appear, and gives it if that proves that nothing else has
 * changed; in most cases for one request. Responses that were incomplete and are on other pages may be
 * complete by now: a list of the incomplete ones tells, for another. What is not proven is read whole
 * if that may be, or else by a later poll; what is new on the page is given at once.
 */
export class ShortPoll {
	private step: Step = 'goesOn';
	/** What the list of the incomplete responses shows. */
	private others: IDataObject[] = [];

	constructor(
		private readonly paged: Paged,
		private readonly asking: Asking,
	) {}

	async read(): Promise<PollListing> {
		return this.paged.edge.side === 'first' ? await this.readFirst() : await this.readLast();
	}

	/** The other pages follow the first one, so that the same list can go on to its end. */
	private async readFirst(): Promise<PollListing> {
		const isEnough = async (part: PollListing) => {
			if (this.step !== 'whole') await this.take(part, false);
			return this.step === 'proven' || this.step === 'doubtful';
		};
		const listing = await this.asking.list({ isEnough });
		return this.step === 'proven' || this.step === 'doubtful' ? this.end(listing) : listing;
	}

	private async readLast(): Promise<PollListing> {
		const { list, goOn } = this.asking;
		const isEnough = async (part: PollListing) => {
			await this.take(part, false);
			return this.step !== 'goesOn';
		};
		const { place: from } = this.paged.edge;
		const listing = await list({ from, isEnough }).catch(gone);
		if (listing.complete) await this.take(listing, true);
		if (this.step === 'whole' && goOn()) return await list({});
		return this.step === 'goesOn' ? { ...listing, complete: false } : this.end(listing);
	}

	private async take({ records, pages = [] }: PollListing, isEnd: boolean): Promise<void> {
		const part = { records, pages };
		const { edge, known } = this.paged;
		const verdict = verdictOf(edge, known, { ...part, isEnd });
		if (verdict === 'goesOn') return;
		if (verdict === 'unchanged' && (await this.isNoneCompleted(part))) this.step = 'proven';
		else this.step = this.asking.mayBeWhole() ? 'whole' : 'doubtful';
	}

	private async isNoneCompleted(part: Part): Promise<boolean> {
		const { list, goOn } = this.asking;
		const { edge, known } = this.paged;
		if (unseenIncomplete(known, part.records) === 0) return true;
		if (!goOn()) return false;
		const incomplete = await list({ isIncomplete: true, isEnough: () => true });
		this.others = incomplete.records;
		return provesIncomplete(edge, known, part, { pages: [], ...incomplete });
	}

	private end({ records, pages = [] }: PollListing): PollListing {
		const { edge } = this.paged;
		const moved = this.step === 'proven' ? movedEdge(edge, { records, pages }) : undefined;
		const short = { edge: moved ?? { ...edge, isDoubtful: true } };
		return { records: [...records, ...this.others], complete: false, short };
	}
}

/** A listing that has become shorter has no such page any more, and some services say so by an error. */
function gone(error: unknown): PollListing {
	if (failureOf(error)?.cause !== 'configuration-invalid') throw error;
	return { records: [], complete: true };
}

/** By what the next poll of a form can be a short one. */
export function pagedFor(
	{ paged, backlog }: FormMemory,
	known: KnownResponses | undefined,
): Paged | undefined {
	if (paged === undefined || paged.known !== known || backlog.length > 0) return undefined;
	return fits(paged.edge, paged.known) ? paged : undefined;
}

/** After a poll that should have read all pages and did not: what is new is still to be seen on one. */
export function inDoubt({ paged }: Pick<FormMemory, 'paged'>): Paged | undefined {
	return paged && { ...paged, edge: { ...paged.edge, isDoubtful: true } };
}

/**
 * What a poll leaves for the next one.
 *
 * @param isFresh whether the listing was just read; else it is what an earlier poll had no room for
 */
export function pagedAfter(
	{ paged }: FormMemory,
	listing: PollListing,
	{ before, after, isFresh }: { before?: KnownResponses; after: KnownResponses; isFresh: boolean },
): Paged | undefined {
	const { records, pages = [], complete, short } = listing;
	const whole = () =>
		complete ? edgeOf({ records, pages }, before, paged?.edge) : inDoubt({ paged })?.edge;
	const next = isFresh ? (short === undefined ? whole() : short.edge) : paged?.edge;
	return next && { edge: next, known: after };
}
