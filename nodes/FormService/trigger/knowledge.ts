import { hash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { decodeAnswers, getAnswerAttributes } from '../api/answers/decode';
import { encodeAnswer } from '../api/answers/kinds';
import type { AnsweredField } from '../api/answers/kinds';
import { getCreationTime } from '../api/answers/order';
import { getIdentities, isRecord, sortKeys } from '../api/records';
import type { PagePosition } from '../api/replies/list';

/**
 * What a trigger knows of forms and their responses: values that nobody changes. `compare` turns them into
 * the next ones, `savedState` keeps them.
 */

/** What a trigger knows of the forms of a service. */
export type Knowledge = {
	/** See `identifyService`. */
	readonly service: string;
	/** When the list of all forms was first read, in epoch milliseconds of the service. */
	readonly listedSinceMs?: number;
	/** Whether that first reading of the list is complete. */
	readonly isListed?: boolean;
	/** Whether the saved state was damaged and the forms have not all been read since. */
	readonly isRepairing?: boolean;
	/** By ID. */
	readonly forms: ReadonlyMap<string, FormState>;
};

/** What is known of one form. */
export type FormState = {
	/** Undefined until a page of the form was read. */
	readonly known?: Known;
	/** Undefined when the baseline is complete: every unknown response is new. */
	readonly baseline?: Baseline;
	/** On how many days the list of all forms was without the form. */
	readonly absence?: Absence;
	/** See `encodeAttributes`; undefined unless Form Updated is chosen. */
	readonly attributes?: string;
	/** The responses of the form were read before, and are not read at present. */
	readonly isPaused?: boolean;
	/** Undefined if the next process reads the list from its first page. */
	readonly position?: SavedPosition;
};

/** The responses that existed before the trigger watched their form. */
export type Baseline = {
	/** Responses that were created then or later are new. Epoch milliseconds of the service. */
	readonly sinceMs: number;
	/** Existing responses that were created then or later are emitted: 0 for all, undefined for none. */
	readonly emitSinceMs?: number;
	/** When the newest existing response that was seen was created. */
	readonly newestMs?: number;
	/** Whether the whole list was read once; a second reading finds what moved to other pages meanwhile. */
	readonly isRead?: boolean;
};

/** The responses of one form that need no further event in their present kind, by fingerprint. */
export type Known = ReadonlyMap<string, KnownResponse>;

/** What is known of one response. Most responses share one object. */
export type KnownResponse = {
	/**
	 * `incomplete` may have started the workflow; `waiting` is the same, and Response Abandoned follows if
	 * it stays incomplete; `abandoned` has started the workflow.
	 */
	readonly kind: 'complete' | 'incomplete' | 'waiting' | 'abandoned';
	/** Since when it waits to be abandoned, in minutes since 1970; 0 for all others. */
	readonly sinceMinute: number;
	/** See `computeAnswersFingerprint`; undefined unless Response Updated is chosen. */
	readonly answers?: string;
	/** Whole listings are without it. */
	readonly absence?: Absence;
};

/** The days on which something was missing from its list. Days without a reading do not count. */
export type Absence = {
	/** The last such day, counted from 1970. */
	readonly lastDay: number;
	/** How many there were before it. */
	readonly days: number;
};

/** Where the reading of a list stood when the state was saved: a hint for the next process. */
export type SavedPosition = {
	readonly newestEnd?: NewestEnd;
	/** Where the reading of all pages goes on. */
	readonly next?: PagePosition;
};

/** Where a list of several pages has the newest records, and the page from which they are read. */
export type NewestEnd = { readonly newest: 'first' | 'last'; readonly start?: PagePosition };

const SHARED: Record<KnownResponse['kind'], KnownResponse> = {
	complete: { kind: 'complete', sinceMinute: 0 },
	incomplete: { kind: 'incomplete', sinceMinute: 0 },
	waiting: { kind: 'waiting', sinceMinute: 0 },
	abandoned: { kind: 'abandoned', sinceMinute: 0 },
};

/** What is known of a response, as the one object that equal ones share. */
export function describeKnown(
	kind: KnownResponse['kind'],
	sinceMinute = 0,
	absence?: Absence,
	answers?: string,
): KnownResponse {
	if (absence === undefined && answers === undefined && sinceMinute === 0) return SHARED[kind];
	return { kind, sinceMinute, ...(absence && { absence }), ...(answers && { answers }) };
}

/** Days for which a response or form is remembered after it has left its list. */
export const REMEMBERED_DAYS = 30;

/** The absence after a reading without the response or form; undefined if the trigger forgets it now. */
export function addMissingDay(absence: Absence | undefined, day: number): Absence | undefined {
	if (absence === undefined) return { lastDay: day, days: 0 };
	if (absence.lastDay === day) return absence;
	return absence.days < REMEMBERED_DAYS ? { lastDay: day, days: absence.days + 1 } : undefined;
}

/** Characters of a fingerprint, of 6 bits each. */
export const FINGERPRINT_LENGTH = 10;

/**
 * The fingerprint of an identity: 60 bits of a hash. Of n identities, two share a fingerprint with a
 * probability of n² / 2^61: one in 230 million for 100,000.
 */
export function computeFingerprint(text: string): string {
	return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/** Fingerprints of answers by that of their JSON: most answers have not changed since the last poll. */
const remembered = new Map<string, string>();
const MAX_REMEMBERED = 200_000;

/**
 * The fingerprint of the answers of a response: 30 bits of the answers by their fields, in any
 * order, and 30 bits of the values in order, under any labels.
 *
 * @returns undefined if the record says nothing about answers
 */
export function computeAnswersFingerprint(record: IDataObject): string | undefined {
	const containers = getAnswerAttributes(record).map((name) => record[name]);
	if (containers.every((one) => one === undefined)) return undefined;
	const json = JSON.stringify(containers);
	const key = computeFingerprint(json);
	const before = remembered.get(key);
	if (before !== undefined) return before;
	const { answers, problem } = decodeAnswers(record);
	// a shape that cannot be read is compared as a whole
	let inOrder = problem === undefined ? '' : json;
	const byField = [inOrder];
	for (const { label, uuid: field = label, value } of answers) {
		const sorted = sortKeys(value);
		// PHP sends a list with gaps as an object
		const given = isRecord(sorted) ? Object.values(sorted) : sorted;
		const encoded = encodeAnswer(given, ANY_FIELD, { zone: 'utc' });
		const text = 'problem' in encoded ? JSON.stringify(sorted) : String(encoded.answer ?? '');
		inOrder += `${text}\0`;
		if (text !== '') byField.push(`${field}\0${text}`);
	}
	const halves = [byField.sort().join('\0'), inOrder];
	const fingerprint = halves.map((half) => computeFingerprint(half).slice(0, HALF)).join('');
	if (remembered.size === MAX_REMEMBERED) remembered.clear();
	remembered.set(key, fingerprint);
	return fingerprint;
}

const HALF = FINGERPRINT_LENGTH / 2;

/** Answers are compared without the fields of their form. */
const ANY_FIELD: AnsweredField = { kind: 'text', choices: [] };

/**
 * Whether answers have changed, by their fingerprints; not if one of them is not known. A field that is added
 * or moved changes only the order of the answers, and a field that is renamed only a label.
 */
export function haveAnswersChanged(one: string | undefined, other: string | undefined): boolean {
	if (one === undefined || other === undefined) return false;
	return one.slice(0, HALF) !== other.slice(0, HALF) && one.slice(HALF) !== other.slice(HALF);
}

/** Whether a record is one of the known responses, by any of its identities. */
export function isKnown(record: IDataObject | undefined, known: Known): boolean {
	const identities = record === undefined ? [] : getIdentities(record);
	return identities.some((identity) => known.has(computeFingerprint(identity)));
}

/**
 * A short name for a service, by its host and path: the state belongs to these, and survives another
 * token and a change from http to https.
 */
export function identifyService(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return computeFingerprint(host + pathname);
}

/** When a response was created; undefined if it does not say so, or names a time before computers. */
export function readCreatedAtMs(record: IDataObject): number | undefined {
	const createdAtMs = getCreationTime(record);
	return createdAtMs !== undefined && createdAtMs > 0 ? createdAtMs : undefined;
}

/**
 * Whether an unknown response existed before its form was watched. Until the whole list has been read
 * once, its time of creation says so. In a second reading only a response that is also older than the
 * newest existing one can have moved from page to page: services that write local times give new responses
 * times before the activation.
 */
export function isInBaseline(record: IDataObject, baseline: Baseline | undefined): boolean {
	if (baseline === undefined) return false;
	const { sinceMs, newestMs = -Infinity, isRead } = baseline;
	const createdAtMs = readCreatedAtMs(record);
	if (isRead !== true) return createdAtMs === undefined || createdAtMs < sinceMs;
	return createdAtMs !== undefined && createdAtMs < newestMs;
}

/** The baseline with another response that existed. */
export function addExisting(baseline: Baseline, record: IDataObject): Baseline {
	const { newestMs = -Infinity } = baseline;
	const createdAtMs = readCreatedAtMs(record) ?? -Infinity;
	return createdAtMs > newestMs ? { ...baseline, newestMs: createdAtMs } : baseline;
}

/** Whether an existing response starts the workflow. Without a time, it is older than any date. */
export function isEmitted(record: IDataObject, baseline: Baseline | undefined): boolean {
	const { emitSinceMs = Infinity } = baseline ?? {};
	return emitSinceMs === 0 || (readCreatedAtMs(record) ?? -Infinity) >= emitSinceMs;
}

/**
 * What is known after a reading of the whole list about what existed before. A list of one page shows all
 * of it at once. While the pages of a longer one are read, a response can move to a page that was read
 * already; the baseline is complete when a second reading has found none.
 *
 * @param reading `hasDropped` says that events had no room, so that the next reading has to find them again
 */
export function advanceBaseline(
	state: FormState,
	reading: { isOnePage: boolean; hasFoundExisting: boolean; hasDropped: boolean },
): FormState {
	const { baseline, ...rest } = state;
	if (baseline === undefined) return state;
	const isComplete = reading.isOnePage || (baseline.isRead === true && !reading.hasFoundExisting);
	if (isComplete && !reading.hasDropped) return rest;
	return baseline.isRead ? state : { ...state, baseline: { ...baseline, isRead: true } };
}
