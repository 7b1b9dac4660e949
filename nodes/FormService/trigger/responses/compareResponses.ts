import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseBoolean } from '../../api/parseValues';
import { getCreationTimeMs, sortByTime } from '../../api/recordTimes';
import { getComparableId } from '../../api/records';
import type { ResponseEvent, TriggerEvent } from '../../parameters/triggerEvents';
import type { FetchedPage } from '../fetchList';
import {
	computeAnswersFingerprint,
	computeFingerprint,
	haveAnswersChanged,
	type AnswersFingerprint,
	type Fingerprint,
} from '../fingerprints';
import type { FormState } from '../triggerState';
import {
	createSeenResponse,
	isUnchanged,
	type ResponsePhase,
	type SeenResponse,
	type SeenResponses,
} from './seenResponses';

/* Decides which responses in a list have an event. An event can start the workflow. */

/** The rules that decide which responses have an event. */
export type ComparisonRules = Readonly<{
	events: readonly TriggerEvent[];
	/** The age at which an incomplete response counts as abandoned, in milliseconds since its creation. */
	abandonedAfterMs: number;
	/** Decides which unseen responses are new. Undefined if all unseen responses are new. */
	baseline?: FormState['baseline'];
}>;

/** An event of a response. */
export type DetectedEvent = Readonly<{
	event: ResponseEvent;
	record: IDataObject;
	fingerprint: Fingerprint;
	/** What the trigger records about the response after n8n has received the event. */
	seenAfter: SeenResponse;
	/** The page that has the response. */
	page: FetchedPage;
}>;

/**
 * How long before the last reading a response must be created to be clearly older. If a time server sets the
 * clocks of this machine and of the service, the clocks differ by less than this time.
 */
const LAST_READ_TOLERANCE_MS = 2_000;

/**
 * Compares the pages of one reading with the seen responses. A seen response is a response that the trigger has
 * recorded. Collects the events, and the changed responses that have no event.
 */
export class Comparison {
	/** What the trigger will record about responses that have changed without an event. */
	private readonly updates = new Map<Fingerprint, SeenResponse>();
	private readonly detected = new Map<Fingerprint, DetectedEvent>();

	/** @param seen the seen responses before the reading */
	constructor(private readonly seen: SeenResponses) {}

	/** The events in the order of the pages, before filters apply. */
	get events(): DetectedEvent[] {
		return [...this.detected.values()];
	}

	/**
	 * Compares the records of a page with the seen responses. Detects at most one event of a response, even if
	 * several pages have the response. If the response has a second event, a later reading detects the second
	 * event.
	 */
	addRecords(page: FetchedPage, records: readonly IDataObject[], rules: ComparisonRules): void {
		for (const record of records) {
			const fingerprint = computeFingerprint(getComparableId(record)!);
			// a page can repeat a response that has moved while pages were read
			if (this.detected.has(fingerprint)) continue;
			const before = this.updates.get(fingerprint) ?? this.seen.get(fingerprint);
			const { event, seenAfter } = compareResponse(record, page.servedAtMs, before, rules);
			// a change that is not a chosen event is recorded at once; an event is recorded after its delivery
			if (event !== undefined && rules.events.includes(event)) {
				this.detected.set(fingerprint, { event, record, fingerprint, seenAfter, page });
			} else if (!isUnchanged(before, seenAfter)) this.updates.set(fingerprint, seenAfter);
		}
	}

	/**
	 * Whether this reading has already found all new responses of a list that is sorted newest first. False if
	 * the last response of the page is unseen. A seen last response is not enough in two cases, because responses
	 * of the same second can have any order:
	 *
	 * - The response is not clearly older than the last reading.
	 * - The page or the events have an unseen response with the same creation time.
	 *
	 * True if a seen last response has no creation time.
	 *
	 * @param lastReadMs when the form was last read, by the service's clock
	 */
	endsWithSeen({ records }: FetchedPage, lastReadMs: number): boolean {
		const last = records.at(-1);
		if (last === undefined || !this.isSeen(last)) return false;
		const timeMs = getCreationTimeMs(last);
		if (timeMs === undefined) return true;
		if (timeMs >= lastReadMs - LAST_READ_TOLERANCE_MS) return false;
		const candidates = [...records, ...this.events.map(({ record }) => record)];
		return candidates.every(
			(record) => getCreationTimeMs(record) !== timeMs || this.isSeen(record),
		);
	}

	private isSeen(record: IDataObject): boolean {
		return this.seen.has(computeFingerprint(getComparableId(record)!));
	}

