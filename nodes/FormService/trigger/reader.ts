import type { IDataObject } from 'n8n-workflow';
import type { Budget } from './budget';
import type { Dependencies, Trigger } from './dependencies';
import type { PollListing } from './diff';
import { asNodeError } from '../api/errors';
import { budgetUsedUp, cutFields, failureOf, isOfAccount, needsPerson } from './errors';
import type { FormMemory, TriggerMemory } from './memory';
import {
	afterFailure,
	dueAt,
	freshSchedule,
	HOUR_MS,
	isDue,
	isShortDue,
	pollDue,
	shortDueAt,
} from './schedule';
import type { Schedule } from './schedule';
import { Sending } from './sending';
import { inDoubt } from './shortPoll';
import { LIST } from './source';
import type { Source } from './source';

const WAITS =
	"A check is due, but the triggers on this account have used up their 'Requests per Day'. It comes as soon as enough of them are left again.";

/** In place of a form's ID: the account, whichever form was asked for. */
const ACCOUNT = '*';

/** Forms in a row that a service cannot give now: from then on it is the service that fails. */
const FORMS_UNTIL_SERVICE_FAILS = 2;

/** `pages` is how many requests it took. */
export type Read = { listing: PollListing; pages: number; startedAt: number; spacing: number };

/** `isShort`: it read no more than a short poll does. `isOfSource`: another form would not fail so. */
type FailedRead = { startedAt: number; sent: number; isShort: boolean; isOfSource: boolean };

/** Reads what is due, as far as the budget allows, and takes failures as they come. */
export class Reader {
	private readonly sending: Sending;

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
	) {
		this.sending = new Sending(budget, deps, until);
	}

	/** Whether a request has been sent, or was about to be. */
	get hasRead(): boolean {
		return this.sending.hasBegun;
	}

	/** @returns what was read; `notDue` if it is not time for it, or no request is left; or `failed` */
	async read(source: Source): Promise<Read | 'notDue' | 'failed'> {
		const { trigger, own, budget, deps } = this;
		const { of, memory, isFirst, edge } = source;
		const { schedule } = memory;
		if (this.sending.isStopped) return 'notDue';
		const startedAt = deps.now();
		const spacing = this.spacing(of, memory);
		const cannotWait = isFirst && trigger.reason !== 'tick';
		const due = isDue(own.accountSchedule, spacing, startedAt)
			? pollDue(schedule, edge, { spacing, now: startedAt })
			: undefined;
		const asked = edge === undefined ? 'whole' : 'short';
		const kind = cannotWait || this.isAsked(memory, startedAt) ? (due ?? asked) : due;
		const key = this.key(of);
		const whole = Math.min(expectedPages(schedule), budget.limit);
		const wanted = kind === 'short' ? 1 : whole;
		const leftAt = (now: number) =>
			cannotWait ? budget.left(now) : budget.leftFor(key, schedule.startedAt, now);
		const left = leftAt(startedAt);
		const hasToWait = kind !== undefined && left < wanted;
		const canBeShort = edge !== undefined && left > 0 && isShortDue(schedule, spacing, startedAt);
		if (budget.wait(key, hasToWait ? wanted : undefined, startedAt)) deps.log.info(WAITS);
		if (hasToWait && cannotWait) {
			const error = budgetUsedUp(deps.node, budget.freeAt(wanted, startedAt));
			own.toReport ??= { error, of };
		}
		if (kind === undefined || (hasToWait && !canBeShort)) return 'notDue';

		let isShort = kind === 'short' || hasToWait;
		const mayBeWhole = () => {
			const now = deps.now();
			isShort = !(isDue(schedule, spacing, now) && leftAt(now) >= whole);
			return !isShort;
		};
		const ended = await this.sending.send(
			async (goOn) => await source.request({ isShort, goOn, mayBeWhole }),
			startedAt,
		);
		if ('error' in ended) {
			const { error, sent } = ended;
			this.failed(source, error, { startedAt, sent, isShort, isOfSource: false });
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
		if (this.sending.isStopped || left < 1 || startedAt >= this.until) return known?.records;
		const ended = await this.sending.send(async (goOn) => {
			const listing = await deps.listFields(of, goOn);
			if (!listing.complete) throw cutFields(deps.node);
			return listing;
		}, startedAt);
		memory.schedule = { ...schedule, requestDebt: schedule.requestDebt + ended.sent };
		if ('listing' in ended) {
			memory.fields = { records: ended.listing.records, triedAt: startedAt };
			return memory.fields.records;
		}
		if (this.sending.isQueued(ended.error, ended.sent)) return known?.records;
		if (known === undefined) throw asNodeError(deps.node, ended.error);
		memory.fields = { ...known, triedAt: startedAt };
		const { message } = asNodeError(deps.node, ended.error);
		deps.log.warn(`The fields of form ${of} could not be read again: ${message}`);
		return known.records;
	}

	/** Puts the next poll off after a failure, and sees to it that people learn of it. */
	failed(
		{ of, memory, isFirst, isOptional = false }: Source,
		error: unknown,
		{ startedAt, sent, isShort, isOfSource }: FailedRead,
	): void {
		const { trigger, own, deps } = this;
		const failure = failureOf(error);
		const isPublished = trigger.reason === 'publish';
		const isFirstOfAll =
			trigger.reason !== 'tick' && isFirst && (isPublished || !this.watchesOther(of));
		const reportAtOnce = !isOptional && (isFirstOfAll || (isPublished && needsPerson(failure)));
		if (!reportAtOnce && this.sending.isQueued(error, sent)) return;
		if (failure?.cause === 'temporarily-unavailable') this.failedInARow += 1;
		const isServiceDown = this.failedInARow >= FORMS_UNTIL_SERVICE_FAILS;
		const isOfAll = !isOfSource && (isOfAccount(failure) || isServiceDown);
		const before = isOfAll ? own.accountSchedule : memory.schedule;
		const spacing = this.spacing(of, memory);
		const isAlone = trigger.watch.kind === 'chosen' && trigger.watch.formIds.length === 1;
		if (!isShort) memory.paged = inDoubt(memory);
		const { schedule, report } = afterFailure(before, {
			isShort,
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
			this.sending.isStopped = true;
			own.accountSchedule = next;
			memory.schedule = { ...memory.schedule, startedAt, requestDebt: next.requestDebt };
		} else memory.schedule = next;
		const told = asNodeError(deps.node, error);
		if (isReported) own.toReport = { error: told, of: isOfAll ? ACCOUNT : of };
		else {
			const what = of === LIST ? 'The forms' : `The responses of form ${of}`;
			const at = isShort ? shortDueAt(next, spacing) : dueAt(next, spacing);
			const time = new Date(at).toISOString();
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
