import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { meets } from '../api/answers/conditions';
import { oldestFirst } from '../api/answers/order';
import type { Budget } from './budget';
import type { Dependencies, NamedForm, Trigger } from './dependencies';
import { diff } from './diff';
import type { PollListing } from './diff';
import { cutAtFirst, cutInVain } from './errors';
import { freshForm } from './memory';
import type { FormMemory, ListedForm, TriggerMemory } from './memory';
import { deliver } from './output';
import { PollState } from './pollState';
import { Reader } from './reader';
import {
	afterPoll,
	afterShortPoll,
	DAY_MS,
	FAILURES_UNTIL_REPORTED,
	HOUR_MS,
	weightOf,
	withResponses,
} from './schedule';
import { pagedAfter } from './shortPoll';
import { LIST, sourceOf } from './source';
import type { PollScope, Source } from './source';
import { latestDigest } from './state';
import { listedForms, nothing } from './watchedForms';

/** The part of a poll's time in which new forms, pages and files are begun; the rest is for them to end. */
const SHARE_FOR_BEGINNING = 0.6;

const NO_FIELDS =
	'New responses wait for the fields of their form: there was no time, or no request of the day, left to read them.';

const CUT =
	'Not all responses could be read: there was no time, or no request of the day, left for further pages.';

/** One poll of n8n: the forms of a trigger whose time has come, one after another, and then the state. */
export class FormPolls {
	private readonly startedAt: number;
	private readonly until: number;
	private readonly reader: Reader;
	private readonly known: PollState;
	private readonly items: Array<{ record: IDataObject; item: INodeExecutionData }> = [];
	/** Whether a form was polled and had nothing to read. */
	private isUnchanged = false;

	constructor(
		private readonly trigger: Trigger,
		staticData: IDataObject,
		private readonly own: TriggerMemory,
		private readonly budget: Budget,
		private readonly deps: Dependencies,
	) {
		this.startedAt = deps.now();
		this.until = this.startedAt + trigger.budgetMs * SHARE_FOR_BEGINNING;
		own.polls += 1;
		if (own.backlogOf !== latestDigest(staticData, own)) {
			for (const memory of own.forms.values()) memory.backlog = [];
		}
		this.known = new PollState(trigger, staticData, own, deps.log);
		const watchesOther = (of: string) => this.known.watches(of);
		this.reader = new Reader(trigger, own, budget, deps, this.until, watchesOther);
	}

	/**
	 * @returns the items of what is new, or null: n8n would run the workflow on an empty list
	 * @throws NodeApiError or NodeOperationError that people are to be told of
	 */
	async run(): Promise<INodeExecutionData[] | null> {
		const { own, reader, deps, trigger } = this;
		if (trigger.watch.kind === 'all') await this.takeList(trigger.watch.except);
		const ids = this.known.watchedIds();
		const watched = new Set(ids);
		for (const id of own.forms.keys()) if (!watched.has(id)) own.forms.delete(id);
		const forms = ids.map((id) => ({ id, memory: this.memoryOf(id) }));
		for (const { id, memory } of forms) this.tick(id, weightOf(memory.rate, this.startedAt));
		// who had a turn last has the next one after all others
		forms.sort((left, right) => left.memory.servedAt - right.memory.servedAt);
		for (const { id, memory } of forms) {
			if (reader.hasRead && deps.now() >= this.until) break;
			await this.visit(id, memory);
		}
		return this.end();
	}

	private async takeList(except: readonly string[]): Promise<void> {
		const { own, known } = this;
		this.tick(LIST, 1, DAY_MS / HOUR_MS);
		await this.readList({ isFirst: known.listedSince === undefined, isOptional: false });
		if (own.list === undefined) return;
		const created = known.takeList({ ...own.list, except, now: this.startedAt });
		if (this.trigger.events.includes('formCreated')) await this.deliverCreated(created);
		else for (const { id } of created) known.begin(id);
	}

	private async deliverCreated(created: readonly ListedForm[]): Promise<void> {
		const events = created.map(({ id, name, record }) => ({
			event: 'formCreated' as const,
			record,
			form: { id, name },
		}));
		const items = await this.deliver(events, false);
		for (const { form } of events.slice(0, items.length)) this.known.commit(form.id, nothing, true);
	}

	private async readList(how: Pick<Source, 'isFirst' | 'isOptional'>): Promise<void> {
		const { own, deps, reader, startedAt } = this;
		const request = async ({ goOn }: PollScope) => {
			const listing = await deps.listForms(goOn);
			if (how.isFirst && !listing.complete) throw cutAtFirst(deps.node, 'forms');
			return listing;
		};
		const read = await reader.read({ of: LIST, memory: own.listing, ...how, request });
		if (read === 'notDue' || read === 'failed') return;
		own.list = { forms: listedForms(read.listing.records), complete: read.listing.complete };
		const spacing = reader.spacing(LIST, own.listing);
		own.listing.schedule = afterPoll(own.listing.schedule, {
			startedAt,
			pages: read.pages,
			spacing,
		});
	}

