import { sortBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { clock } from '../api/clock';
import { asNodeError } from '../api/errors';
import { sortByTime } from '../api/recordTimes';
import { isFormListDue, pollFormList } from './forms/pollFormList';
import { endsPoll, findActivationError, getError, recordOutcome, type Outcome } from './outcomes';
import {
	createPollContext,
	findPollReason,
	isBackingOff,
	type OutputItem,
	type PollContext,
	type PollReason,
} from './pollContext';
import { ensureBaseline } from './responses/fetchFormPages';
import { isFormDue, PASSES, pollForm } from './responses/pollForm';
import { isSavePending, saveState } from './savedState';
import { getTriggerCache, type TriggerCache } from './triggerCache';
import {
	hasSeveralForms,
	readTriggerParameters,
	type TriggerParameters,
} from './triggerParameters';
import type { FormState } from './triggerState';
import { applyParameters, getWatchedFormIds } from './watchedForms';

type PollOutput = INodeExecutionData[] | null;

/**
 * Handles one poll of n8n. Returns the items of new events, or null: n8n would run the workflow on an empty
 * list.
 *
 * @throws NodeApiError or NodeOperationError that people are to see
 */
export async function pollForms(n8n: IPollFunctions): Promise<PollOutput> {
	const node = n8n.getNode();
	const cache = getTriggerCache(`${n8n.getWorkflow().id}:${node.id}:${node.name}`, clock.now());
	const reason = findPollReason(n8n);
	if (cache.isPolling) return null;
	cache.isPolling = true;
	try {
		const config = await readConfig(n8n, cache, reason);
		if (config === undefined) return null;
		const staticData = n8n.getWorkflowStaticData('node');
		const isPending = isSavePending(staticData, cache.states, clock.now());
		if (reason === 'schedule' && isPending) return null;
		return await pollOnce(createPollContext(n8n, cache, reason, config));
	} finally {
		cache.isPolling = false;
	}
}

/**
 * Reads the parameters and the account; undefined if they cannot be used.
 *
 * @throws NodeOperationError why they cannot be used, if a person is to see that now
 */
async function readConfig(
	n8n: IPollFunctions,
	cache: TriggerCache,
	reason: PollReason,
): Promise<{ parameters: TriggerParameters; account: Account } | undefined> {
	try {
		const parameters = readTriggerParameters(n8n);
		const account = await getAccount(n8n);
		cache.failures.clear({ kind: 'parameters' });
		clearOutdatedCache(cache, JSON.stringify([account.key, parameters]));
		// a person who publishes the workflow may have changed the fields
		if (reason === 'publish') cache.fields.clear();
		return { parameters, account };
	} catch (cause) {
		const error = asNodeError(n8n.getNode(), cause);
		if (reason !== 'schedule') throw error;
		cache.failures.record({ kind: 'parameters' }, error);
		const reported = cache.failures.takeReport([error]);
		if (reported !== undefined) throw reported;
		n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
		return undefined;
	}
}

/** What has failed with other parameters may work now, and the parameters say how fields are named. */
function clearOutdatedCache(cache: TriggerCache, configKey: string): void {
	if (configKey === cache.configKey) return;
	cache.configKey = configKey;
	cache.failures.clearAll();
	cache.fields.clear();
	// the forms of another account have other names
	cache.names.byId.clear();
	cache.names.fetchedAtMs = -Infinity;
}

/** Reads the lists that are due, saves the next state, and returns the items of new events. */
async function pollOnce(context: PollContext): Promise<PollOutput> {
	const { cache, parameters, reason, request, state } = context;
	if (state.isDamaged && state.forms.size === 0) {
		request.n8n.logger.warn(
			"The trigger's saved state could not be read. Existing responses won't start the workflow.",
		);
	}
	const { forms, listedSinceMs, items, outcomes } = await readLists(context);
	const error = findActivationError(context, outcomes);
	if (error !== undefined) throw error;
	const hasItems = items.length > 0;
	const staticData = request.n8n.getWorkflowStaticData('node');
	const after = { service: state.service, forms, listedSinceMs };
	saveState(staticData, cache.states, state, after, { hasItems, nowMs: clock.now() });
	if (hasItems) return sortByTime(items, 'oldest').map(({ item }) => item);
	const errors = outcomes.flatMap((outcome) => getError(outcome) ?? []);
	const isOneOfSeveral = hasSeveralForms(parameters.watch);
	const reported =
		reason === 'schedule' ? cache.failures.takeReport(errors, isOneOfSeveral) : undefined;
	if (reported !== undefined) throw reported;
	return null;
}

/** What a poll has come to. */
type PollResult = {
	/** The next states of the forms, by ID. */
	forms: Map<string, FormState>;
	listedSinceMs: number | undefined;
	items: OutputItem[];
	/** What became of each reading. */
	outcomes: Outcome[];
};

/** Reads the lists that are due, unless the account waits after a failure. */
async function readLists(context: PollContext): Promise<PollResult> {
	const { parameters, state, times } = context;
	const applied = applyParameters(parameters, state, times.startedAtMs);
	const start = { ...applied, items: [], outcomes: [] };
	if (isBackingOff(context, { kind: 'account' })) return start;
	const listed = isFormListDue(context) ? await readFormList(context, start) : start;
	return await readForms(context, listed);
}

async function readFormList(context: PollContext, before: PollResult): Promise<PollResult> {
	const { debt, ...result } = await pollFormList(context, before);
	context.cache.formListDebt = debt;
	for (const outcome of result.outcomes) recordOutcome(context, outcome);
	return result;
}

/**
 * Reads the responses of the forms that are due, the least recently read first: of each form the newest pages,
 * then a slice of the full pass. Items of a form reduce the capacity for the next forms.
 */
async function readForms(
	context: PollContext,
	{ listedSinceMs, ...before }: PollResult,
): Promise<PollResult> {
	const { parameters, times } = context;
	const forms = new Map(before.forms);
	const items = [...before.items];
	const outcomes = [...before.outcomes];
	const watched = getWatchedFormIds(parameters, forms);
	const due = watched.filter((id) => isFormDue(context, id, forms.get(id)));
	const readings = sortBy(due, (id) => forms.get(id)?.debt?.atMs ?? 0).flatMap((formId) =>
		PASSES.map((pass) => ({ formId, pass })),
	);
	for (const { formId, pass } of readings) {
		const capacity = parameters.maxPerPoll - items.length;
		const isTimeUp = clock.now() >= times.readUntilMs;
		if (capacity <= 0 || isTimeUp || outcomes.some(endsPoll)) break;
		const form = forms.get(formId) ?? {};
		const result = await pollForm(context, formId, pass, form, capacity);
		if (result === undefined) continue;
		forms.set(formId, result.form);
		items.push(...result.items);
		outcomes.push(result.outcome);
		recordOutcome(context, result.outcome);
	}
	// new responses of forms that could not be read are new
	for (const id of watched) forms.set(id, ensureBaseline(context, forms.get(id)));
	return { forms, listedSinceMs, items, outcomes };
}
