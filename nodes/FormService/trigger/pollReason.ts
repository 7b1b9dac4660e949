import type { IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from './requestBudget';

/* Finds out why n8n polls, and how long the poll may take. */

/**
 * The reason for a poll:
 *
 * - `schedule`: the workflow is active, and the time for a poll has come.
 * - `start`: n8n has started.
 * - `publish`: the user has published the workflow.
 */
export type PollReason = 'schedule' | 'start' | 'publish';

const activatedContexts = new WeakSet<IPollFunctions>();

/**
 * Returns the reason for a poll, and records the context `n8n`. Each activation of a workflow has a new
 * context. The first poll with a context belongs to the activation. Later polls with the same context belong to
 * the schedule.
 *
 * n8n activates a workflow when n8n starts (`init`), and when another main process takes over
 * (`leadershipChange`). All other activations are from the user.
 */
export function takePollReason(n8n: IPollFunctions): PollReason {
	if (activatedContexts.has(n8n) || isDurablePoll(n8n)) return 'schedule';
	activatedContexts.add(n8n);
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}

/**
 * Whether a poll is a scheduled poll in n8n's durable mode. Like an activation, a durable poll has a new
 * context. Only the time limit differs: by default, n8n allows 36 seconds for a durable poll, and 5 minutes
 * for an activation.
 */
function isDurablePoll(n8n: IPollFunctions): boolean {
	return getPollTimeoutMs(n8n) !== REGULAR_POLL_TIMEOUT_MS;
}

/**
 * The time that n8n allows for a poll outside durable mode. The trigger uses this time as a maximum in both
 * modes.
 */
export const REGULAR_POLL_TIMEOUT_MS = 5 * MINUTE_MS;

/**
 * Returns how long this poll may take, in milliseconds. Only n8n 2.38 and later provide this time. For earlier
 * versions, returns the default.
 */
export function getPollTimeoutMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function'
		? getPollBudgetMs.call(n8n)
		: REGULAR_POLL_TIMEOUT_MS;
}