	/** Polls a form if it is due, or else takes up what its last poll had no room for. */
	private async visit(id: string, memory: FormMemory): Promise<void> {
		const { own, deps, reader, known, trigger } = this;
		const source = sourceOf(id, memory, { known, trigger, deps });
		const { backlog } = memory;
		let isShort = false;
		try {
			// of the last requests of a day, none goes for a listing while responses wait for one
			if (backlog.length > 0) await this.fieldsOf(id, memory);
			const read = await reader.read(source);
			if (read === 'failed') return;
			if (read !== 'notDue') {
				const { listing } = read;
				isShort = listing.short !== undefined;
				if (listing.isUnchanged) this.isUnchanged = true;
				else await this.take(id, memory, listing, true);
				if (!listing.complete && !isShort) deps.log.warn(CUT);
				memory.schedule = (isShort ? afterShortPoll : afterPoll)(memory.schedule, read);
				const isWell = memory.schedule.failures === 0;
				if (isWell && own.toReport?.of === id) own.toReport = undefined;
			} else if (backlog.length > 0) {
				await this.take(id, memory, { records: backlog, complete: false }, false);
			}
		} catch (error) {
			// a file or the fields cannot be had now: the next poll finds its response again, and comes when it is due
			memory.backlog = [];
			const { startedAt } = this;
			reader.failed(source, error, { startedAt, sent: 1, isShort, isOfSource: true });
		}
	}

	private async take(
		id: string,
		memory: FormMemory,
		listing: PollListing,
		isFresh: boolean,
	): Promise<void> {
		const { trigger, deps } = this;
		const now = deps.now();
		const known = this.known.before(id);
		const { events, abandonedAfterMs } = trigger;
		const rules = { node: deps.node, events, abandonedAfterMs, now };
		const { found, after } = diff(known, listing, rules);
		if (known === undefined) {
			if (!listing.complete) throw cutAtFirst(deps.node, 'responses');
			deps.log.info(
				`Watches form ${id} from now on. Responses that are there: ${listing.records.length}.`,
			);
		}
		// where the new ones are on the last pages, each poll would be in vain, and nobody would know
		const isCut = isFresh && !listing.complete && listing.short === undefined;
		const isInVain = isCut && found.length === 0;
		if (isInVain) throw cutInVain(deps.node);
		const due = oldestFirst(found.filter(({ record }) => meets(record, trigger.conditions, [])));
		const fields = due.length === 0 ? [] : await this.fieldsOf(id, memory);
		if (fields === undefined && isFresh) deps.log.info(NO_FIELDS);
		const ready = fields === undefined ? [] : due;
		const form = ready.length === 0 ? { id, name: null } : await this.named(id);
		const isPatient = memory.schedule.failures + 1 < FAILURES_UNTIL_REPORTED;
		const items = await this.deliver(
			ready.map(({ event, record }) => ({ event, record, form, fields })),
			isPatient,
		);
		const rest = due.slice(items.length);
		const next = after(rest);
		this.known.commit(id, { known: next }, items.length > 0);
		memory.paged = pagedAfter(memory, listing, { before: known, after: next, isFresh });
		memory.backlog = rest.map(({ record }) => record);
		const { version } = listing;
		const isSettled = version !== undefined && rest.length === 0;
		memory.last = isSettled ? { version, known: next } : undefined;
		memory.servedAt = this.own.polls;
		memory.rate = withResponses(memory.rate, found.length - rest.length, now);
	}

	/** The fields that items of the form are made with; undefined while they cannot be had. */
	private async fieldsOf(id: string, memory: FormMemory): Promise<IDataObject[] | undefined> {
		const { needsFields, maxPerPoll } = this.trigger;
		const isWanted = needsFields && this.items.length < maxPerPoll;
		return isWanted ? await this.reader.fields(id, memory) : [];
	}

	private async deliver(events: Parameters<typeof deliver>[0], isPatient: boolean) {
		const { deps, until, trigger } = this;
		const limit = trigger.maxPerPoll - this.items.length;
		const items = await deliver(events, { limit, until, isPatient, deps });
		items.forEach((item, index) => this.items.push({ record: events[index].record, item }));
		return items;
	}

	/** The name of a form, for which the forms are listed where nobody has told it. */
	private async named(id: string): Promise<NamedForm> {
		const { names, watch } = this.trigger;
		const find = () => names.get(id) ?? this.own.list?.forms.find((form) => form.id === id)?.name;
		const hasTime = this.deps.now() < this.until;
		if (find() === undefined && watch.kind === 'chosen' && hasTime) {
			await this.readList({ isFirst: false, isOptional: true });
		}
		return { id, name: find() ?? null };
	}

	private end(): INodeExecutionData[] | null {
		const { deps, reader, items } = this;
		const isSent = reader.hasRead && !this.isUnchanged;
		this.known.save({ hasItems: items.length > 0, isSent, now: deps.now() });
		if (items.length > 0) return oldestFirst(items).map(({ item }) => item);
		reader.report();
		return null;
	}

	private memoryOf(id: string): FormMemory {
		const memory = this.own.forms.get(id) ?? freshForm();
		this.own.forms.set(id, memory);
		return memory;
	}

	private tick(of: string, weight: number, most?: number): void {
		const { requestsPerDay, reason } = this.trigger;
		const isTick = reason === 'tick';
		this.budget.tick(this.reader.key(of), { requestsPerDay, weight, most, isTick }, this.startedAt);
	}
}
