import { clamp } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { parseFields } from '../api/answers/fields';
import type { FormField } from '../api/answers/fields';
import { hasUnmatchedAnswers } from '../api/answers/match';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import { asNodeError, NotSent } from '../api/errors';
import type { Version } from '../api/request/request';
import { allowanceUsedUp, cutShort, LOG } from './errors';
import { answered, backOffUntil, failed } from './failures';
import { LIST } from './memory';
import type { FormMemory } from './memory';
import { knowsOther } from './pollRun';
import type { Listing, PollRun } from './pollRun';
import { readShort, readWhole } from './reading';
import type { Reading } from './reading';
import {
	afterReading,
	dueAt,
	HOUR_MS,
	isDue,
	MINUTE_MS,
	shortReadingsIn,
	wholeDueAt,
} from './schedule';
import type { Pace, Sent } from './schedule';

/** How a listing can be read now. The list of all forms is read once an hour at most. */
function paceOf(run: PollRun, { about, memory, order, known }: Listing): Pace {
	const share = run.allowance.spacing(memory.sharer, clock.now());
	const { pages } = memory.schedule;
	const isUnclear = order?.isDoubtful === true || memory.failures.wholeCount > 0;
	return {
		spacing: about === LIST ? Math.max(share, HOUR_MS / Math.max(1, pages)) : share,
		isShort: order !== undefined,
		// a short reading does not see that a response of another page was completed
		isUrgent: order !== undefined && (isUnclear || known?.hasIncomplete() === true),
	};
}

/**
 * Decides what is read of a listing now: the whole, a part, or nothing, because it is not due or too few
 * requests of the day are left. Other polls then let this one go first.
 */
