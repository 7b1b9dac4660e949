import type { Budget } from './budget';
import type { Dependencies, Trigger } from './dependencies';
import type { Listing } from './diff';
import { asNodeError } from '../api/errors';
import { budgetUsedUp, failureOf, isOfAccount, needsPerson } from './errors';
import type { FormMemory, TriggerMemory } from './memory';
import { afterFailure, dueAt, freshSchedule, HOUR_MS, isDue } from './schedule';
import type { Schedule } from './schedule';

const QUEUED =
	'The check was not sent: other nodes of the account have used up the requests of the minute. The next tick tries again.';

const WAITS =
	"A check is due, but the triggers on this account have used up their 'Requests per Day'. It comes as soon as enough of them are left again.";

/** In place of a form's ID: the list of all forms. */
export const LIST = '';

/** In place of a form's ID: the account, whichever form was asked for. */
const ACCOUNT = '*';

/** Forms in a row that a service cannot give now: from then on it is the service that fails. */
const FORMS_UNTIL_SERVICE_FAILS = 2;

/** What is to be read: the responses of a form, or the list of forms. */
export type Source = {
	/** The form's ID, or LIST. */
	of: string;
	memory: FormMemory;
	/** Whether the trigger has yet to begin with it: what comes before is not delivered. */
	isFirst: boolean;
	/** Nobody is told when it fails. */
	isOptional?: boolean;
	request(goOn: () => boolean): Promise<Listing>;
};

export type Read = { listing: Listing; pages: number; startedAt: number; spacing: number };

/** Reads what is due, as far as the budget allows, and takes failures as they come. */
export class Reader {
	/** Whether a request has been sent, or was about to be. */
	hasRead = false;

	/** Whether nothing more is to be sent. */
	private isStopped = false;

	private failedInARow = 0;

	/**
	 * @param until when no further page is begun, in epoch milliseconds
	 * @param watchesOther whether there is a form beside this one that the trigger has begun with
	 */
	constructor(
		private readonly trigger: Trigger,
		private readonly own: TriggerMemory,
		private readonly budget: Budget,
		private readonly deps: Dependencies,
		private readonly until: number,
		private readonly watchesOther: (of: string) => boolean,
	) {}

	/** @returns what was read; `notDue` if it is not time for it, or no request is left; or `failed` */
	async read(source: Source): Promise<Read | 'notDue' | 'failed'> {
		const { trigger, own, budget, deps } = this;
		const { of, memory, isFirst } = source;
		if (this.isStopped) return 'notDue';
		const startedAt = deps.now();
		const spacing = this.spacing(of, memory);
		const cannotWait = isFirst && trigger.reason !== 'tick';
		const isWanted =
			cannotWait ||
			this.isAsked(memory, startedAt) ||
			[memory.schedule, own.accountSchedule].every((one) => isDue(one, spacing, startedAt));
		const key = this.key(of);
		const wanted = Math.min(expectedPages(memory.schedule), budget.limit);
		const left = cannotWait
			? budget.left(startedAt)
			: budget.leftFor(key, memory.schedule.startedAt, startedAt);
		const hasToWait = isWanted && left < wanted;
		if (budget.wait(key, hasToWait ? wanted : undefined, startedAt)) deps.log.info(WAITS);
		if (hasToWait && cannotWait) {
			const error = budgetUsedUp(deps.node, budget.freeAt(wanted, startedAt));
			own.toReport ??= { error, of };
		}
		if (!isWanted || hasToWait) return 'notDue';

		this.hasRead = true;
		const before = deps.requestsSent();
		const sent = () => deps.requestsSent() - before;
		const reservation = budget.reserve();
		reservation.hold(1, startedAt);
		const goOn = () => {
			reservation.hold(sent() + 1, deps.now());
			return deps.now() < this.until && budget.left(deps.now()) >= 0;
		};
		try {
			const listing = await source.request(goOn);
			this.failedInARow = 0;
			own.accountSchedule = freshSchedule;
			if (own.toReport?.of === ACCOUNT) own.toReport = undefined;
			return { listing, pages: sent(), startedAt, spacing };
		} catch (error) {
			this.failed(source, error, { startedAt, sent: sent(), isOfSource: false });
			return 'failed';
		} finally {
			reservation.release(sent(), deps.now());
		}
	}

