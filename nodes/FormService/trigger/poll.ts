import { sortBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { clock } from '../api/clock';
import { getN8nCause, type NodeError } from '../api/errors';
import { sortByTime } from '../api/recordTimes';
import { mayReadFormList, pollFormList } from './forms/pollFormList';
import { isEndOfPoll, getOutcomeError, recordOutcome, type ReadingOutcome } from './outcomes';
import {
	startPoll,
	isBackingOff,
	readConfig,
	type OutputItem,
	type PollContext,
} from './pollContext';
import { takePollReason } from './pollReason';
import { ensureBaseline } from './responses/readFormPages';
import { READING_KINDS } from './responses/planReading';
import { mayReadForm, performReading } from './responses/performReading';
import { isSavePending, rememberState } from './savedState';
import { readSavedState, readTriggerNode, writeSavedState } from './staticData';
import { forgetGoneTriggers, getTriggerCache } from './triggerCache';
import { hasSeveralForms } from './triggerParameters';
import { applyParameters, getWatchedFormIds, type FormState } from './triggerState';

type PollOutput = INodeExecutionData[] | null;

/**
 * Handles one poll of n8n. Returns the items of new events. Returns null if there are no items, because n8n
 * runs the workflow even for an empty list.
 *
 * @throws NodeApiError or NodeOperationError that the user must see
 */
export async function pollForms(n8n: IPollFunctions): Promise<PollOutput> {
	const nowMs = clock.now();
	const cache = getTriggerCache(`${n8n.getWorkflow().id}:${readTriggerNode(n8n).id}`, nowMs);
	forgetGoneTriggers(nowMs);
	// call this even if an earlier poll is still running, so that the next poll counts as scheduled
	const reason = takePollReason(n8n);
	if (cache.isPolling) return null;
	cache.isPolling = true;
	try {
		const config = await readConfig(n8n, cache, reason);
		if (config === undefined) return null;
		const isPending = isSavePending(readSavedState(n8n), cache.states, clock.now());
		if (reason === 'schedule' && isPending) return null;
		return await pollOnce(n8n, startPoll(n8n, cache, reason, config));
	} finally {
		cache.isPolling = false;
	}
}

/** Reads the lists that are due, saves the next state, and returns the items of new events. */
async function pollOnce(n8n: IPollFunctions, context: PollContext): Promise<PollOutput> {
	const { cache, parameters, reason, startState, times } = context;
	if (context.isDamaged) {
		n8n.logger.warn(
			"The trigger's saved state could not be read. Existing responses won't start the workflow.",
		);
	}
	const { forms, listedSinceMs, items, outcomes } = await readLists(context);
	const error = findActivationError(context, outcomes);
	if (error !== undefined) throw error;
	const hasItems = items.length > 0;
	const after = { service: startState.service, forms, listedSinceMs };
	const nowMs = clock.now();
	const saved = rememberState(cache.states, context, after, { hasItems, nowMs });
	// Write an unchanged state too, because n8n may have kept an older state, and the node may have a new name.
	// Writing is fast, because the encoded seen responses are cached.
	if (saved !== undefined) writeSavedState(n8n, saved, nowMs);
	if (hasItems) return sortByTime(items, 'oldest').map(({ item }) => item);
	if (reason !== 'schedule') return null;
	const isOneOfSeveral = hasSeveralForms(parameters.watch);
	const reported = cache.failures.takeErrorToReport(times.pollStartedAtMs, isOneOfSeveral);
	if (reported !== undefined) throw reported;
	return null;
}

/** The results of the lists that a poll has read so far. */
type PollResult = {
	/** The next states of the forms, by ID. */
	forms: Map<string, FormState>;
	listedSinceMs: number | undefined;
	items: OutputItem[];
	/** The outcomes of all readings of the poll. */
	outcomes: ReadingOutcome[];
};

/**
 * Reads the lists that are due. Reads no list during the backoff of the account. Also adds missing baselines,
 * see `ensureBaseline`.
 */
async function readLists(context: PollContext): Promise<PollResult> {
	const { parameters, startState, times } = context;
	const applied = applyParameters(parameters, startState, times.pollStartedAtMs);
	const start = { ...applied, items: [], outcomes: [] };
	const result = isBackingOff(context, { kind: 'account' })
		? start
		: await readForms(context, await readFormList(context, start));
	const forms = new Map(result.forms);
	// a form that could not be read gets a baseline too, so that its responses count as new from now on
	for (const id of getWatchedFormIds(parameters, forms))
		forms.set(id, ensureBaseline(context, forms.get(id)));
	return { ...result, forms };
}

/**
 * Reads the list of all forms, if the list is due. If the last poll read the list and had no time left for a
 * form, skips the list, so that this poll has time for the form.
 */
async function readFormList(context: PollContext, earlier: PollResult): Promise<PollResult> {
	const hasPostponedForm = getWatchedFormIds(context.parameters, earlier.forms).some(
		(id) =>
			context.cache.postponedReadings.get(id)?.isAfterList &&
			mayReadForm(context, id, earlier.forms.get(id)),
	);
	if (hasPostponedForm || !mayReadFormList(context)) return earlier;
	const { debt, ...result } = await pollFormList(context, earlier);
	context.cache.formListDebt = debt;
	for (const outcome of result.outcomes) record(context, outcome);
	return result;
}

/**
 * Reads the responses of the forms that are due, and delivers the events. Starts with the form whose responses
 * were requested longest ago. Usually reads the newest pages of a form before the next pages of the full pass. The
 * items of a form reduce the capacity for the next form.
 */
async function readForms(
	context: PollContext,
	{ listedSinceMs, ...earlier }: PollResult,
): Promise<PollResult> {
	const { cache, parameters, times } = context;
	const forms = new Map(earlier.forms);
	const items = [...earlier.items];
	const outcomes = [...earlier.outcomes];
	const isAfterList = outcomes.some(({ subject }) => subject.kind === 'formList');
	const watched = getWatchedFormIds(parameters, forms);
	const due = watched.filter((id) => mayReadForm(context, id, forms.get(id)));
	const readings = sortBy(due, (id) => forms.get(id)?.debt?.atMs ?? 0).flatMap((formId) =>
		// if the last poll had no time for one of the two readings, start with this reading
		sortBy(READING_KINDS, (kind) => kind !== cache.postponedReadings.get(formId)?.kind).map(
			(kind) => ({
				formId,
				kind,
			}),
		),
	);
	for (const { formId, kind } of readings) {
		const capacity = parameters.maxPerPoll - items.length;
		if (capacity <= 0 || outcomes.some(isEndOfPoll)) break;
		if (clock.now() >= times.readUntilMs) {
			cache.postponedReadings.set(formId, { kind, isAfterList });
			break;
		}
		const form = forms.get(formId) ?? {};
		const hasReadPages = outcomes.some(({ hasPages }) => hasPages);
		const result = await performReading(context, formId, kind, form, { capacity, hasReadPages });
		if (result === undefined) continue;
		if (result.isPostponed) cache.postponedReadings.set(formId, { kind, isAfterList });
		else cache.postponedReadings.delete(formId);
		forms.set(formId, result.form);
		items.push(...result.items);
		outcomes.push(result.outcome);
		record(context, result.outcome);
		// the time is up, and the next reading would overwrite the entry of this form in `postponedReadings`
		if (result.isPostponed) break;
	}
	return { forms, listedSinceMs, items, outcomes };
}

function record({ cache, request }: PollContext, outcome: ReadingOutcome): void {
	recordOutcome(cache.failures, outcome, request.n8n.logger);
}

/** The causes of errors that only the user can remove, by correcting the credential or the parameters. */
const ACTIONABLE_CAUSES = ['credential-invalid', 'configuration-invalid'];

/**
 * Returns the error with which the activation of the workflow fails. Undefined for a scheduled poll. Returns
 * an error in two cases:
 *
 * - No poll has read a list yet.
 * - The user has just published the workflow, and only the user can remove the cause of the error. If the
 *   trigger watches several forms, the activation fails only if this poll has read no list.
 */
function findActivationError(
	{ reason, parameters, startState }: PollContext,
	outcomes: readonly ReadingOutcome[],
): NodeError | undefined {
	const error = outcomes.map(getOutcomeError).find((found) => found !== undefined);
	if (reason === 'schedule' || error === undefined) return undefined;
	const hasRead = outcomes.some(({ hasPages }) => hasPages);
	if (!hasRead && startState.forms.size === 0) return error;
	const isOnly = !hasRead || !hasSeveralForms(parameters.watch);
	// for an expired page position, the user need not do anything: the trigger reads the list again
	const isActionable = ACTIONABLE_CAUSES.includes(getN8nCause(error));
	return reason === 'publish' && isOnly && isActionable ? error : undefined;
}
