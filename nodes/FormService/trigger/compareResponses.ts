import { groupBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { getCreationTimeMs, sortByTime } from '../api/recordTimes';
import { parseBoolean } from '../api/parseValues';
import { getComparableId } from '../api/records';
import type { ResponseEvent, TriggerEvent } from '../parameters/triggerEvents';
import {
	computeAnswersFingerprint,
	computeFingerprint,
	formatEntry,
	haveAnswersChanged,
	parseEntry,
	type SeenResponses,
	type SeenResponse,
} from './seenResponses';
import type { FetchedPage } from './fetchSlice';
import type { FormState } from './triggerState';

/** Which listed responses are events. Pure. */

/** What decides what is an event. */
export type ComparisonRules = Readonly<{
	events: readonly TriggerEvent[];
	/** After this time, a response that is still incomplete is abandoned. */
	abandonedAfterMs: number;
	/** What existed before the form was watched, in the service's time. */
	baseline?: FormState['baseline'];
}>;

/** An event of a response. */
export type DetectedEvent = {
	event: ResponseEvent;
	record: IDataObject;
	fingerprint: string;
	/** What is known of the response once n8n has the event, see `formatEntry`. */
	after: string;
	/** Where the event was found. */
	page: FetchedPage;
};

/** What the pages of one reading have shown so far. */
export type Comparison = {
	readonly before: SeenResponses;
	/** What else is known then, without the events: each event is known once n8n has it. */
	readonly changes: Map<string, string>;
	/** The events by fingerprint, in the order of the pages. */
	readonly found: Map<string, DetectedEvent>;
};

export function startComparison(before: SeenResponses): Comparison {
	return { before, changes: new Map(), found: new Map() };
}

/**
 * Compares one more page. Each response gives each event once, however often, in whatever order and on
 * however many pages it is listed: `responseCompleted` if it is complete and was not known to be;
 * `responseStarted` if it is new and incomplete; `responseAbandoned` if it has been incomplete for long
 * enough when its page was sent; `responseUpdated` if its answers changed. A response has one event at a
 * time; later readings find the others.
 */
export function comparePage(
	{ before, changes, found }: Comparison,
	page: FetchedPage,
	rules: ComparisonRules,
): void {
	for (const record of page.records) {
		const fingerprint = computeFingerprint(getComparableId(record)!);
		// later pages list again what has moved while the pages were read
		if (found.has(fingerprint)) continue;
		const entry = changes.get(fingerprint) ?? before.get(fingerprint);
		const { event, after } = compareRecord(record, page.readAtMs, entry, rules);
		if (event !== undefined && rules.events.includes(event)) {
			found.set(fingerprint, { event, record, fingerprint, after, page });
		} else if (after !== entry) changes.set(fingerprint, after);
	}
}

/** @param entry what is known of the response; undefined if it is unknown */
function compareRecord(
	record: IDataObject,
	readAtMs: number,
	entry: string | undefined,
	rules: ComparisonRules,
): { event?: ResponseEvent; after: string } {
	const was = entry === undefined ? undefined : parseEntry(entry);
	const isSilent = was === undefined && isExisting(record, rules.baseline);
	const standing = was?.kind ?? (isSilent ? 'seen' : 'new');
	const step = advance(record, readAtMs, standing, rules);
	const answers = rules.events.includes('responseUpdated')
		? (computeAnswersFingerprint(record) ?? was?.answers)
		: undefined;
	const isUpdate = haveAnswersChanged(was?.answers, answers);
	return {
		event: step.event ?? (isUpdate ? 'responseUpdated' : undefined),
		after: formatEntry({ ...step.after, answers }),
	};
}

/** `is_incomplete` (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return parseBoolean(value) === true;
}

/**
 * Whether an unknown response existed before its form was watched and starts nothing. Without a time, it
 * existed, and is older than any date.
 */
function isExisting(record: IDataObject, baseline: ComparisonRules['baseline']): boolean {
	if (baseline === undefined) return false;
	const { sinceMs, emitSinceMs = Infinity } = baseline;
	const createdAtMs = getCreationTimeMs(record) ?? -Infinity;
	return createdAtMs < sinceMs && emitSinceMs !== 0 && createdAtMs < emitSinceMs;
}

/** An event, if there is one, and what is known of the response from then on. */
type Step = { event?: ResponseEvent; after: SeenResponse };

/** What is known of a response; `seen` if it existed before, `new` if it is new. */
type Standing = SeenResponse['kind'] | 'seen' | 'new';

/** What happens to a listed response, but for its answers. */
function advance(
	record: IDataObject,
	readAtMs: number,
	standing: Standing,
	{ events, abandonedAfterMs }: ComparisonRules,
): Step {
	if (!isIncomplete(record)) {
		const isNews = standing !== 'seen' && standing !== 'complete';
		return { event: isNews ? 'responseCompleted' : undefined, after: { kind: 'complete' } };
	}
	if (standing === 'complete' || standing === 'abandoned') return { after: { kind: standing } };
	const isStart = standing === 'new' && events.includes('responseStarted');
	const event = isStart ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, after: { kind: 'incomplete' } };
	// without a time, nobody knows how long it has been incomplete
	const isAbandoned = readAtMs >= (getCreationTimeMs(record) ?? Infinity) + abandonedAfterMs;
	if (isStart || !isAbandoned) return { event, after: { kind: 'waiting' } };
	// what was abandoned before the trigger began, or before the event was chosen, starts nothing
	const isNews = standing === 'new' || standing === 'waiting';
	return { event: isNews ? 'responseAbandoned' : undefined, after: { kind: 'abandoned' } };
}

/** Whether a page ends with a response that was known before this reading. */
export function endsWithSeen({ records }: FetchedPage, { before }: Comparison): boolean {
	const last = records.at(-1);
	return last !== undefined && before.has(computeFingerprint(getComparableId(last)!));
}

/**
 * Events in the order of their pages, so that only the last pages have to be read again for what has no
 * room. Oldest first within a page.
 */
export function sortEventsByPage(events: readonly DetectedEvent[]): DetectedEvent[] {
	const byPage = groupBy(events, ({ page }) => page.pagesBefore);
	return Object.values(byPage).flatMap((ofPage) => sortByTime(ofPage, 'oldest'));
}

/**
 * What is known once n8n has all events but these.
 *
 * @returns the same map if nothing has changed
 */
export function applyComparison(
	{ before, changes, found }: Comparison,
	left: ReadonlySet<DetectedEvent>,
): SeenResponses {
	const taken = [...found.values()].filter((one) => !left.has(one));
	if (changes.size === 0 && taken.length === 0) return before;
	const known = new Map([...before, ...changes]);
	for (const { fingerprint, after } of taken) known.set(fingerprint, after);
	return known;
}
