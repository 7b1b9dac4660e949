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
	type Phase,
	type SeenResponse,
	type SeenResponses,
} from './seenResponses';

/** Which listed responses are events. */

/** The rules by which responses become events. */
export type ComparisonRules = Readonly<{
	events: readonly TriggerEvent[];
	/** After this time, a response that is still incomplete is abandoned. */
	abandonedAfterMs: number;
	/** The boundary between existing and new responses. */
	baseline?: FormState['baseline'];
}>;

/** An event of a response. */
export type DetectedEvent = Readonly<{
	event: ResponseEvent;
	record: IDataObject;
	fingerprint: Fingerprint;
	/** The seen response to save after n8n has received the event. */
	seenAfter: SeenResponse;
	/** The page with the response. */
	page: FetchedPage;
}>;

/** The largest difference between two clocks that are set by time servers, with times cut to seconds. */
const LAST_READ_TOLERANCE_MS = 2_000;

/** Compares the pages of one reading with the seen responses, and collects events and changes. */
export class Comparison {
	/** The changed responses without an event. */
	private readonly updates = new Map<Fingerprint, SeenResponse>();
	private readonly detected = new Map<Fingerprint, DetectedEvent>();

	/** @param seen the seen responses before the reading */
	constructor(private readonly seen: SeenResponses) {}

	/** The events before filters, in the order of the pages. */
	get events(): DetectedEvent[] {
		return [...this.detected.values()];
	}

	/**
	 * Compares the records of a page. Detects each event once, even if pages repeat the response. Detects at most
	 * one event per response; later readings detect the others.
	 */
	addRecords(page: FetchedPage, records: readonly IDataObject[], rules: ComparisonRules): void {
		for (const record of records) {
			const fingerprint = computeFingerprint(getComparableId(record)!);
			// a response that moves while pages are read is listed a second time
			if (this.detected.has(fingerprint)) continue;
			const before = this.updates.get(fingerprint) ?? this.seen.get(fingerprint);
			const { event, seenAfter } = compareResponse(record, page.servedAtMs, before, rules);
			// a change without a chosen event is seen at once, an event only after its delivery
			if (event !== undefined && rules.events.includes(event)) {
				this.detected.set(fingerprint, { event, record, fingerprint, seenAfter, page });
			} else if (!isUnchanged(before, seenAfter)) this.updates.set(fingerprint, seenAfter);
		}
	}

	/**
	 * Whether no later page can have a new response, in a list sorted newest first. The page must end with a
	 * response that was seen before the reading. Pages can have responses of the same second in any order. So new
	 * responses can still follow if that second is as late as the last reading, or if this reading has found new
	 * responses of that second.
	 *
	 * @param lastReadMs when the form was last read, in the service's time
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
	 * Returns the seen responses after n8n has got all events except the undelivered events. Returns the same map
	 * if nothing has changed.
	 */
	computeSeen(undelivered: readonly DetectedEvent[]): SeenResponses {
		const excluded = new Set(undelivered);
		const delivered = this.events.filter((event) => !excluded.has(event));
		if (this.updates.size === 0 && delivered.length === 0) return this.seen;
		const seen = new Map([...this.seen, ...this.updates]);
		for (const { fingerprint, seenAfter } of delivered) seen.set(fingerprint, seenAfter);
		return seen;
	}
}

/**
 * Sorts events by their pages, so that only the last pages have to be read again for undelivered events. The
 * oldest event is first within a page.
 */
export function sortEventsByPage(events: readonly DetectedEvent[]): DetectedEvent[] {
	return sortBy(sortByTime(events, 'oldest'), ({ page }) => page.pagesBefore);
}

/** Whether a response is incomplete, by `is_incomplete` (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return parseBoolean(value) === true;
}

/** @param before the seen response; undefined if the response is unseen */
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

/** Returns the answers of a completed response. The answers of an unfinished response do not count. */
function findAnswers(record: IDataObject): AnswersFingerprint | undefined {
	return isIncomplete(record) ? undefined : computeAnswersFingerprint(record);
}

/**
 * Whether an unseen response is an existing one that starts nothing. A response without a time is existing
 * until the first pass is over, and older than any date.
 */
function isExistingResponse(record: IDataObject, baseline: ComparisonRules['baseline']): boolean {
	if (baseline === undefined) return false;
	const { sinceMs, backfill, isFirstPassOver } = baseline;
	if (backfill === 'all') return false;
	const createdAtMs = getCreationTimeMs(record) ?? (isFirstPassOver ? Infinity : -Infinity);
	return createdAtMs < Math.min(sinceMs, backfill?.sinceMs ?? Infinity);
}

/** An event, if there is one, and the phase of the response from then on. */
type Transition = { event?: ResponseEvent; phaseAfter: Phase };

/**
 * Computes the event of a listed response, and its next phase, apart from its answers:
 *
 * - `responseCompleted`: the response is complete, and was neither complete nor existing before
 * - `responseStarted`: the response is new and incomplete
 * - `responseAbandoned`: the response had been incomplete for long enough when its page was sent
 */
function computeTransition(
	record: IDataObject,
	servedAtMs: number,
	before: Phase | 'existing' | 'new',
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
	// a response that was abandoned before the trigger started, or before the event was chosen, starts nothing
	const isNewEvent = before === 'new' || before === 'waiting';
	return { event: isNewEvent ? 'responseAbandoned' : undefined, phaseAfter: 'abandoned' };
}
