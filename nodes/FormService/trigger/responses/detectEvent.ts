import type { IDataObject } from 'n8n-workflow';
import { parseBoolean } from '../../api/values';
import { getCreationTimeMs } from '../../api/recordTimes';
import type { ResponseEvent, TriggerEvent } from '../../parameters/triggerEvents';
import {
	computeAnswersFingerprint,
	haveAnswersChanged,
	type AnswersFingerprint,
} from '../fingerprints';
import type { FormState } from '../triggerState';
import { createSeenResponse, type ResponsePhase, type SeenResponse } from './seenResponses';

/* Decides whether a response has an event. */

/** The rules that decide which responses have an event. */
export type ResponseComparisonRules = Readonly<{
	events: readonly TriggerEvent[];
	/** The age at which an incomplete response counts as abandoned, in milliseconds since its creation. */
	abandonedAfterMs: number;
	/** The settings that decide which unseen responses are new. Undefined if all unseen responses are new. */
	baseline?: FormState['baseline'];
}>;

/** Whether a response is incomplete: its `is_incomplete` is `true`, 1, or a word such as "Yes". */
export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return parseBoolean(value) === true;
}

/**
 * Compares a response with its saved state. Returns the next state to save, and the event, if there is one.
 *
 * @param previousSeen the saved state; undefined if the response is unseen
 */
export function detectEvent(
	record: IDataObject,
	servedAtMs: number,
	previousSeen: SeenResponse | undefined,
	rules: ResponseComparisonRules,
): { event?: ResponseEvent; nextSeen: SeenResponse } {
	const phase =
		previousSeen?.phase ?? (isExistingResponse(record, rules.baseline) ? 'existing' : 'new');
	const transition = computeTransition(record, servedAtMs, phase, rules);
	const earlierAnswers = previousSeen?.phase === 'complete' ? previousSeen.answers : undefined;
	const answers = rules.events.includes('responseUpdated')
		? (findAnswers(record) ?? earlierAnswers)
		: undefined;
	const isUpdate = haveAnswersChanged(earlierAnswers, answers);
	return {
		event: transition.event ?? (isUpdate ? 'responseUpdated' : undefined),
		nextSeen: createSeenResponse(transition.phaseAfter, answers),
	};
}

/** Returns the fingerprint of the answers of a complete response. Undefined for an incomplete response. */
function findAnswers(record: IDataObject): AnswersFingerprint | undefined {
	return isIncomplete(record) ? undefined : computeAnswersFingerprint(record);
}

/**
 * Whether an unseen response is an existing response that must not start the workflow. During the first pass of
 * the form, a response without a creation time counts as older than all other responses. After the first pass,
 * such a response counts as new.
 */
function isExistingResponse(
	record: IDataObject,
	baseline: ResponseComparisonRules['baseline'],
): boolean {
	if (baseline === undefined) return false;
	const { sinceMs, backfill, isFirstPassOver } = baseline;
	if (backfill === 'all') return false;
	const createdAtMs = getCreationTimeMs(record) ?? (isFirstPassOver ? Infinity : -Infinity);
	return createdAtMs < Math.min(sinceMs, backfill?.sinceMs ?? Infinity);
}

/**
 * The response event, if there is one, and the phase of the response after the event, see `ResponsePhase`.
 */
type Transition = { event?: ResponseEvent; phaseAfter: ResponsePhase };

/**
 * Computes the response event and the next phase of a response, without comparing the answers.
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
	phaseBefore: ResponsePhase | 'existing' | 'new',
	{ events, abandonedAfterMs }: ResponseComparisonRules,
): Transition {
	if (!isIncomplete(record)) {
		const isNewEvent = phaseBefore !== 'existing' && phaseBefore !== 'complete';
		return { event: isNewEvent ? 'responseCompleted' : undefined, phaseAfter: 'complete' };
	}
	if (phaseBefore === 'complete' || phaseBefore === 'abandoned') return { phaseAfter: phaseBefore };
	const isStart = phaseBefore === 'new' && events.includes('responseStarted');
	const event = isStart ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, phaseAfter: 'incomplete' };
	// without a time, the age of an incomplete response is unknown
	const isAbandoned = servedAtMs >= (getCreationTimeMs(record) ?? Infinity) + abandonedAfterMs;
	if (isStart || !isAbandoned) return { event, phaseAfter: 'waiting' };
	// no event if the response was abandoned before the trigger started, or before the user chose this event
	const isNewEvent = phaseBefore === 'new' || phaseBefore === 'waiting';
	return { event: isNewEvent ? 'responseAbandoned' : undefined, phaseAfter: 'abandoned' };
}
