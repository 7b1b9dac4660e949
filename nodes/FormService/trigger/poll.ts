import { sumBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount, type Account } from '../api/account';
import { sortByTime } from '../api/recordTimes';
import { clock } from '../api/clock';
import { asNodeError } from '../api/errors';
import { updateAbsences } from './compareForms';
import {
	ACCOUNT_KEY,
	startBackoff,
	findActivationError,
	isBackingOff,
	PARAMETERS_KEY,
	takeReportableError,
} from './failures';
import { pollFormList } from './formList';
import { collectBudgetClaims, getTriggerCache, type TriggerCache } from './triggerCache';
import { computeIntervalMs, computeWeight } from './requestBudget';
import {
	hasSeveralForms,
	readTriggerParameters,
	type TriggerParameters,
} from './triggerParameters';
import {
	createPoll,
	findPollReason,
	getWatchedFormIds,
	type PollReason,
	type Poll,
} from './pollContext';
import { pollResponses } from './pollResponses';
import { isSavePending, saveState } from './triggerState';

type Items = INodeExecutionData[] | null;

/**
 * Handles one poll of n8n; does nothing if no form is due. Returns the items of what is new, or null: n8n
 * would run the workflow on an empty list.
 *
 * @throws NodeApiError or NodeOperationError that people are to see
 */
export async function pollForms(n8n: IPollFunctions): Promise<Items> {
	const node = n8n.getNode();
	const memory = getTriggerCache(`${n8n.getWorkflow().id}:${node.id}:${node.name}`);
	const occasion = findPollReason(n8n);
	if (memory.isPolling) return null;
	memory.isPolling = true;
	try {
		const input = await readInput(n8n, memory, occasion);
		if (input === undefined) return null;
		const poll = createPoll(n8n, memory, occasion, ...input);
		const isSaving = isSavePending(poll.staticData, memory, clock.now());
		return occasion === 'schedule' && isSaving ? null : await pollOnce(poll);
	} finally {
		memory.isPolling = false;
	}
}

/**
 * The parameters and the account; undefined if they cannot be used.
 *
 * @throws why they cannot be used, if a person is to see that now
 */
async function readInput(
	n8n: IPollFunctions,
	memory: TriggerCache,
	occasion: PollReason,
): Promise<[TriggerParameters, Account] | undefined> {
	try {
		const parameters = readTriggerParameters(n8n);
		const account = await getAccount(n8n);
		memory.failures.delete(PARAMETERS_KEY);
		forgetOutdated(memory, JSON.stringify([account.key, parameters]));
		// a person who publishes the workflow may have changed the fields
		if (occasion === 'publish') memory.fields.clear();
		return [parameters, account];
	} catch (cause) {
		const error = asNodeError(n8n.getNode(), cause);
		if (occasion !== 'schedule') throw error;
		startBackoff(memory, PARAMETERS_KEY, error);
		const reported = takeReportableError(memory, [error]);
		if (reported !== undefined) throw reported;
		n8n.logger.warn(`The forms cannot be polled: ${error.message}`);
		return undefined;
	}
}

/** What has failed with other parameters may work now, and fields are named by the parameters. */
function forgetOutdated(memory: TriggerCache, owner: string): void {
	if (owner === memory.owner) return;
	memory.owner = owner;
	memory.failures.clear();
	memory.fields.clear();
}

/** Reads what is due, makes items of what is new, and saves what is known then. */
async function pollOnce(poll: Poll): Promise<Items> {
	beginPoll(poll);
	if (!isBackingOff(poll, ACCOUNT_KEY)) {
		await pollFormList(poll);
		await pollResponses(poll);
	}
	const error = findActivationError(poll);
	if (error !== undefined) throw error;
	savePoll(poll);
	if (poll.items.length > 0) return sortByTime(poll.items, 'oldest').map(({ item }) => item);
	const isOneOfSeveral = hasSeveralForms(poll.parameters.watch);
	const isScheduled = poll.occasion === 'schedule';
	const reported = isScheduled && takeReportableError(poll.memory, poll.errors, isOneOfSeveral);
	if (reported) throw reported;
	return null;
}

/** Takes note of what the parameters have changed since the last poll. */
function beginPoll(poll: Poll): void {
	const { forms, parameters, request, state, times } = poll;
	const { watch, events } = parameters;
	if (watch.kind === 'chosen') {
		updateAbsences(forms, (id) => watch.formIds.includes(id), times.startedAtMs);
		// forms that exist when all forms are chosen again are not new
		poll.listedSinceMs = undefined;
	}
	for (const [id, { attributes, ...rest }] of forms) {
		if (attributes !== undefined && !events.includes('formUpdated')) forms.set(id, rest);
	}
	if (state.isDamaged && state.forms.size === 0) {
		request.n8n.logger.warn(
			"The trigger's saved state could not be read. Existing responses won't start the workflow.",
		);
	}
	shareRequests(poll);
}

/** Takes note of how many requests the trigger needs, and of how many it has. */
function shareRequests(poll: Poll): void {
	const { forms, memory, parameters, request, times } = poll;
	const { requestsPerDay, lists } = parameters;
	const weight = sumBy(getWatchedFormIds(poll), (id) =>
		computeWeight(forms.get(id)?.deliveredAtMs, times.startedAtMs),
	);
	memory.use = {
		accountKey: request.account.key,
		requestsPerDay,
		weight: Math.max(1, weight + Number(lists.forms)),
		polledAtMs: times.startedAtMs,
	};
	poll.spacingMs = computeIntervalMs(collectBudgetClaims(), memory.use);
}

/** Puts what is known into the static data, as the last step of a poll. */
function savePoll({ forms, items, listedSinceMs, memory, state, staticData }: Poll): void {
	const after = { ...state, forms, listedSinceMs };
	const hasItems = items.length > 0;
	saveState(staticData, memory, state, after, { hasItems, nowMs: clock.now() });
}
