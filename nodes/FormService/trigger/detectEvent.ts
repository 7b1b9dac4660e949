import type { IDataObject } from 'n8n-workflow';
import { parseBoolean } from '../api/values';
import { getCreationTimeMs } from '../api/records';
import type { ResponseEvent, TriggerEvent } from '../parameters/triggerEvents';
import {
	computeAnswersFingerprint,
	createSeenResponse,
	getAnswers,
	getPhase,
	haveAnswersChanged,
	type ResponsePhase,
	type SeenResponse,
} from './seenResponses';
import type { FormState } from './triggerState';

/* Decides whether a response has an event. */

export type EventRules = Readonly<{
	events: readonly TriggerEvent[];
	/** The age at which an incomplete response counts as abandoned. */
	abandonedAfterMs: number;
	/** Undefined if each unseen response is new. */
	baseline: FormState['baseline'];
	isFirstPass: boolean;
}>;

export function isIncomplete({ is_incomplete: value }: IDataObject): boolean {
	return parseBoolean(value) === true;
}

/**
 * Compares a response with what the trigger knows of it. Returns the event, if there is one, and what the trigger
 * knows after it.
 *
 * @param serviceMs the time by the service's clock
 */
export function detectEvent(
	record: IDataObject,
	serviceMs: number,
	seenBefore: SeenResponse | undefined,
	rules: EventRules,
): { event?: ResponseEvent; seenAfter: SeenResponse } {
	const phase = seenBefore === undefined ? findUnseenPhase(record, rules) : getPhase(seenBefore);
	const { event, phaseAfter } = computeTransition(record, serviceMs, phase, rules);
	if (!rules.events.includes('responseUpdated')) {
		return { event, seenAfter: createSeenResponse(phaseAfter) };
	}
	const answersBefore = seenBefore && phase === 'complete' ? getAnswers(seenBefore) : undefined;
	const given = isIncomplete(record) ? undefined : computeAnswersFingerprint(record);
	const isUpdate = haveAnswersChanged(answersBefore, given);
	return {
		event: event ?? (isUpdate ? 'responseUpdated' : undefined),
		seenAfter: createSeenResponse(phaseAfter, given ?? answersBefore),
	};
}

/** Decides whether an unseen response was there before the trigger first watched its form. */
function findUnseenPhase(
	record: IDataObject,
	{ baseline, isFirstPass }: EventRules,
): 'existing' | 'new' {
	if (baseline === undefined || baseline.emitExisting === 'all') return 'new';
	const { sinceMs, emitExisting } = baseline;
	// a response without a creation time is existing if the first pass lists it
	const createdAtMs = getCreationTimeMs(record) ?? (isFirstPass ? -Infinity : Infinity);
	const isExisting = createdAtMs < Math.min(sinceMs, emitExisting?.sinceMs ?? Infinity);
	return isExisting ? 'existing' : 'new';
}

type Transition = { event?: ResponseEvent; phaseAfter: ResponsePhase };

/** Computes the event and the next phase without comparing the answers. */
function computeTransition(
	record: IDataObject,
	serviceMs: number,
	phaseBefore: ResponsePhase | 'existing' | 'new',
	{ events, abandonedAfterMs }: EventRules,
): Transition {
	if (!isIncomplete(record)) {
		const isCompletion = phaseBefore !== 'existing' && phaseBefore !== 'complete';
		return { event: isCompletion ? 'responseCompleted' : undefined, phaseAfter: 'complete' };
	}
	if (phaseBefore === 'complete' || phaseBefore === 'abandoned') return { phaseAfter: phaseBefore };
	const isStart = phaseBefore === 'new' && events.includes('responseStarted');
	const event = isStart ? 'responseStarted' : undefined;
	if (!events.includes('responseAbandoned')) return { event, phaseAfter: 'incomplete' };
	// without a creation time, the age is unknown
	const isAbandoned = serviceMs >= (getCreationTimeMs(record) ?? Infinity) + abandonedAfterMs;
	if (isStart || !isAbandoned) return { event, phaseAfter: 'waiting' };
	// otherwise it was abandoned before the trigger started, or before the user chose this event
	const isNewEvent = phaseBefore === 'new' || phaseBefore === 'waiting';
	return { event: isNewEvent ? 'responseAbandoned' : undefined, phaseAfter: 'abandoned' };
}
