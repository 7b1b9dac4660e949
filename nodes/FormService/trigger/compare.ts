import type { IDataObject } from 'n8n-workflow';
import { readBoolean } from '../api/readers';
import { getIdentities } from '../api/records';
import type { ResponseEvent, TriggerEvent } from '../parameters/watched';
import { DAY_MS, MINUTE_MS } from './budget';
import {
	addExisting,
	addMissingDay,
	computeAnswersFingerprint,
	computeFingerprint,
	describeKnown,
	haveAnswersChanged,
	isEmitted,
	isInBaseline,
	readCreatedAtMs,
} from './knowledge';
import type { FormState, Known, KnownResponse } from './knowledge';
import type { PageRead } from './reading';

/** What a person set that decides what is an event. */
export type Rules = { events: readonly TriggerEvent[]; abandonedAfterMs: number };

/** An event of a response. */
export type FoundEvent = {
	event: ResponseEvent;
	record: IDataObject;
	fingerprint: string;
	/** What is known of the response once n8n has the event. */
	after: KnownResponse;
	/** The fingerprint by which the response was known, if it has another identity now. */
	former?: string;
	/** The response existed before the trigger watched the form: new responses go first. */
	isExisting: boolean;
};

export type Comparison = {
	/** What is known then, without the events: each is known once n8n has it, see `applyEvents`. */
	state: FormState;
	/** In the order of the pages. */
	found: FoundEvent[];
	/** All responses on the pages by fingerprint, each once, in the order of the pages. */
	listed: ReadonlyMap<string, IDataObject>;
	/** Whether one of the unknown responses existed before. */
	hasFoundExisting: boolean;
};

const NOTHING: Known = new Map();

/**
 * Compares pages with what is known of their form. Each response gives each event once, however often, in
 * whatever order and on however many pages it is listed: `responseCompleted` if it is complete and was not
 * known to be; `responseStarted` if it is new and incomplete; `responseAbandoned` if it has been
 * incomplete for long enough by the time at which its page was read; `responseUpdated` if its answers changed.
 *
 * @param waiting events that were found before and that n8n does not have yet, by fingerprint. A response
 * has one event at a time; only its completion replaces the one that waits. What is found of it meanwhile is
 * found again by a later reading.
 * @returns a state with the same `known` if nothing has changed, so that states can be compared by identity
 */
export function compareResponses(
	state: FormState,
	waiting: ReadonlyMap<string, FoundEvent>,
	pages: readonly PageRead[],
	rules: Rules,
): Comparison {
	const { known: before = NOTHING } = state;
	const found: FoundEvent[] = [];
	const changes: Change[] = [];
	const listed = listByFingerprint(before, waiting, pages);
	let { baseline } = state;
	let hasFoundExisting = false;
	for (const [fingerprint, one] of listed) {
		const { record, former } = one;
		const pending = waiting.get(fingerprint);
		const was = pending?.after ?? before.get(former ?? fingerprint);
		const isExisting = was === undefined && isInBaseline(record, baseline);
		hasFoundExisting ||= isExisting;
		baseline = isExisting ? baseline && addExisting(baseline, record) : baseline;
		const standing = was?.kind ?? (isExisting && !isEmitted(record, baseline) ? 'seen' : 'new');
		const answers = rules.events.includes('responseUpdated')
			? (computeAnswersFingerprint(record) ?? was?.answers)
			: undefined;
		const update = haveAnswersChanged(was?.answers, answers) ? 'responseUpdated' : undefined;
		const { event, after: next } = advance(standing, was, one, update, rules);
		const after = keepAnswers(next, answers);
		if (event !== undefined && rules.events.includes(event)) {
			if (pending !== undefined && event !== 'responseCompleted') continue;
			const lane = pending?.isExisting ?? isExisting;
			found.push({ event, record, fingerprint, after, former, isExisting: lane });
		} else if (pending === undefined && (after !== was || former !== undefined)) {
			changes.push({ fingerprint, known: after, former });
		}
	}
	const known = applyChanges(state.known, changes);
	const isSame = baseline === state.baseline && known === state.known;
	const records = [...listed].map(([fingerprint, { record }]) => [fingerprint, record] as const);
	return {
		state: isSame ? state : { ...state, known, baseline },
		found,
		listed: new Map(records),
		hasFoundExisting,
	};
}

/**
 * What is known after a reading of the whole list: responses that it did not list are missing, and
 * forgotten after 30 days with readings, so that a list that is empty or short for a while repeats nothing.
 *
 * @param listed the fingerprints of all responses that were read since the reading began
 * @param readAtMs when the reading ended, in epoch milliseconds of the service
 */
