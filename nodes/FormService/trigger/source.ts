import type { Version } from '../api/request/request';
import type { Asked, Dependencies, Trigger } from './dependencies';
import type { PollListing } from './diff';
import type { Edge } from './edge';
import type { FormMemory } from './memory';
import type { PollState } from './pollState';
import { pagedFor, ShortPoll } from './shortPoll';

/** In place of a form's ID: the list of all forms. */
export const LIST = '';

const IN_DOUBT =
	"something else than new responses has changed. All pages are read as soon as 'Requests per Day' lets them; new responses are delivered until then too.";

/** What is to be read: the responses of a form, or the list of forms. */
export type Source = {
	/** The form's ID, or LIST. */
	of: string;
	memory: FormMemory;
	/** Whether the trigger has yet to begin with it: what comes before is not delivered. */
	isFirst: boolean;
	/** Nobody is told when it fails. */
	isOptional?: boolean;
	/** The edge of its listing, where that can be read by a short poll. */
	edge?: Edge;
	request(scope: PollScope): Promise<PollListing>;
};

/** What a poll is to read, and what it may send. */
export type PollScope = {
	isShort: boolean;
	/** Asked before each request but the first. */
	goOn(): boolean;
	/** Whether a short poll may go on to all pages. */
	mayBeWhole(): boolean;
};

type Poll = { known: PollState; trigger: Trigger; deps: Dependencies };

/** The responses of a form, by a short poll where its listing can be read so. */
export function sourceOf(id: string, memory: FormMemory, poll: Poll): Source {
	const responses = poll.known.responsesOf(id);
	const paged = pagedFor(memory, responses);
	const request = async ({ isShort, goOn, mayBeWhole }: PollScope) => {
		const list = async (asked: Asked) => await poll.deps.listResponses(id, goOn, asked);
		if (!isShort || !paged) return await list({ known: lastVersion(id, memory, poll) });
		const listing = await new ShortPoll(paged, { list, goOn, mayBeWhole }).read();
		const isInDoubt = listing.short !== undefined && listing.short.edge?.isDoubtful !== false;
		if (isInDoubt && !paged.edge.isDoubtful) poll.deps.log.info(`Form ${id}: ${IN_DOUBT}`);
		return listing;
	};
	return { of: id, memory, isFirst: responses === undefined, edge: paged?.edge, request };
}

/** The version of the last listing, if the same again would change nothing. */
function lastVersion(
	id: string,
	{ last, backlog }: FormMemory,
	{ known, trigger, deps }: Poll,
): Version | undefined {
	const isCurrent = last !== undefined && known.responsesOf(id) === last.known;
	if (!isCurrent || known.hasLeft || backlog.length > 0) return undefined;
	const isInTime = deps.now() < last.known.changesAt(trigger.abandonedAfterMs);
	return isInTime ? last.version : undefined;
}
