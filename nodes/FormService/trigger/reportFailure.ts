import type { TriggerMemory } from './memory';
import { afterFailure, dueAt } from './pollSchedule';
import { asNodeError, failureOf } from './trouble';
import type { World } from './world';

export type FailedPoll = {
	/** Epoch milliseconds. */
	startedAt: number;
	/** Milliseconds between two requests of the trigger. */
	spacing: number;
	/** Someone waits for it, or nobody would learn of it otherwise. */
	tellAtOnce: boolean;
};

/**
 * Logs a failure that may pass by itself, and puts the next look off.
 *
 * @throws the failure as a NodeApiError or NodeOperationError when people are to be told of it
 */
export function reportFailure(
	error: unknown,
	own: Pick<TriggerMemory, 'schedule'>,
	{ node, now, log }: Pick<World, 'node' | 'now' | 'log'>,
	{ startedAt, spacing, tellAtOnce }: FailedPoll,
): null {
	const failure = failureOf(error);
	const times = { startedAt, now: now(), spacing };
	const { schedule, tell } = afterFailure(own.schedule, { ...times, failure, tellAtOnce });
	own.schedule = schedule;
	const told = asNodeError(node, error);
	if (tell) throw told;
	log.warn(
		`The responses could not be read: ${told.message}. Failures in a row: ${schedule.failures}. The next try is not before ${new Date(dueAt(schedule, spacing)).toISOString()}.`,
	);
	return null;
}
