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
import { FAILURES_UNTIL_REPORTED, HEALTHY, isBackOffOver, isRetryWanted } from './health';
import type { AccountHealth, Failing } from './health';
import { isKnown } from './knowledge';
import type { Known, SavedPosition } from './knowledge';
import { createPosition, movePosition } from './position';
import type { Outcome, Position, Scope } from './position';
import { readPart } from './reading';
import type { Part, ReadContext } from './reading';

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
	/** How long it has for each of its requests, see `setSpacing`. */
	spacingMs: number;
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
	return {
		id,
		health: HEALTHY,
		delivery: { health: HEALTHY },
		spacingMs: Infinity,
		buckets: { whole: EMPTY_BUCKET, newest: EMPTY_BUCKET },
		stage: isKnown ? 'restarted' : 'first',
		position: createPosition(saved),
		rate: NO_RATE,
		readTurn: 0,
	};
}

/** Takes note of the form's part in the requests of the account. */
export function setDemand(form: WatchedForm, demand: Demand): void {
	form.demand = demand;
}

/** Whether a form keeps failing, so that others get most of its requests. */
export function isFailing({ health }: WatchedForm): boolean {
	return health.count >= FAILURES_UNTIL_REPORTED;
}

/**
 * Takes note of how long the form has for each of its requests. If it keeps failing, that is no longer than
 * before: what it has sent must not delay the attempt that shows that it works again.
 */
export function setSpacing(form: WatchedForm, spacingMs: number): void {
	form.spacingMs = isFailing(form) ? Math.min(form.spacingMs, spacingMs) : spacingMs;
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
	isPublished: boolean,
	isWanted: boolean,
): Scope | undefined {
	const { buckets, position, stage, spacingMs } = form;
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

/** Reads a part of the form's list, and counts the requests. */
export async function readForm(
	context: ReadContext,
	form: WatchedForm,
	scope: Scope,
	{ known, turn }: { known: Known; turn: number },
): Promise<Part> {
	const { buckets, stage, position, spacingMs } = form;
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
	form.buckets = countRequests(form, scope, part, { from, max, startedAtMs });
	form.readTurn = turn;
	if (stage === 'restarted' && !(part.error instanceof NotSent)) form.stage = 'regular';
	return part;
}

type Reading = { from?: PagePosition; max: number; startedAtMs: number };

/** The requests of a form after a reading, whether it was good or not. */
function countRequests(
	{ buckets, stage, spacingMs }: WatchedForm,
	scope: Scope,
	{ requests, pages, isEnd, error }: Part,
	{ from, max, startedAtMs }: Reading,
): Record<Scope, Bucket> {
	// a restart must not bring the requests of a long list again and again
	const hasMore = scope === 'newest' || (!isEnd && error === undefined);
	const isLong = stage === 'restarted' && pages.length > 0 && hasMore;
	// the first attempt is on top, as far as it leaves no room for others
	const room = from === undefined ? max : max - 1;
	const own = stage === 'first' ? Math.min(requests, room) : requests;
	const counted = isLong ? computeCapacity(spacingMs) : own;
	const whole = addRequests(buckets.whole, counted, spacingMs, startedAtMs);
	// a whole reading from the first page on has the new responses as well
	const isNewest = scope === 'newest' || from === undefined;
	if (!isNewest || requests === 0) return { whole, newest: buckets.newest };
	return {
		whole,
		newest: {
			filledAtMs: startedAtMs,
			requests: scope === 'newest' ? requests : 1,
			spacingMs,
		},
	};
}

/** Takes note of where the reading goes on after the part was compared. */
export function updatePosition(
	form: WatchedForm,
	scope: Scope,
	part: Part,
	comparison: Comparison,
	known: Known,
): Outcome {
	const { position, outcome } = movePosition(form.position, scope, part, comparison, known);
	form.position = position;
	// a page that could not be read once does not end the first attempt
	const isUnfinished = position.whole !== undefined || part.error instanceof NotSent;
	if (scope === 'whole' && !isUnfinished) form.stage = 'regular';
	return outcome;
}