export function decideReading(run: PollRun, listing: Listing): 'whole' | 'short' | undefined {
	const { about, memory, isFirst, order } = listing;
	const { allowance, memory: trigger, occasion } = run;
	const { sharer, schedule, failures } = memory;
	if (run.isStopped) return undefined;
	const now = clock.now();
	const pace = paceOf(run, listing);
	const mayBegin = [failures, trigger.account].every((one) =>
		isDue(backOffUntil(one, pace.spacing), now),
	);
	const isWholeDue = mayBegin && isDue(wholeDueAt(schedule, pace), now);
	const isPartDue = mayBegin && order !== undefined && isDue(dueAt(schedule, pace), now);
	// a person who publishes a workflow wants to know whether it works
	const cannotWait = isFirst && occasion !== 'schedule';
	const isWanted = cannotWait || isAskedFor(run, listing, now);
	if (!isWholeDue && !isPartDue && !isWanted) {
		allowance.wait(sharer, undefined, now);
		return undefined;
	}
	const kind = isWholeDue || order === undefined ? 'whole' : 'short';
	const left = cannotWait
		? allowance.left(now)
		: allowance.leftFor(sharer, schedule.startedAt, now);
	// a listing of several pages may have grown by one since the last poll
	const all = schedule.pages > 1 ? schedule.pages + 1 : 1;
	const needed = kind === 'whole' ? Math.min(all, allowance.limit) : 1;
	// a whole reading leaves enough for the short ones until the next request of the day is free again
	const untilFree = allowance.freeAt(allowance.left(now) + 1, now) - now;
	const reserved = kind === 'whole' && pace.isShort ? shortReadingsIn(untilFree, pace) : 0;
	const hasToWait = left < needed + reserved;
	if (allowance.wait(sharer, hasToWait ? needed : undefined, now)) {
		run.context.n8n.logger.info(LOG.waits);
	}
	if (!hasToWait) return kind;
	if (cannotWait && !knowsOther(run, about)) {
		const error = allowanceUsedUp(run.context.n8n.getNode(), allowance.freeAt(needed, now));
		trigger.toReport ??= { error, about };
	}
	return isPartDue && left >= 1 ? 'short' : undefined;
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

/**
 * Reads the whole listing, or the part of it that has the new responses, and counts the requests: they are
 * paid for by waiting, whether the reading is good or not.
 *
 * @param version of the listing, if its return would change nothing
 * @returns undefined if the reading has failed
 */
export async function readListing(
	run: PollRun,
	listing: Listing,
	kind: 'whole' | 'short',
	version?: Version,
): Promise<Reading | undefined> {
	const { about, memory, order, known } = listing;
	const { account } = run.context;
	const startedAt = clock.now();
	const before = run.requests;
	let reading: Reading | undefined;
	try {
		const target =
			about === LIST
				? targetOf(account, endpoints.listForms)
				: targetOf(account, endpoints.listResponses, { formId: about });
		reading =
			kind === 'short' && order !== undefined && known !== undefined
				? await readShort(run, target, { order, known })
				: await readWhole(run, target, version);
		answered(run);
	} catch (error) {
		failed(run, listing, { startedAt, isWhole: kind === 'whole', isAboutForm: false }, error);
	}
	const requests = run.requests - before;
	const isWhole = kind === 'whole' || reading?.isWhole === true;
	// a reading that was cut says nothing about the order
	const canBeShort = (reading?.isWhole ? reading.order : order) !== undefined;
	payFor(run, listing, { startedAt, requests, isWhole }, canBeShort);
	if (reading !== undefined && !reading.isShort) {
		// a listing that was cut has more pages: the next reading waits until there are requests for more
		const atLeast = Math.max(memory.schedule.pages, requests + 1);
		const pages = reading.isWhole ? Math.max(1, requests) : atLeast;
		memory.schedule = { ...memory.schedule, pages };
	}
	return reading;
}

/** @param canBeShort whether a part of the listing is enough from now on */
export function payFor(run: PollRun, listing: Listing, sent: Sent, canBeShort: boolean): void {
	if (sent.requests === 0) return;
	const { memory } = listing;
	memory.schedule = afterReading(memory.schedule, sent, paceOf(run, listing), canBeShort);
}

/**
 * The fields of a form, for conditions and items. They are read again after an hour, and if answers belong
 * to none of them. If no request or time is left for that, or if it fails, the last known fields are used.
 *
 * @param records the responses that are to be delivered
 * @returns undefined if none are known yet and they cannot be read now: the responses have to wait
 * @throws why they cannot be read, if none are known
 */
export async function fieldsOf(
	run: PollRun,
	id: string,
	memory: FormMemory,
	records: readonly IDataObject[],
): Promise<readonly FormField[] | undefined> {
	const { allowance, context, parameters } = run;
	const { fields: known, schedule, sharer } = memory;
	const now = clock.now();
	const isCurrent =
		known !== undefined &&
		now - known.triedAt < HOUR_MS &&
		(known.isUnmatched || !hasUnmatchedAnswers(records, known.fields));
	if (isCurrent) return known.fields;
	// responses that were found go before polls that may find some
	const left =
		known === undefined ? allowance.left(now) : allowance.leftFor(sharer, schedule.startedAt, now);
	if (run.isStopped || left < 1 || now >= run.until) return known?.fields;
	const before = run.requests;
	try {
		const target = targetOf(context.account, endpoints.listFields, { formId: id });
		const reading = await readWhole(run, target);
		if (!reading.isWhole) throw cutShort(context.n8n.getNode(), 'fields');
		const fields = parseFields(reading.records, parameters.output);
		const isUnmatched = hasUnmatchedAnswers(records, fields);
		memory.fields = { fields, triedAt: now, isUnmatched };
	} catch (cause) {
		const error = asNodeError(context.n8n.getNode(), cause);
		if (cause instanceof NotSent) run.isStopped = true;
		else if (known === undefined) throw error;
		else {
			memory.fields = { ...known, triedAt: now };
			context.n8n.logger.warn(`The fields of form ${id} could not be read again: ${error.message}`);
		}
	} finally {
		const debt = schedule.debt + run.requests - before;
		memory.schedule = { ...schedule, debt };
	}
	return memory.fields?.fields;
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
