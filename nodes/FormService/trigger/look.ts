import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { activeTriggers, claim, requestsLeft, settle } from './allowanceShare';
import { deliver } from './deliver';
import { identify } from './identify';
import type { Memory, TriggerMemory } from './memory';
import { oldestFirst } from './oldestFirst';
import { afterLook, DAY_MS, isDue, LOOKS_UNTIL_TOLD, spacingMs } from './pollSchedule';
import { keep, knows, recall } from './recall';
import { reportFailure } from './reportFailure';
import { baseline, findEvents, remember } from './seen';
import type { Seen } from './seen';
import { cutAtFirst, cutInVain, failureOf, needsPerson } from './trouble';
import type { Listing, Trigger, World } from './world';

type Items = INodeExecutionData[] | null;

/** The part of a poll's time in which new pages and files are begun; the rest is for them to end. */
const SHARE_FOR_BEGINNING = 0.6;

const CUT =
	'Not all responses could be read: there was no time, or no request of the day, left for further pages.';

const QUEUED =
	'The look was not sent: other nodes of the account have used up the requests of the minute. The next tick tries again.';

/** One look of one trigger: what is new becomes items, and then what is known changes. */
export class Look {
	private readonly startedAt: number;
	private readonly until: number;

	constructor(
		private readonly trigger: Trigger,
		private readonly staticData: IDataObject,
		private readonly own: TriggerMemory,
		private readonly memory: Memory,
		private readonly world: World,
	) {
		this.startedAt = world.now();
		this.until = this.startedAt + trigger.budgetMs * SHARE_FOR_BEGINNING;
	}

	/** Whether it is time for a look at the form, as many triggers as there are now. */
	isDue(): boolean {
		return isDue(this.own.schedule, this.spacing(), this.startedAt);
	}

	async atForm(): Promise<Items> {
		const { own, memory, world, startedAt } = this;
		const { account } = this.trigger;
		const look = memory.nextLook();
		const claimPage = () =>
			memory.setShare(account, claim(memory.share(account), look, world.requestsSent()));
		const goOn = () => {
			claimPage();
			return world.now() < this.until && requestsLeft(memory.share(account)) >= 0;
		};
		claimPage();
		try {
			const listing = await world.list(goOn);
			const pages = world.requestsSent();
			const items = await this.take(listing);
			if (!listing.complete) world.log.warn(CUT);
			own.schedule = afterLook(own.schedule, { startedAt, pages, spacing: this.spacing() });
			return items;
		} catch (error) {
			return this.failed(error);
		} finally {
			const share = settle(memory.share(account), look, world.requestsSent(), world.now());
			memory.setShare(account, share);
		}
	}

	/** Takes up what the last look found and had no room for; that needs no look at the form. */
	async atBacklog(backlog: IDataObject[]): Promise<Items> {
		try {
			return await this.take({ records: backlog, complete: false });
		} catch (error) {
			// a file cannot be had now: the next look finds its response again, and comes when it is due
			this.own.backlog = undefined;
			return this.failed(error);
		}
	}

	private async take({ records, complete }: Listing): Promise<Items> {
		const { trigger, own, world } = this;
		const known = this.known();
		const responses = identify(world.node, records);
		if (known === undefined) {
			if (!complete) throw cutAtFirst(world.node);
			this.keep(baseline(responses), false);
			world.log.info(`Watches the form from now on. Responses that are there: ${records.length}.`);
			return null;
		}
		const events = findEvents(known, responses, trigger.events);
		// where the new ones are on the last pages, each look would be in vain, and nobody would know
		if (!complete && events.length === 0) throw cutInVain(world.node);
		const due = oldestFirst(events.map(({ event, response }) => ({ event, ...response })));
		const items = await deliver(due, {
			limit: trigger.maxPerPoll,
			until: this.until,
			isPatient: own.schedule.failures + 1 < LOOKS_UNTIL_TOLD,
			world,
		});
		const rest = due.slice(items.length);
		const postponed = new Set(rest.map(({ fingerprint }) => fingerprint));
		const day = Math.floor(world.now() / DAY_MS);
		const seen = remember(known, { listed: responses, complete, postponed, day });
		this.keep(
			seen,
			items.length > 0,
			rest.map(({ record }) => record),
		);
		return items.length > 0 ? items : null;
	}

	/** What is known of this form; undefined when the look is to be the baseline. */
	private known(): Seen | undefined {
		const { trigger, staticData, own, world } = this;
		const restored = recall(staticData, own);
		if (restored.kind === 'damaged') {
			world.log.warn(
				`What the trigger knew cannot be used: ${restored.reason}. It starts anew: responses that are there now start nothing.`,
			);
			return undefined;
		}
		if (restored.kind === 'state' && restored.state.source === trigger.source) {
			return restored.state.seen;
		}
		return trigger.emitExisting ? new Map() : undefined;
	}

	private keep(seen: Seen, delivered: boolean, backlog: IDataObject[] = []): void {
		const { trigger, staticData, own, world } = this;
		const state = { source: trigger.source, seen };
		keep(staticData, own, state, { delivered, backlog, now: world.now() });
	}

	private failed(error: unknown): null {
		const { trigger, staticData, own, world, startedAt } = this;
		const isFirst = trigger.occasion !== 'tick' && !knows(staticData, own, trigger.source);
		const failure = failureOf(error);
		const isToCorrect = needsPerson(failure);
		const tellAtOnce = isFirst || (trigger.occasion === 'publish' && isToCorrect);
		if (!tellAtOnce && failure?.cause === 'rate-limited' && world.requestsSent() === 0) {
			world.log.info(QUEUED);
			return null;
		}
		if (tellAtOnce && isToCorrect) own.toCorrect = { error, at: world.now() };
		return reportFailure(error, own, world, { startedAt, spacing: this.spacing(), tellAtOnce });
	}

	private spacing(): number {
		const { account, requestsPerDay } = this.trigger;
		const triggers = activeTriggers(this.memory.share(account), this.world.now());
		return spacingMs(requestsPerDay, triggers);
	}
}
