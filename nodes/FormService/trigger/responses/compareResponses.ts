import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getCreationTimeMs, sortByTime } from '../../api/recordTimes';
import { getComparableId } from '../../api/records';
import type { ResponseEvent } from '../../parameters/triggerEvents';
import type { TimedPage } from '../fetchList';
import { computeFingerprint, type Fingerprint } from '../fingerprints';
import { detectEvent, type ResponseComparisonRules } from './detectEvent';
import { isUnchanged, type SeenResponse, type SeenResponses } from './seenResponses';

/* Compares lists with the seen responses, and collects the events. An event can start the workflow. */

/** A response event that a reading has detected. */
export type DetectedResponseEvent = Readonly<{
	event: ResponseEvent;
	record: IDataObject;
	fingerprint: Fingerprint;
	/** What the trigger records about the response after n8n has received the event. */
	nextSeen: SeenResponse;
	/** The page that has the response. */
	page: TimedPage;
}>;

/**
 * The maximum difference between the clocks of this machine and of the service, if time servers set the
 * clocks. A response is clearly older than the last reading if the response is older by more than this
 * difference.
 */
const LAST_READ_TOLERANCE_MS = 2_000;

/**
 * Compares the pages of one reading with the seen responses. A seen response is a response that the trigger has
 * recorded. Collects the events, and the changed responses that have no event.
 */
export class ResponseComparison {
	/** What the trigger will record about responses that have changed without an event. */
	private readonly updates = new Map<Fingerprint, SeenResponse>();
	private readonly detected = new Map<Fingerprint, DetectedResponseEvent>();

	/** @param seen the seen responses before the reading */
	constructor(private readonly seen: SeenResponses) {}

	/** The events in the order of the pages, before filters apply. */
	get events(): DetectedResponseEvent[] {
		return [...this.detected.values()];
	}

	/**
	 * Compares the records of a page with the seen responses. Detects at most one event for each response, even
	 * if several pages contain the response. A later reading detects the next event.
	 */
	addRecords(
		page: TimedPage,
		records: readonly IDataObject[],
		rules: ResponseComparisonRules,
	): void {
		for (const record of records) {
			const fingerprint = computeFingerprint(getComparableId(record)!);
			// a page can repeat a response that has moved while pages were read
			if (this.detected.has(fingerprint)) continue;
			const previousSeen = this.updates.get(fingerprint) ?? this.seen.get(fingerprint);
			const { event, nextSeen } = detectEvent(record, page.servedAtMs, previousSeen, rules);
			// a change that is not a chosen event is recorded immediately; an event is recorded after its delivery
			if (event !== undefined && rules.events.includes(event)) {
				this.detected.set(fingerprint, { event, record, fingerprint, nextSeen, page });
			} else if (!isUnchanged(previousSeen, nextSeen)) this.updates.set(fingerprint, nextSeen);
		}
	}

	/**
	 * Whether the pages so far contain all new responses of a list that is sorted newest first. True if the
	 * page ends with a seen response. If this response has a creation time, two more conditions apply, because
	 * responses of the same second can have any order:
	 *
	 * - The response is clearly older than the last reading, see `LAST_READ_TOLERANCE_MS`.
	 * - The page and the events so far contain no unseen response with the same creation time.
	 *
	 * @param lastReadMs when an earlier poll last read the form, by the service's clock
	 */
	endsWithSeen({ records }: TimedPage, lastReadMs: number): boolean {
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
	 * Returns the seen responses after the reading. Does not record responses with an event in `undelivered`, so that
	 * a later reading detects the events again. If nothing has changed, returns the map from before the reading.
	 */
	computeSeen(undelivered: readonly DetectedResponseEvent[]): SeenResponses {
		const excluded = new Set(undelivered.map(({ fingerprint }) => fingerprint));
		const delivered = this.events.filter(({ fingerprint }) => !excluded.has(fingerprint));
		if (this.updates.size === 0 && delivered.length === 0) return this.seen;
		const seen = new Map([...this.seen, ...this.updates]);
		for (const { fingerprint, nextSeen } of delivered) seen.set(fingerprint, nextSeen);
		return seen;
	}
}

/**
 * Sorts events by page, and the events of a page from the oldest to the newest. If the poll cannot deliver
 * all events, the undelivered events are on the last pages, so a later poll need not read the first pages
 * again.
 */
export function sortEventsByPage(
	events: readonly DetectedResponseEvent[],
): DetectedResponseEvent[] {
	return sortBy(sortByTime(events, 'oldest'), ({ page }) => page.pagesBefore);
}
