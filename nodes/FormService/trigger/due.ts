import { clock } from '../api/clock';
import { allowanceUsedUp } from './errors';
import { backOffUntil } from './failures';
import type { FormMemory, Order } from './memory';
import { LIST, sharerKey, watchesOther } from './pollRun';
import type { PollRun } from './pollRun';
import { afterReading, dueAt, HOUR_MS, isDue, wholeDueAt } from './schedule';
import type { Pace, Sent } from './schedule';

/** A listing that a poll reads: the responses of a form, or the list of all forms. */
export type Listing = {
	/** The form's ID, or LIST. */
	about: string;
	memory: FormMemory;
	/** Nothing is known of it yet. */
	isFirst: boolean;
	/** How it is ordered, if a part of it is enough for most polls. */
	order?: Order;
	/** Responses may be completed where a short reading does not see it. */
	hasIncomplete?: boolean;
};

/** How a listing can be read now. The list of all forms is read once an hour at most. */
export function paceOf(run: PollRun, { about, memory, order, hasIncomplete }: Listing): Pace {
	const share = run.allowance.spacing(sharerKey(run, about), clock.now());
	const { pages } = memory.schedule;
	return {
		spacing: about === LIST ? Math.max(share, HOUR_MS / Math.max(1, pages)) : share,
		isShort: order !== undefined,
		isUrgent:
			order?.isDoubtful === true || hasIncomplete === true || memory.failures.wholeCount > 0,
	};
}

const WAITS =
	"A poll is due, but the triggers on this account have used up their 'Requests per Day'. It follows as soon as enough requests are available again.";

/**
 * Decides what is read of a listing now: the whole, a part, or nothing, because it is not due or too few
 * requests of the day are left. Other polls then let this one go first.
 */
export function decideReading(run: PollRun, listing: Listing): 'whole' | 'short' | undefined {
	const { about, memory, isFirst, order } = listing;
	const { allowance, memory: trigger, occasion } = run;
	const { schedule, failures } = memory;
	if (run.isStopped) return undefined;
	const now = clock.now();
	const key = sharerKey(run, about);
	const pace = paceOf(run, listing);
	const mayBegin = [failures, trigger.account].every((one) =>
		isDue(backOffUntil(one, pace.spacing), now),
	);
	const isWholeDue = isDue(wholeDueAt(schedule, pace), now);
	const isPartDue = order !== undefined && isDue(dueAt(schedule, pace), now);
	const due = mayBegin ? (isWholeDue ? 'whole' : isPartDue ? 'short' : undefined) : undefined;
	// whoever publishes a workflow wants to know whether it works
	const cannotWait = isFirst && occasion !== 'schedule';
	const isWanted = cannotWait || isRetryWanted(run, memory, now);
	const kind = due ?? (isWanted ? (order === undefined ? 'whole' : 'short') : undefined);
	const left = cannotWait ? allowance.left(now) : allowance.leftFor(key, schedule.startedAt, now);
	const needed = kind === 'whole' ? Math.min(expectedRequests(schedule.pages), allowance.limit) : 1;
	const hasToWait = kind !== undefined && left < needed;
	if (allowance.wait(key, hasToWait ? needed : undefined, now)) {
		run.context.n8n.logger.info(WAITS);
	}
	if (!hasToWait) return kind;
	if (cannotWait && !watchesOther(run, about)) {
		const error = allowanceUsedUp(run.context.n8n.getNode(), allowance.freeAt(needed, now));
		trigger.toReport ??= { error, about };
	}
	return isPartDue && mayBegin && left >= 1 ? 'short' : undefined;
}

/** A publication polls at once what fails, unless the service has asked to wait. */
function isRetryWanted(
	{ occasion, memory }: PollRun,
	{ failures }: FormMemory,
	now: number,
): boolean {
	const isFailing = failures.count + memory.account.count > 0;
	const waitUntil = Math.max(failures.waitUntil, memory.account.waitUntil);
	return occasion === 'publish' && isFailing && now >= waitUntil;
}

/** A listing of several pages may have grown by one since the last poll. */
function expectedRequests(pages: number): number {
	return pages > 1 ? pages + 1 : 1;
}

/**
 * Counts the requests of a reading, good or failed, which are paid for by waiting.
 *
 * @param canBeShort whether a part of the listing is enough from now on
 */
export function payFor(run: PollRun, listing: Listing, sent: Sent, canBeShort: boolean): void {
	if (sent.requests === 0) return;
	const { memory } = listing;
	memory.schedule = afterReading(memory.schedule, sent, paceOf(run, listing), canBeShort);
}
