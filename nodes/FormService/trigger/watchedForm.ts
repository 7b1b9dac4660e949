import type { FormField } from '../api/answers/fields';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { NotSent } from '../api/errors';
import { MAX_PAGES } from '../api/replies/list';
import type { PagePosition } from '../api/replies/list';
import {
	addRequests,
	addResponses,
	computeCapacity,
	computeMaxRequests,
	EMPTY_BUCKET,
	isEmpty,
	isNewestDue,
	NO_RATE,
} from './budget';
import type { Bucket, Demand, Rate } from './budget';
import type { Comparison } from './compare';
import { HEALTHY, isBackOffOver, isRetryWanted } from './health';
import type { AccountHealth, Failing } from './health';
import { isKnown } from './knowledge';
import type { Known, NewestEnd, SavedPosition } from './knowledge';
import {
	findNewest,
	findNewestEnd,
	followTrends,
	MIN_PAGES,
	moveNewestEnd,
	readPart,
} from './reading';
import type { Part, ReadContext, Trends } from './reading';

/**
 * What the process remembers of one form: when it is due, and where the reading of its responses stands.
 * Only this file writes it, but for the health.
 */
export type WatchedForm = Failing & {
	readonly id: string;
	/** Its deliveries fail apart from its readings. */
	readonly delivery: Failing;
	/** Its part in the requests of the account; undefined before its first poll. */
	demand?: Demand;
	/** Its requests, and those for its newest pages alone. */
	buckets: Readonly<Record<Scope, Bucket>>;
	/**
	 * The `first` attempt to read a form comes on top of Requests per Day. After a restart, a form that is
	 * known is read at once, but only a few pages.
	 */
	stage: 'first' | 'restarted' | 'regular';
	position: Position;
	rate: Rate;
	/** The turn of its last reading: the lowest number comes first. */
	readTurn: number;
	/** Its fields as they were last read, and when that was last tried. */
	fields?: FieldsRead;
};

/** What a reading is of: all pages, or those with the newest responses. */
export type Scope = 'whole' | 'newest';

/** Where the reading of a list stands. */
type Position = {
	/** Undefined if the list has no order, or if it is to be read whole next. */
	newestEnd?: NewestEnd;
	/** The reading of all pages that is under way. */
	whole?: WholeReading;
	/** How many pages come before the page that could not be read last. */
	failedAfter?: number;
};

type WholeReading = {
	next?: PagePosition;
	/** Whether the page there could not be read once; the second time, the reading begins again. */
	hasFailed: boolean;
	/** The process before began the reading: it does not show what is missing. */
	isResumed?: boolean;
	/** The fingerprints of all responses that were read since the reading began. */
	listed: Set<string>;
	trends?: Trends;
	hasFoundExisting: boolean;
};

export type FieldsRead = {
	fields: readonly FormField[];
	triedAtMs: number;
	/** Whether answers belonged to none of them even so. */
	isUnmatched: boolean;
};

/**
 * @param isKnown whether the trigger knows its responses, from an earlier process
 * @param saved where the reading stood then
 */
export function createWatchedForm(
	id: string,
	isKnown: boolean,
	saved: SavedPosition = {},
): WatchedForm {
	const { newestEnd, next } = saved;
	const begun = { hasFailed: false, listed: new Set<string>(), hasFoundExisting: true };
	const whole = next && { ...begun, next, isResumed: true };
	return {
		id,
		health: HEALTHY,
		delivery: { health: HEALTHY },
		buckets: { whole: EMPTY_BUCKET, newest: EMPTY_BUCKET },
		stage: isKnown ? 'restarted' : 'first',
		position: { newestEnd, whole },
		rate: NO_RATE,
		readTurn: 0,
	};
}

/** Takes note of the form's part in the requests of the account. */
export function setDemand(form: WatchedForm, demand: Demand): void {
	form.demand = demand;
}

/** Takes note of how many responses have started the workflow. */
export function addDelivered(form: WatchedForm, responses: number, nowMs: number): void {
	form.rate = addResponses(form.rate, responses, nowMs);
}

/** The fields are read again if they are needed next. */
export function setFields(form: WatchedForm, fields: FieldsRead | undefined): void {
	form.fields = fields;
}

