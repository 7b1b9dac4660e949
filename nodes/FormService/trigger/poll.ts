import { minBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import type { NodeError } from '../api/errors';
import { sortByTime } from '../api/records';
import { isAccountFailure, recordOutcome, type ReadingOutcome } from './failures';
import { mayReadFormList, readFormList } from './formList';
import {
	getTriggerCache,
	isBackingOff,
	readConfig,
	startPoll,
	takePollReason,
	type OutputItem,
	type PollContext,
} from './pollContext';
import { planReading, readForm } from './readForm';
import { ensureBaseline, type Reading } from './readPages';
import { readSavedState, readTriggerNode, writeSavedState } from './staticData';
import { applyParameters, getWatchedFormIds, hasSeveralForms } from './triggerParameters';
import { isSavePending, rememberState, type FormState } from './triggerState';

type PollOutput = INodeExecutionData[] | null;

/**
 * Handles one poll of n8n. Returns null if there are no items, because n8n runs the workflow even for an empty
 * list.
 *
 * @throws NodeApiError or NodeOperationError that the user must see
 */
export async function pollForms(n8n: IPollFunctions): Promise<PollOutput> {
	const nowMs = clock.now();
	const cache = getTriggerCache(`${n8n.getWorkflow().id}:${readTriggerNode(n8n).id}`, nowMs);
	// even if an earlier poll is still running, so that the next poll counts as scheduled
	const reason = takePollReason(n8n);
	if (cache.isPolling) return null;
	cache.isPolling = true;
	try {
		const config = await readConfig(n8n, cache, reason);
		if (config === undefined) return null;
		const isPending = isSavePending(readSavedState(n8n), cache.memory, clock.now());
		if (reason === 'schedule' && isPending) return null;
		return await pollOnce(n8n, startPoll(n8n, cache, reason, config));
	} finally {
		cache.isPolling = false;
	}
}

/** Reads the lists that are due, saves the next state, and returns the items or throws the error to report. */
async function pollOnce(n8n: IPollFunctions, context: PollContext): Promise<PollOutput> {
	const { cache, parameters, reason, startState, startedAtMs } = context;
	if (context.isDamaged) {
		n8n.logger.warn(
			"The trigger's saved state could not be read. Existing responses won't start the workflow.",
		);
	}
	const { forms, listedSinceMs, items, outcomes } = await readLists(context);
	// nothing is saved then, so what was read is read again
	const error = findActivationError(context, outcomes);
	if (error !== undefined) throw error;
	const nowMs = clock.now();
	const isActivation = reason !== 'schedule';
	const after = { service: startState.service, forms, listedSinceMs };
	const circumstances = { hasItems: items.length > 0, isActivation, nowMs };
	const saved = rememberState(cache.memory, context, after, circumstances);
	if (saved !== undefined) writeSavedState(n8n, saved, nowMs);
	if (items.length > 0) return sortByTime(items, 'oldest').map(({ item }) => item);
	if (isActivation) return null;
	const isOneOfSeveral = hasSeveralForms(parameters.watch);
	const reported = cache.failures.takeErrorToReport(startedAtMs, isOneOfSeveral);
	if (reported !== undefined) throw reported;
	return null;
}

/** What a poll has read so far. */
type PollResult = {
	forms: Map<string, FormState>;
	listedSinceMs: number | undefined;
	items: OutputItem[];
	outcomes: ReadingOutcome[];
	/** The IDs of the forms that have been tried. Undefined is the list of all forms. */
	tried: Set<string | undefined>;
};

/** Reads one list after another, the form that has waited longest first, until none is due or the poll is over. */
async function readLists(context: PollContext): Promise<PollResult> {
	const { parameters, startState, startedAtMs } = context;
	const result: PollResult = {
		...applyParameters(parameters, startState, startedAtMs),
		items: [],
		outcomes: [],
		tried: new Set(),
	};
	let next = chooseList(context, result);
	while (next !== undefined) {
		await readList(context, result, next);
		next = chooseList(context, result);
	}
	// also for a form that could not be read, responses created from now on are new
	for (const id of getWatchedFormIds(parameters, result.forms))
		result.forms.set(id, ensureBaseline(context, result.forms.get(id)));
	return result;
}

/** A list to read next: of a form, or of all forms. */
type DueList = { formId?: string; reading?: Reading };

function chooseList(context: PollContext, result: PollResult): DueList | undefined {
	const { parameters, readUntilMs } = context;
	const { forms, items, outcomes, tried } = result;
	const isFull = items.length >= parameters.maxPerPoll;
	const hasAccountFailed = outcomes.some(({ error }) => isAccountFailure(error));
	if (isFull || hasAccountFailed || isBackingOff(context, 'account')) return undefined;
	if (clock.now() >= readUntilMs) return undefined;
	if (!tried.has(undefined) && mayReadFormList(context)) return {};
	const due = getWatchedFormIds(parameters, forms).flatMap((formId) => {
		const form = forms.get(formId);
		const reading = tried.has(formId) ? undefined : planReading(context, formId, form);
		const readAtMs = form?.progress?.lastReading?.atMs ?? 0;
		return reading === undefined ? [] : [{ formId, reading, readAtMs }];
	});
	return minBy(due, 'readAtMs');
}

/** Reads a list, and adds what it has found to the result. */
async function readList(
	context: PollContext,
	result: PollResult,
	{ formId, reading }: DueList,
): Promise<void> {
	const { cache, parameters, request } = context;
	const capacity = parameters.maxPerPoll - result.items.length;
	const outcomes: ReadingOutcome[] = [];
	result.tried.add(formId);
	if (formId === undefined || reading === undefined) {
		const list = await readFormList(context, result, capacity);
		Object.assign(result, { forms: list.forms, listedSinceMs: list.listedSinceMs });
		result.items.push(...list.items);
		outcomes.push(...list.outcomes);
	} else {
		const before = result.forms.get(formId) ?? {};
		const { form, items, outcome } = await readForm(context, formId, before, reading, capacity);
		result.forms.set(formId, form);
		result.items.push(...items);
		outcomes.push(outcome);
	}
	result.outcomes.push(...outcomes);
	for (const outcome of outcomes) recordOutcome(cache.failures, outcome, request.n8n.logger);
}

/**
 * Returns the error with which the activation fails if no list could be read. If n8n starts, the trigger stays
 * active, unless it has never read a list.
 */
function findActivationError(
	{ reason, startState }: PollContext,
	outcomes: readonly ReadingOutcome[],
): NodeError | undefined {
	const isNeeded = reason === 'publish' || (reason === 'start' && startState.forms.size === 0);
	const hasRead = outcomes.some((outcome) => outcome.hasRead);
	return isNeeded && !hasRead
		? outcomes.find(({ error }) => error !== undefined)?.error
		: undefined;
}