export function markMissing(
	state: FormState,
	listed: ReadonlySet<string>,
	readAtMs: number,
): FormState {
	const day = Math.floor(readAtMs / DAY_MS);
	const changes: Change[] = [];
	for (const [fingerprint, { kind, absence, answers }] of state.known ?? NOTHING) {
		if (listed.has(fingerprint)) continue;
		const longer = addMissingDay(absence, day);
		if (longer === absence) continue;
		changes.push({ fingerprint, known: longer && describeKnown(kind, 0, longer, answers) });
	}
	const known = applyChanges(state.known, changes);
	return known === state.known ? state : { ...state, known };
}

/**
 * What is known once n8n has these events.
 *
 * @returns the same state if there are none
 */
export function applyEvents(state: FormState, events: readonly FoundEvent[]): FormState {
	if (events.length === 0) return state;
	const changes = events.map(({ fingerprint, after, former }) => {
		return { fingerprint, known: after, former };
	});
	return { ...state, known: applyChanges(state.known, changes) };
}

/** `is_incomplete` (specification, section 2.4). */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return readBoolean(value) === true;
}

/** What has changed of one response; it is forgotten if it is not known. */
type Change = { fingerprint: string; known: KnownResponse | undefined; former?: string };

function applyChanges(before: Known | undefined, changes: readonly Change[]): Known {
	if (before !== undefined && changes.length === 0) return before;
	const after = new Map(before);
	for (const { fingerprint, known, former } of changes) {
		if (former !== undefined) after.delete(former);
		if (known === undefined) after.delete(fingerprint);
		else after.set(fingerprint, known);
	}
	return after;
}

type Listed = { record: IDataObject; readAtMs: number; former?: string };

/**
 * The listed responses by the fingerprints of their identities: a service that adds a `uuid` to the
 * `id` shows no new responses. If a response is listed twice, its complete record counts.
 */
function listByFingerprint(
	before: Known,
	waiting: ReadonlyMap<string, FoundEvent>,
	pages: readonly PageRead[],
): Map<string, Listed> {
	const listed = new Map<string, Listed>();
	for (const { records, readAtMs } of pages) {
		for (const record of records) {
			const all = getIdentities(record).map(computeFingerprint);
			// while an event waits, its response keeps the identity by which it was found
			const fingerprint = all.find((one) => waiting.has(one)) ?? all[0];
			const other = listed.get(fingerprint);
			if (other !== undefined) {
				if (isIncomplete(other.record)) Object.assign(other, { record, readAtMs });
				continue;
			}
			const former = before.has(fingerprint) ? undefined : all.find((one) => before.has(one));
			listed.set(fingerprint, { record, readAtMs, former });
		}
	}
	return listed;
}

const toMinute = (epochMs: number) => Math.ceil(epochMs / MINUTE_MS);

/** An event, if there is one, and what is known of the response from then on. */
type Step = { event?: ResponseEvent; after: KnownResponse };

/**
 * What happens to a listed response.
 *
 * @param standing what is known of it; `seen` if it existed before, `new` if it is new
 * @param update the event if it has other answers than are known
 */
function advance(
	standing: KnownResponse['kind'] | 'seen' | 'new',
	was: KnownResponse | undefined,
	{ record, readAtMs }: Listed,
	update: 'responseUpdated' | undefined,
	{ events, abandonedAfterMs }: Rules,
): Step {
	if (!isIncomplete(record)) {
		const event = ['seen', 'complete'].includes(standing) ? update : 'responseCompleted';
		return { event, after: keep(was, 'complete') };
	}
	if (standing === 'complete' || standing === 'abandoned')
		return { event: update, after: keep(was, standing) };
	const event =
		standing === 'new' && events.includes('responseStarted') ? 'responseStarted' : update;
	if (!events.includes('responseAbandoned')) return { event, after: keep(was, 'incomplete') };
	const sinceMs = Math.min(readCreatedAtMs(record) ?? readAtMs, readAtMs);
	const waiting =
		was?.kind === 'waiting' && was.absence === undefined
			? was
			: describeKnown('waiting', toMinute(sinceMs));
	const abandonedAtMs = waiting.sinceMinute * MINUTE_MS + abandonedAfterMs;
	// one event at a time: if it was also abandoned since the last poll, the next poll emits that
	if (readAtMs < abandonedAtMs || event !== undefined) return { event, after: waiting };
	// a response that was abandoned before the trigger began or before the event was chosen starts nothing
	const startsWorkflow = standing === 'new' || standing === 'waiting';
	const abandoned = describeKnown('abandoned');
	return { event: startsWorkflow ? 'responseAbandoned' : undefined, after: abandoned };
}

function keepAnswers(known: KnownResponse, answers: string | undefined): KnownResponse {
	if (known.answers === answers) return known;
	return describeKnown(known.kind, known.sinceMinute, known.absence, answers);
}

/** The same value if nothing has changed, so that states can be compared by identity. */
function keep(was: KnownResponse | undefined, kind: KnownResponse['kind']): KnownResponse {
	return was?.kind === kind && was.absence === undefined ? was : describeKnown(kind);
}