/** The form pays for requests that its responses need. */
export function addFormRequests(form: WatchedForm, requests: number): void {
	const add = (bucket: Bucket) => ({ ...bucket, requests: bucket.requests + requests });
	form.buckets = { whole: add(form.buckets.whole), newest: add(form.buckets.newest) };
}

/**
 * What is read of a form now: the whole list, the pages with the newest responses, or nothing, since the
 * requests of the last reading take up their time or failures are waited out.
 *
 * @param isPublished whether a person who publishes the workflow waits for what has failed
 * @param isWanted whether that person is to see what the conditions find
 */
export function decideScope(
	form: WatchedForm,
	account: AccountHealth,
	spacingMs: number,
	isPublished: boolean,
	isWanted: boolean,
): Scope | undefined {
	const { buckets, position, stage } = form;
	const nowMs = clock.now();
	const isRetry = isPublished && isRetryWanted([form, account], nowMs);
	const hasWaited = (isWhole: boolean) =>
		[form, account].every((one) => isBackOffOver(one, spacingMs, nowMs, isWhole));
	if (!isRetry && !hasWaited(false)) return undefined;
	if (stage === 'first') return 'whole';
	const first = position.newestEnd === undefined ? 'whole' : 'newest';
	if (stage === 'restarted') return first;
	// where few requests are left for each form, the two take turns
	const isNewestNext = first === 'newest' && buckets.newest.filledAtMs < buckets.whole.filledAtMs;
	const isWholeAllowed = isRetry || hasWaited(true);
	if (isEmpty(buckets.whole, spacingMs, nowMs) && !isNewestNext && isWholeAllowed) return 'whole';
	const isDue = first === 'newest' && isNewestDue(buckets.whole, buckets.newest, spacingMs, nowMs);
	return isDue || isRetry || isWanted ? first : undefined;
}

/** The most pages of the first reading after a restart. */
const RESTART_PAGES = 3;

/** Reads a part of the form's list, and counts the requests, whether the reading is good or not. */
export async function readForm(
	context: ReadContext,
	form: WatchedForm,
	scope: Scope,
	{ spacingMs, known, turn }: { spacingMs: number; known: Known; turn: number },
): Promise<Part> {
	const { buckets, stage, position } = form;
	const startedAtMs = clock.now();
	const { newestEnd, whole } = position;
	const max = computeMaxRequests(buckets.whole, scope, spacingMs, startedAtMs);
	const limits = { first: MAX_PAGES, restarted: RESTART_PAGES, regular: max };
	// without the page after the last known one, the next reading would start at the same page
	const min = newestEnd?.newest === 'last' ? 2 : 1;
	const from = scope === 'whole' ? whole?.next : newestEnd?.start;
	const isToKnown = scope === 'newest' && newestEnd?.newest === 'first';
	const part = await readPart(
		context,
		createTarget(context.request.account, endpoints.listResponses, { formId: form.id }),
		{
			from,
			maxRequests: Math.max(limits[stage], min),
			isEnough: isToKnown ? ({ records }) => isKnown(records.at(-1), known) : undefined,
			needsIdentity: true,
		},
	);
	const { requests, isEnd, error } = part;
	// a restart must not bring the requests of a long list again and again
	const isLong = stage === 'restarted' && part.pages.length > 0 && !(scope === 'whole' && isEnd);
	// the first attempt is on top, as far as it leaves no room for others
	const room = from === undefined ? max : max - 1;
	const own = stage === 'first' ? Math.min(requests, room) : requests;
	const counted = isLong ? computeCapacity(spacingMs) : own;
	const filled = addRequests(buckets.whole, counted, spacingMs, startedAtMs);
	const newest = { filledAtMs: startedAtMs, requests };
	// a whole reading from the first page on has the new responses as well
	const isNewest = scope === 'newest' || from === undefined;
	form.buckets = {
		whole: filled,
		newest:
			!isNewest || requests === 0
				? buckets.newest
				: scope === 'newest'
					? newest
					: { ...newest, requests: 1 },
	};
	form.readTurn = turn;
	if (stage === 'restarted' && !(error instanceof NotSent)) form.stage = 'regular';
	return part;
}

