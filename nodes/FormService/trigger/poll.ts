import { minBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { sortByTime } from '../api/records';
import { isAccountFailure, recordOutcome, isDue } from './schedule';
import { mayReadFormList, readFormList } from './formList';
import {
	getTriggerCache,
	readConfig,
	startPoll,
	takePollReason,
	type PollContext,
	type PollResult,
} from './pollContext';
import { planReading, readForm } from './readForm';
import { ensureBaseline, type Reading } from './readPages';
import { readSavedState, writeSavedState } from './staticData';
import { applyParameters, getWatchedFormIds, hasSeveralForms } from './triggerParameters';
import { isSavePending, rememberState, type FormStates } from './triggerState';

type PollOutput = INodeExecutionData[] | null;

/**
 * Handles one poll of n8n. Returns null if there are no items, because n8n runs the workflow even for an empty
 * list.
 *
 * @throws NodeApiError or NodeOperationError that the user must see
 */
export async function pollForms(n8n: IPollFunctions): Promise<PollOutput> {
	const cache = getTriggerCache(n8n);
	// take the reason even if this poll does nothing, because the next one must count as scheduled
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
	const { cache, reason, startState, startedAtMs } = context;
	const { forms, listedSinceMs, items, outcomes } = await readLists(context);
	for (const outcome of outcomes) recordOutcome(cache.failures, outcome, n8n.logger);
	const failure = outcomes.find(({ error }) => error !== undefined);
	const hasRead = outcomes.some((outcome) => outcome.hasRead);
	// the error comes before the save, so that the next activation starts equally
	if (reason === 'publish' && !hasRead && failure?.error) throw failure.error;
	const nowMs = clock.now();
	const isActivation = reason !== 'schedule';
	const after = { service: startState.service, forms, listedSinceMs };
	const circumstances = { hasItems: items.length > 0, isActivation, nowMs };
	const saved = rememberState(cache.memory, context, after, circumstances);
	if (saved !== undefined) writeSavedState(n8n, saved, nowMs);
	if (items.length > 0) return sortByTime(items, 'oldest').map(({ item }) => item);
	if (isActivation) return null;
	const reported = cache.failures.takeErrorToReport(startedAtMs, areOtherFormsRead(context, forms));
	if (reported !== undefined) throw reported;
	return null;
}

/** Whether the trigger watches several forms, and some of them do not fail. */
function areOtherFormsRead({ cache, parameters }: PollContext, forms: FormStates): boolean {
	const { watch } = parameters;
	const watched = watch.kind === 'chosen' ? watch.formIds : getWatchedFormIds(parameters, forms);
	const isRead = (formId: string) => !cache.failures.isFailing(`form ${formId}`);
	return hasSeveralForms(watch) && watched.some(isRead);
}

/** Reads the list of all forms, then one form after another, until none is due or the poll is over. */
async function readLists(context: PollContext): Promise<PollResult> {
	const { parameters, startState, startedAtMs } = context;
	const start = applyParameters(parameters, startState, startedAtMs);
	let result: PollResult = { ...start, items: [], outcomes: [] };
	if (mayReadFormList(context)) {
		result = await readFormList(context, start, parameters.maxPerPoll);
	}
	const tried = new Set<string>();
	let next = chooseReading(context, result, tried);
	while (next !== undefined) {
		tried.add(next.formId);
		result = await readDueForm(context, result, next);
		next = chooseReading(context, result, tried);
	}
	const forms = new Map(result.forms);
	// also for a form that could not be read, responses created from now on are new
	for (const id of getWatchedFormIds(parameters, forms))
		forms.set(id, ensureBaseline(context, forms.get(id)));
	return { ...result, forms };
}

/** Chooses the form that has waited longest, and what to read of it. */
function chooseReading(
	context: PollContext,
	{ forms, items, outcomes }: PollResult,
	tried: ReadonlySet<string>,
): Reading | undefined {
	const { cache, intervalMs, parameters, readUntilMs, reason, startedAtMs } = context;
	const isFull = items.length >= parameters.maxPerPoll;
	const hasAccountFailed = outcomes.some(({ error }) => isAccountFailure(error));
	if (isFull || hasAccountFailed || cache.failures.isInBackoff('account')) return undefined;
	if (clock.now() >= readUntilMs) return undefined;
	// publishing succeeds if one list can be read
	const isWanted = reason === 'publish' && !outcomes.some(({ hasRead }) => hasRead);
	const untried = getWatchedFormIds(parameters, forms).filter((id) => !tried.has(id));
	const due = untried.flatMap((formId) => {
		const form = forms.get(formId);
		const lastReading = form?.progress?.lastReading;
		if (!isWanted && !isDue(lastReading, intervalMs, startedAtMs)) return [];
		const reading = planReading(context, formId, form);
		return reading ? [{ reading, readAtMs: lastReading?.atMs ?? 0 }] : [];
	});
	return minBy(due, 'readAtMs')?.reading;
}

/** Reads a form, and adds what the reading has found to the result. */
async function readDueForm(
	context: PollContext,
	{ forms, items, outcomes, ...result }: PollResult,
	reading: Reading,
): Promise<PollResult> {
	const capacity = context.parameters.maxPerPoll - items.length;
	const { formId } = reading;
	const read = await readForm(context, reading, forms.get(formId) ?? {}, capacity);
	return {
		...result,
		forms: new Map(forms).set(formId, read.form),
		items: [...items, ...read.items],
		outcomes: [...outcomes, read.outcome],
	};
}
