import { clamp } from 'lodash';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import type { Target } from '../api/endpoints';
import type { Version } from '../api/request/request';
import { allowanceUsedUp, LOG } from './errors';
import { backOffUntil } from './failures';
import type { KnownResponses } from './knownResponses';
import { LIST, sharerKey, watchesOther } from './pollRun';
import type { Listing, PollRun } from './pollRun';
import { readShort, readWhole } from './reading';
import type { Reading } from './reading';
import { answered, failed } from './reporting';
import { afterReading, dueAt, HOUR_MS, isDue, MINUTE_MS, wholeDueAt } from './schedule';
import type { Pace, Sent } from './schedule';

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
	const isWanted = cannotWait || isAskedFor(run, listing, now);
	const kind = due ?? (isWanted ? (order === undefined ? 'whole' : 'short') : undefined);
	const left = cannotWait ? allowance.left(now) : allowance.leftFor(key, schedule.startedAt, now);
	const needed = kind === 'whole' ? Math.min(expectedRequests(schedule.pages), allowance.limit) : 1;
	const hasToWait = kind !== undefined && left < needed;
	if (allowance.wait(key, hasToWait ? needed : undefined, now)) {
		run.context.n8n.logger.info(LOG.waits);
	}
	if (!hasToWait) return kind;
	if (cannotWait && !watchesOther(run, about)) {
		const error = allowanceUsedUp(run.context.n8n.getNode(), allowance.freeAt(needed, now));
		trigger.toReport ??= { error, about };
	}
	return isPartDue && mayBegin && left >= 1 ? 'short' : undefined;
}

/** A publication polls at once what fails or is to be checked, unless the service has asked to wait. */
function isAskedFor(
	{ occasion, memory }: PollRun,
	{ memory: { failures }, isToCheck = false }: Listing,
	now: number,
): boolean {
	const isFailing = failures.count + memory.account.count > 0;
	const waitUntil = Math.max(failures.waitUntil, memory.account.waitUntil);
	return occasion === 'publish' && (isFailing || isToCheck) && now >= waitUntil;
}

/** A listing of several pages may have grown by one since the last poll. */
function expectedRequests(pages: number): number {
	return pages > 1 ? pages + 1 : 1;
}

/**
 * Reads the whole listing, or the part of it that has the new responses, and counts the requests: they are
 * paid for by waiting, whether the reading is good or not.
 *
 * @param known the version of the listing, or what is known of it, whose return would change nothing
 * @returns undefined if the reading has failed
 */
export async function readListing(
	run: PollRun,
	listing: Listing,
	kind: 'whole' | 'short',
	known: { version?: Version; responses?: KnownResponses } = {},
): Promise<Reading | undefined> {
	const { about, memory, order } = listing;
	const startedAt = clock.now();
	const before = run.requests;
	run.hasBegun = true;
	let reading: Reading | undefined;
	try {
		const target = targetIn(run, about);
		reading =
			kind === 'short' && order !== undefined && known.responses !== undefined
				? await readShort(run, target, order, known.responses)
				: await readWhole(run, target, known.version);
		answered(run);
	} catch (error) {
		failed(run, { ...listing, startedAt, isWhole: kind === 'whole', isAboutForm: false }, error);
	}
	const requests = run.requests - before;
	const isWhole = kind === 'whole' || reading?.isWhole === true;
	// a reading that was cut says nothing about the order
	const canBeShort = (reading?.isWhole ? reading.order : order) !== undefined;
	payFor(run, listing, { startedAt, requests, isWhole }, canBeShort);
	if (reading?.isWhole) memory.schedule = { ...memory.schedule, pages: Math.max(1, requests) };
	return reading;
}

function targetIn({ context: { account } }: PollRun, about: string): Target {
	return about === LIST
		? targetOf(account, endpoints.listForms)
		: targetOf(account, endpoints.listResponses, { formId: about });
}

/** @param canBeShort whether a part of the listing is enough from now on */
export function payFor(run: PollRun, listing: Listing, sent: Sent, canBeShort: boolean): void {
	if (sent.requests === 0) return;
	const { memory } = listing;
	memory.schedule = afterReading(memory.schedule, sent, paceOf(run, listing), canBeShort);
}

/** How many responses wait in memory at most, and in any case: they are whole records. */
const MOST_WAITING = 10_000;
const LEAST_WAITING = 1_000;

/** How many responses to keep: as many as n8n's polls can deliver until the listing is read again. */
export function roomUntilDue(run: PollRun, { about, memory }: Listing): number {
	const pace = paceOf(run, { about, memory, isFirst: false });
	const wait = wholeDueAt(memory.schedule, pace) - clock.now();
	const polls = Math.ceil(Math.max(0, wait) / MINUTE_MS) + 1;
	return clamp(polls * run.parameters.maxPerPoll, LEAST_WAITING, MOST_WAITING);
}