/** What a reading has come to, once its pages are compared. */
export type Ended = {
	/** The fingerprints that a reading of the whole list found, if it has ended. */
	listed?: ReadonlySet<string>;
	isOnePage?: boolean;
	hasFoundExisting?: boolean;
	/** Whether a reading has ended that the process before began. */
	isResumed?: boolean;
	/** Whether a page has come that could not be read before. */
	hasRecovered?: boolean;
	/** Whether the failure is none: a list that became shorter has no such page any more. */
	isForgiven?: boolean;
};

/** Takes note of where the reading goes on. */
export function moveOn(
	form: WatchedForm,
	scope: Scope,
	part: Part,
	comparison: Comparison,
	known: Known,
): Ended {
	const { listed } = comparison;
	if (scope === 'whole') {
		const ended = moveWhole(form, part, comparison);
		// a page that could not be read once does not end the first attempt
		const goesOn = form.position.whole !== undefined || part.error instanceof NotSent;
		if (!goesOn) form.stage = 'regular';
		return ended;
	}
	for (const fingerprint of listed.keys()) form.position.whole?.listed.add(fingerprint);
	const newestEnd = form.position.newestEnd!;
	const isWholeList = newestEnd.newest === 'first' && newestEnd.start === undefined && part.isEnd;
	if (isWholeList) {
		form.position = { newestEnd };
		return moveWhole(form, part, comparison);
	}
	const moved = moveNewestEnd(newestEnd, part, listed.values(), known);
	// what does not fit the order can be anywhere
	form.position = moved === undefined ? {} : { ...form.position, newestEnd: moved };
	return { isForgiven: moved === undefined && part.pages.length === 0 };
}

function moveWhole({ position }: WatchedForm, part: Part, comparison: Comparison): Ended {
	const { pages, isEnd, next, error } = part;
	const { whole: before, newestEnd } = position;
	const last = pages.at(-1);
	// the order of a short list is of no use, and finding it takes as long as a comparison
	const needsOrder = !isEnd || (last?.pagesBefore ?? 0) + 1 >= MIN_PAGES;
	const whole = addPart(before, comparison, needsOrder);
	position.whole = undefined;
	if (isEnd && whole.isResumed) return { isResumed: true };
	if (isEnd) {
		position.newestEnd = last && findNewestEnd(whole.trends, last);
		const { listed, hasFoundExisting } = whole;
		return { listed, isOnePage: last?.pagesBefore === 0, hasFoundExisting };
	}
	// where a page holds up the whole reading, the newest responses are read by themselves
	const isHeldUp = error !== undefined && findNewest(whole.trends) === 'first';
	if (newestEnd === undefined && isHeldUp) position.newestEnd = { newest: 'first' };
	const pagesBefore = before?.next?.pagesBefore ?? -1;
	const hasAdvanced = last !== undefined && last.pagesBefore > pagesBefore;
	const isPageError = error !== undefined && !(error instanceof NotSent);
	const readPages = last === undefined ? pagesBefore : last.pagesBefore + 1;
	const hasRecovered = position.failedAfter !== undefined && readPages > position.failedAfter;
	if (isPageError) position.failedAfter = readPages;
	else if (hasRecovered) position.failedAfter = undefined;
	const hasFailed = whole.hasFailed && !hasAdvanced;
	const isGivenUp = isPageError && hasFailed;
	if (next !== undefined && !isGivenUp) {
		position.whole = { ...whole, next, hasFailed: isPageError || hasFailed };
	}
	return { hasRecovered };
}

/** A reading of the whole list with the responses of another part. */
function addPart(
	whole: WholeReading | undefined,
	{ listed, hasFoundExisting }: Comparison,
	needsOrder: boolean,
): WholeReading {
	const before = whole ?? { hasFailed: false, listed: new Set<string>(), hasFoundExisting: false };
	const unseen = [...listed].filter(([fingerprint]) => !before.listed.has(fingerprint));
	const records = unseen.map(([, record]) => record);
	const trends = needsOrder ? followTrends(before.trends, records) : before.trends;
	for (const [fingerprint] of unseen) before.listed.add(fingerprint);
	const hasFound = before.hasFoundExisting || hasFoundExisting;
	return { ...before, trends, hasFoundExisting: hasFound };
}
