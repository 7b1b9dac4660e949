import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { meets } from '../api/answers/conditions';
import { oldestFirst } from '../api/answers/order';
import type { Version } from '../api/request/request';
import type { Budget } from './budget';
import type { Dependencies, NamedForm, Trigger } from './dependencies';
import { diff } from './diff';
import type { Listing } from './diff';
import { cutAtFirst, cutInVain } from './errors';
import { KnownResponses } from './knownResponses';
import { freshForm } from './memory';
import type { FormMemory, ListedForm, TriggerMemory } from './memory';
import { deliver } from './output';
import { LIST, Reader } from './reader';
import type { Source } from './reader';
import {
	afterPoll,
	DAY_MS,
	FAILURES_UNTIL_REPORTED,
	HOUR_MS,
	weightOf,
	withResponses,
} from './schedule';
import { latestDigest, load, save, savePending } from './state';
import type { FormState } from './stateCodec';
import {
	areSame,
	chosenForms,
	listedForms,
	nothing,
	unread,
	watchedIds,
	withList,
} from './watchedForms';

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
	private readonly isDamaged: boolean;
	private listedSince: number | undefined;
	/** Whether forms are known that are not watched any more: the next poll that reads one forgets them. */
	private readonly hasLeft: boolean;
	/** What is known with the items of this poll, and without them: n8n may drop them. */
	private forms: Map<string, FormState>;
	private quiet: Map<string, FormState>;
	/** Forms with items: what is known of them depends on these. */
	private readonly delivering = new Set<string>();
	private readonly items: Array<{ record: IDataObject; item: INodeExecutionData }> = [];
	private hasChanged = false;
	/** Whether a form was polled and had nothing to read. */
	private isUnchanged = false;

	constructor(
		private readonly trigger: Trigger,
		private readonly staticData: IDataObject,
		private readonly own: TriggerMemory,
		private readonly budget: Budget,
		private readonly deps: Dependencies,
	) {
		this.startedAt = deps.now();
		this.until = this.startedAt + trigger.budgetMs * SHARE_FOR_BEGINNING;
		const watchesOther = (of: string) =>
			watchedIds(trigger.watch, this.forms).some(
				(id) => id !== of && this.forms.get(id)?.known !== undefined,
			);
		this.reader = new Reader(trigger, own, budget, deps, this.until, watchesOther);
		own.polls += 1;
		if (own.backlogOf !== latestDigest(staticData, own)) {
			for (const memory of own.forms.values()) memory.backlog = [];
		}
		const restored = load(staticData, own);
		this.isDamaged = restored.kind === 'damaged';
		if (restored.kind === 'damaged') {
			deps.log.warn(
				`What the trigger knew cannot be used: ${restored.reason}. It starts anew: responses that are there now start nothing.`,
			);
		}
		const isSame = restored.kind === 'state' && restored.state.service === trigger.service;
		const known = isSame ? restored.state.forms : new Map<string, FormState>();
		const { watch } = trigger;
		this.forms = new Map(watch.kind === 'all' ? known : chosenForms(known, watch.formIds));
		this.quiet = new Map(this.forms);
		this.listedSince = isSame && watch.kind === 'all' ? restored.state.listedSince : undefined;
		this.hasLeft =
			isSame && (known.size > this.forms.size || restored.state.listedSince !== this.listedSince);
	}

	/**
	 * @returns the items of what is new, or null: n8n would run the workflow on an empty list
	 * @throws NodeApiError or NodeOperationError that people are to be told of
	 */
	async run(): Promise<INodeExecutionData[] | null> {
		const { own, reader, deps, trigger } = this;
		if (trigger.watch.kind === 'all') await this.takeList(trigger.watch.except);
		const ids = watchedIds(trigger.watch, this.forms);
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
		const { own, trigger } = this;
		this.tick(LIST, 1, DAY_MS / HOUR_MS);
		await this.readList({ isFirst: this.listedSince === undefined, isOptional: false });
		if (own.list === undefined) return;
		const { listedSince } = this;
		const emitExisting = trigger.emitExisting && !this.isDamaged;
		const given = { ...own.list, except, listedSince, emitExisting, now: this.startedAt };
		const { forms, created } = withList(this.forms, given);
		this.hasChanged = listedSince === undefined || !areSame(forms, this.forms);
		this.listedSince = listedSince ?? Math.floor(this.startedAt);
		const isEvent = trigger.events.includes('formCreated');
		if (!isEvent) for (const { id } of created) forms.set(id, nothing);
		this.hasChanged ||= created.length > 0 && !isEvent;
		this.forms = forms;
		this.quiet = new Map(forms);
		if (isEvent) await this.deliverCreated(created);
	}

	private async deliverCreated(created: readonly ListedForm[]): Promise<void> {
		const events = created.map(({ id, name, record }) => ({
			event: 'formCreated' as const,
			record,
			form: { id, name },
		}));
		const items = await this.deliver(events, false);
		for (const { form } of events.slice(0, items.length)) this.commit(form.id, nothing, true);
	}

	private async readList(how: Pick<Source, 'isFirst' | 'isOptional'>): Promise<void> {
		const { own, deps, reader, startedAt } = this;
		const request = async (goOn: () => boolean) => {
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
		const { own, deps, reader } = this;
		const source: Source = {
			of: id,
			memory,
			isFirst: this.forms.get(id)?.known === undefined,
			request: async (goOn) => await deps.listResponses(id, goOn, this.lastVersion(id, memory)),
		};
		const { backlog } = memory;
		try {
			// of the last requests of a day, none goes for a listing while responses wait for one
			if (backlog.length > 0) await this.fieldsOf(id, memory);
			const read = await reader.read(source);
			if (read === 'failed') return;
			if (read !== 'notDue') {
				if (read.listing.isUnchanged) this.isUnchanged = true;
				else await this.take(id, memory, read.listing, true);
				if (!read.listing.complete) deps.log.warn(CUT);
				memory.schedule = afterPoll(memory.schedule, read);
				if (own.toReport?.of === id) own.toReport = undefined;
			} else if (backlog.length > 0) {
				await this.take(id, memory, { records: backlog, complete: false }, false);
			}
		} catch (error) {
			// a file or the fields cannot be had now: the next poll finds its response again, and comes when it is due
			memory.backlog = [];
			reader.failed(source, error, { startedAt: this.startedAt, sent: 1, isOfSource: true });
		}
	}

	private async take(
		id: string,
		memory: FormMemory,
		listing: Listing,
		isFresh: boolean,
	): Promise<void> {
		const { trigger, deps } = this;
		const now = deps.now();
		const known = this.knownOf(id);
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
		const isInVain = isFresh && !listing.complete && found.length === 0;
		if (isInVain) throw cutInVain(deps.node);
		const due = oldestFirst(found.filter(({ record }) => meets(record, trigger.conditions)));
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
		this.commit(id, { known: next }, items.length > 0);
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

	/** The version of the last listing, if the same again would change nothing. */
	private lastVersion(id: string, { last, backlog }: FormMemory): Version | undefined {
		const isCurrent = last !== undefined && this.forms.get(id)?.known === last.known;
		if (!isCurrent || this.hasLeft || backlog.length > 0) return undefined;
		const isInTime = this.deps.now() < last.known.changesAt(this.trigger.abandonedAfterMs);
		return isInTime ? last.version : undefined;
	}

	/** What is known of a form; undefined when the trigger is to begin with it. */
	private knownOf(id: string): KnownResponses | undefined {
		const state = this.forms.get(id) ?? (this.isDamaged ? unread : undefined);
		const isToEmit = state === undefined && this.trigger.emitExisting;
		return isToEmit ? nothing.known : state?.known;
	}

	private commit(id: string, state: FormState, hasItems: boolean): void {
		this.hasChanged = true;
		if (hasItems) this.delivering.add(id);
		this.forms.set(id, state);
		if (!this.delivering.has(id)) this.quiet.set(id, state);
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
		const { staticData, own, deps, reader, items, listedSince } = this;
		const { service } = this.trigger;
		if (this.hasChanged) {
			if (this.isDamaged) this.forgetDamaged();
			const quiet = { service, listedSince, forms: this.quiet };
			const delivered = items.length > 0 ? { ...quiet, forms: this.forms } : undefined;
			const { isDamaged } = this;
			save(staticData, own, { quiet, delivered, isDamaged, now: deps.now() });
		} else if (!reader.hasRead || this.isUnchanged) savePending(staticData, own);
		if (items.length > 0) return oldestFirst(items).map(({ item }) => item);
		reader.report();
		return null;
	}

	/** What was known and is lost was delivered: forms whose turn has yet to come begin without it. */
	private forgetDamaged(): void {
		for (const id of watchedIds(this.trigger.watch, this.forms)) {
			if (!this.forms.has(id)) this.forms.set(id, unread);
			if (!this.quiet.has(id)) this.quiet.set(id, unread);
		}
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