	/**
	 * Returns the seen responses after n8n has received all events except `undelivered`. If nothing has changed,
	 * returns the same map.
	 */
	computeSeen(undelivered: readonly DetectedEvent[]): SeenResponses {
		const excluded = new Set(undelivered.map(({ fingerprint }) => fingerprint));
		const delivered = this.events.filter(({ fingerprint }) => !excluded.has(fingerprint));
		if (this.updates.size === 0 && delivered.length === 0) return this.seen;
		const seen = new Map([...this.seen, ...this.updates]);
		for (const { fingerprint, seenAfter } of delivered) seen.set(fingerprint, seenAfter);
		return seen;
	}
}

/**
 * Sorts events by page, and the events of a page from the oldest to the newest. The poll delivers the first
 * events. Undelivered events are then on the last pages, so a later poll must read only the last pages again.
 */
export function sortEventsByPage(events: readonly DetectedEvent[]): DetectedEvent[] {
	return sortBy(sortByTime(events, 'oldest'), ({ page }) => page.pagesBefore);
}

/** Whether a response is incomplete (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return parseBoolean(value) === true;
}

/**
 * Compares a response with its saved state. Returns the next state to save, and the event, if there is one.
 *
 * @param before the saved state; undefined if the response is unseen
 */
function compareResponse(
	record: IDataObject,
	servedAtMs: number,
	before: SeenResponse | undefined,
	rules: ComparisonRules,
): { event?: ResponseEvent; seenAfter: SeenResponse } {
	const phase = before?.phase ?? (isExistingResponse(record, rules.baseline) ? 'existing' : 'new');
	const transition = computeTransition(record, servedAtMs, phase, rules);
	const answersBefore = before?.phase === 'complete' ? before.answers : undefined;
	const answers = rules.events.includes('responseUpdated')
		? (findAnswers(record) ?? answersBefore)
		: undefined;
	const isUpdate = haveAnswersChanged(answersBefore, answers);
	return {
		event: transition.event ?? (isUpdate ? 'responseUpdated' : undefined),
		seenAfter: createSeenResponse(transition.phaseAfter, answers),
	};
}

/** Returns the fingerprint of the answers of a complete response. Undefined for an incomplete response. */
function findAnswers(record: IDataObject): AnswersFingerprint | undefined {
	return isIncomplete(record) ? undefined : computeAnswersFingerprint(record);
}

/**
 * Whether an unseen response is an existing response that must not start the workflow. During the first pass of
 * the form, a response without a time counts as existing, and as older than any date. After the first pass,
 * such a response counts as new.
 */
function isExistingResponse(record: IDataObject, baseline: ComparisonRules['baseline']): boolean {
	if (baseline === undefined) return false;
	const { sinceMs, backfill, isFirstPassOver } = baseline;
	if (backfill === 'all') return false;
	const createdAtMs = getCreationTimeMs(record) ?? (isFirstPassOver ? Infinity : -Infinity);
	return createdAtMs < Math.min(sinceMs, backfill?.sinceMs ?? Infinity);
}

/** The event of a response, if there is one, and the phase of the response after the event, see `ResponsePhase`. */
type Transition = { event?: ResponseEvent; phaseAfter: ResponsePhase };

/**
 * Computes the event of a response and its next phase, without comparing its answers.
 *
 * - `responseCompleted`: the response is complete. In the last reading, the response was incomplete or did not
 *   exist.
 * - `responseStarted`: the response is new and incomplete.
 * - `responseAbandoned`: when the service sent the page, the response had been incomplete for
 *   `abandonedAfterMs` or longer.
 */
function computeTransition(
	record: IDataObject,
	servedAtMs: number,
	before: ResponsePhase | 'existing' | 'new',
	{ events, abandonedAfterMs }: ComparisonRules,
): Transition {
	if (!isIncomplete(record)) {
		const isNewEvent = before !== 'existing' && before !== 'complete';
		return { event: isNewEvent ? 'responseCompleted' : undefined, phaseAfter: 'complete' };
	}
	if (before === 'complete' || before === 'abandoned') return { phaseAfter: before };
	const isStart = before === 'new' && events.includes('responseStarted');
	const event = isStart ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, phaseAfter: 'incomplete' };
	// without a time, the age of an incomplete response is unknown
	const isAbandoned = servedAtMs >= (getCreationTimeMs(record) ?? Infinity) + abandonedAfterMs;
	if (isStart || !isAbandoned) return { event, phaseAfter: 'waiting' };
	// a response that was abandoned earlier than the trigger or the choice of this event starts nothing
	const isNewEvent = before === 'new' || before === 'waiting';
	return { event: isNewEvent ? 'responseAbandoned' : undefined, phaseAfter: 'abandoned' };
}