	/** Puts the next poll off after a failure, and sees to it that people learn of it. */
	failed(
		{ of, memory, isFirst, isOptional = false }: Source,
		error: unknown,
		{ startedAt, sent, isOfSource }: { startedAt: number; sent: number; isOfSource: boolean },
	): void {
		const { trigger, own, deps } = this;
		const failure = failureOf(error);
		const isPublished = trigger.reason === 'publish';
		const isFirstOfAll =
			trigger.reason !== 'tick' && isFirst && (isPublished || !this.watchesOther(of));
		const reportAtOnce = !isOptional && (isFirstOfAll || (isPublished && needsPerson(failure)));
		if (!reportAtOnce && failure?.cause === 'rate-limited' && sent === 0) {
			this.isStopped = true;
			deps.log.info(QUEUED);
			return;
		}
		if (failure?.cause === 'temporarily-unavailable') this.failedInARow += 1;
		const isServiceDown = this.failedInARow >= FORMS_UNTIL_SERVICE_FAILS;
		const isOfAll = !isOfSource && (isOfAccount(failure) || isServiceDown);
		const before = isOfAll ? own.accountSchedule : memory.schedule;
		const spacing = this.spacing(of, memory);
		const isAlone = trigger.watch.kind === 'chosen' && trigger.watch.formIds.length === 1;
		const { schedule, report } = afterFailure(before, {
			startedAt,
			now: deps.now(),
			spacing,
			failure,
			reportAtOnce,
			reportAgain: isOfAll || isAlone || of === LIST,
		});
		const isReported = report && !isOptional && own.toReport === undefined;
		const next = isReported ? schedule : { ...schedule, reportedAt: before.reportedAt };
		if (isOfAll) {
			this.isStopped = true;
			own.accountSchedule = next;
			memory.schedule = { ...memory.schedule, startedAt, requestDebt: next.requestDebt };
		} else memory.schedule = next;
		const told = asNodeError(deps.node, error);
		if (isReported) own.toReport = { error: told, of: isOfAll ? ACCOUNT : of };
		else {
			const what = of === LIST ? 'The forms' : `The responses of form ${of}`;
			const time = new Date(dueAt(next, spacing)).toISOString();
			deps.log.warn(
				`${what} could not be read: ${told.message}. Failures in a row: ${next.failures}. The next try is not before ${time}.`,
			);
		}
	}

	/** Throws what is to be reported, unless the others of an activation go on without this form. */
	report(): void {
		const { own, trigger, deps } = this;
		if (own.toReport === undefined) return;
		const { error, of } = own.toReport;
		const isOfOneForm = of !== ACCOUNT && of !== LIST;
		if (trigger.reason !== 'tick' && isOfOneForm && this.watchesOther(of)) return;
		own.toReport = undefined;
		const isToCorrect = trigger.reason !== 'tick' && needsPerson(error.failure);
		if (isToCorrect) own.toCorrect = { error, at: deps.now() };
		throw error;
	}

	/** The name of a form of this trigger in the account's budget. */
	key(of: string): string {
		return `${this.trigger.key} ${of}`;
	}

	/** Milliseconds between two requests for it; the list of forms is read once an hour at most. */
	spacing(of: string, { schedule: { pages } }: FormMemory): number {
		const spacing = this.budget.spacing(this.key(of), this.deps.now());
		return of === LIST ? Math.max(spacing, HOUR_MS / Math.max(1, pages)) : spacing;
	}

	/** Whoever publishes a workflow while its polls fail wants to know whether they still do. */
	private isAsked({ schedule }: FormMemory, now: number): boolean {
		const { accountSchedule } = this.own;
		const failures = schedule.failures + accountSchedule.failures;
		const refusedUntil = Math.max(schedule.refusedUntil, accountSchedule.refusedUntil);
		return this.trigger.reason === 'publish' && failures > 0 && now >= refusedUntil;
	}
}

/** A listing of several pages may have grown by one since the last poll. */
function expectedPages({ pages }: Schedule): number {
	return pages > 1 ? pages + 1 : 1;
}
