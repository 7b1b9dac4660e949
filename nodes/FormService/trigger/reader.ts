import type { IDataObject } from 'n8n-workflow';
import type { Budget } from './budget';
import type { Dependencies, Trigger } from './dependencies';
import type { Listing } from './diff';
import { asNodeError } from '../api/errors';
import { budgetUsedUp, cutFields, failureOf, isOfAccount, needsPerson } from './errors';
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

		const ended = await this.send(source.request, startedAt);
		if ('error' in ended) {
			this.failed(source, ended.error, { startedAt, sent: ended.sent, isOfSource: false });
			return 'failed';
		}
		this.failedInARow = 0;
		own.accountSchedule = freshSchedule;
		if (own.toReport?.of === ACCOUNT) own.toReport = undefined;
		return { listing: ended.listing, pages: ended.sent, startedAt, spacing };
	}

	/**
	 * The fields of a form that items are made with. They are read again after an hour; where there is
	 * no request or no time for that, or it fails, those known before serve.
	 *
	 * @returns undefined when none are known yet and cannot be read now: items have to wait
	 * @throws why they cannot be read, where none are known
	 */
	async fields(of: string, memory: FormMemory): Promise<IDataObject[] | undefined> {
		const { budget, deps } = this;
		const { fields: known, schedule } = memory;
		const startedAt = deps.now();
		if (known !== undefined && startedAt - known.triedAt < HOUR_MS) return known.records;
		// what was found need not leave a request for what may be found
		const left =
			known === undefined
				? budget.left(startedAt)
				: budget.leftFor(this.key(of), schedule.startedAt, startedAt);
		if (this.isStopped || left < 1 || startedAt >= this.until) return known?.records;
		const ended = await this.send(async (goOn) => {
			const listing = await deps.listFields(of, goOn);
			if (!listing.complete) throw cutFields(deps.node);
			return listing;
		}, startedAt);
		memory.schedule = { ...schedule, requestDebt: schedule.requestDebt + ended.sent };
		if ('listing' in ended) {
			memory.fields = { records: ended.listing.records, triedAt: startedAt };
			return memory.fields.records;
		}
		if (this.isQueued(ended.error, ended.sent)) return known?.records;
		if (known === undefined) throw asNodeError(deps.node, ended.error);
		memory.fields = { ...known, triedAt: startedAt };
		const { message } = asNodeError(deps.node, ended.error);
		deps.log.warn(`The fields of form ${of} could not be read again: ${message}`);
		return known.records;
	}

	/** Sends the requests of one listing, each of which counts, as far as the budget and the time allow. */
	private async send(
		request: Source['request'],
		startedAt: number,
	): Promise<{ sent: number } & ({ listing: Listing } | { error: unknown })> {
		const { budget, deps } = this;
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
			return { listing: await request(goOn), sent: sent() };
		} catch (error) {
			return { error, sent: sent() };
		} finally {
			reservation.release(sent(), deps.now());
		}
	}

	/** Whether its turn in the account's queue did not come: then nothing more is sent, and nothing has failed. */
	private isQueued(error: unknown, sent: number): boolean {
		if (failureOf(error)?.cause !== 'rate-limited' || sent > 0) return false;
		this.isStopped = true;
		this.deps.log.info(QUEUED);
		return true;
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
		if (!reportAtOnce && this.isQueued(error, sent)) return;
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
