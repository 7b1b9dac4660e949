/**
 * A trigger in its n8n, its forms and its time, with the oracle beside them: what people do to the forms
 * and the node, and what holds for every poll, whatever the world.
 */
import lodash from 'lodash';
import { expect } from 'vitest';
import { N8n } from './n8n.mts';
import type { Circumstances, Mode, Parameters, Poll, Process } from './n8n.mts';
import { Oracle } from './oracle.mts';
import { Form, Service, type Response } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS, VirtualTime } from '../time.mts';

/** A machine's clock has fractions of milliseconds. */
export const START = Date.UTC(2026, 10, 21, 12) + 0.375;

/** docs/trigger.md: 30 days; the trigger counts from its last reading, so a day before is not certain. */
const REMEMBERED_MS = 29 * DAY_MS;

const MAX_CALM_POLLS = 300;

/** How a form lists its responses. */
const LISTING = ['order', 'pageSize', 'paging', 'shufflesTies', 'announcesTotal'] as const;

/** All forms are watched. */
export const ALL = { kind: 'all', except: [] } as const;

const defaults = {
	events: ['responseCompleted'],
	condition: undefined,
	needsFields: false,
	emitExisting: false,
	maxPerPoll: 100,
	requestsPerDay: 720,
} as const;

type Given = { mode?: Mode; time?: VirtualTime; process?: Process } & Partial<Parameters>;

export class World {
	readonly time: VirtualTime;
	readonly forms: Record<string, Form> = {};
	readonly service: Service;
	readonly n8n: N8n;
	readonly oracle: Oracle;
	readonly polls: Poll[] = [];
	/** Whether something has failed since all was well: a failure may be reported later. */
	private isTroubled = false;
	/** When forms were left whose responses had been watched, in epoch milliseconds. */
	private readonly leftAt = new Map<Form, number>();

	/** @param ids the forms that exist, each with one response, all of them watched */
	constructor(ids: readonly string[], given: Given = {}) {
		const { mode = 'default', time = new VirtualTime(START), process, ...parameters } = given;
		this.time = time;
		for (const id of ids) {
			this.forms[id] = new Form(id);
			this.forms[id].submit(false, START - DAY_MS);
		}
		this.service = new Service(this.forms, time);
		const all = { watch: { kind: 'chosen', formIds: ids }, ...defaults, ...parameters } as const;
		this.n8n = new N8n(mode, all, this.service, time, process);
		this.oracle = new Oracle(time.actual, (subject, event) => {
			const { events, condition = '' } = this.n8n.parameters;
			const [form, number] = 'form' in subject ? [subject.form, subject.number] : [subject, ''];
			const isMet = number === '' || String(number).includes(condition);
			return isMet && events.includes(event) && this.isWatched(form.id);
		});
	}

	/** The events that started the workflow. */
	get delivered(): string[] {
		return this.polls.filter((poll) => poll.isExecuted).flatMap(listEvents);
	}

	/** The polls whose error people saw. */
	get reports(): Poll[] {
		return this.polls.filter(({ thrown }) => thrown !== undefined);
	}

	/** When each request was sent, in epoch milliseconds. */
	get requestTimes(): number[] {
		return this.service.sent.map(({ at }) => at);
	}

	/** @param createdAt what the service says, in epoch milliseconds */
	submit(form: Form, incomplete = false, createdAt = this.time.actual()): Response {
		const response = form.submit(incomplete, createdAt);
		if (form.hidden || !form.listed) response.missingSince = this.time.actual();
		this.oracle.appear(response, !form.isDoubtful);
		return response;
	}

	complete(response: Response): void {
		response.incomplete = false;
		this.oracle.complete(response, response.isDoubtful !== true);
	}

	/** A response that was complete can be edited again. */
	reopen(response: Response): void {
		response.incomplete = true;
	}

	edit(subject: Form | Response): void {
		this.oracle.edit(subject);
	}

	createForm(id: string): Form {
		const form = new Form(id, Math.floor(this.time.actual() / 1000) * 1000);
		// it is listed as the others are
		const [first] = Object.values(this.forms);
		this.forms[id] = Object.assign(form, lodash.pick(first, LISTING));
		this.oracle.appear(form);
		return form;
	}

	/** A form or responses of it leave the lists or are back in them. */
	show(form: Form, change: () => void): void {
		change();
		const now = this.time.actual();
		const shown = new Set([...(form.listed ? [form] : []), ...form.shown()]);
		for (const subject of [form, ...form.kept]) {
			const { missingSince = now } = subject;
			const isShown = shown.has(subject);
			if (isShown && now - missingSince > REMEMBERED_MS) this.doubt(subject);
			subject.missingSince = isShown ? undefined : missingSince;
		}
	}

	/** The trigger may have forgotten it, so it may be new. */
	private doubt(subject: Form | Response): void {
		subject.isDoubtful = true;
		this.oracle.appear(subject, false, true);
	}

	setDeleted(response: Response, deleted: boolean): void {
		this.show(response.form, () => (response.deleted = deleted));
	}

	/** A form leaves the workspace or is back in it. */
	setListed(form: Form, listed: boolean): void {
		this.show(form, () => (form.listed = listed));
	}

	/** The workflow is published for the first time. */
	async begin(circumstances: Circumstances = {}): Promise<void> {
		const { emitExisting } = this.n8n.parameters;
		for (const form of this.watchedForms()) this.oracle.begin(form, emitExisting, true);
		await this.publish(circumstances);
	}

	/** The workflow is published for the first time, and n8n polls for some minutes. */
	async beginAndRun(minutes: number): Promise<void> {
		await this.begin();
		await this.run(minutes);
	}

	async publish(circumstances: Circumstances = {}): Promise<Poll> {
		return this.note(await this.n8n.activate('activate', circumstances), circumstances);
	}

	/** One of n8n's poll times, so long after the last one; n8n starts again if it is killed. */
	async tick(afterMs: number, { end, ...circumstances }: Circumstances = {}): Promise<Poll> {
		this.time.pass(afterMs);
		const given = { ...circumstances, end: this.n8n.active ? end : undefined };
		const poll = this.note(await this.n8n.tick(given), given);
		if (given.end?.startsWith('killed')) await this.restart();
		if (given.end === 'discarded' && this.n8n.mode === 'default') await this.publish();
		return poll;
	}

	/** n8n polls for some minutes; what happens in each of them does so before its poll. */
	async run(
		minutes: number,
		happen: (minute: number) => unknown = () => undefined,
		{ periodMinutes = 1, ...circumstances }: Circumstances & { periodMinutes?: number } = {},
	): Promise<void> {
		const from = this.time.actual();
		for (let minute = 1; minute <= minutes; minute++) {
			// none passes if a poll takes longer than the time to the next one
			this.time.pass(from + minute * MINUTE_MS - this.time.actual());
			await happen(minute);
			if (minute % periodMinutes === 0) await this.tick(0, circumstances);
		}
	}

	/** All goes well, until each form was read to its end and all that is owed is delivered. */
	async calm(): Promise<void> {
		for (const form of Object.values(this.forms)) form.betweenPages = undefined;
		const from = this.service.sent.length;
		for (let polls = 0, isCalm = false; !isCalm; polls++) {
			const { items } = await this.tick(HOUR_MS);
			const missing = this.oracle.listMissing();
			expect(polls, `polls, and still missing: ${missing.join()}`).toBeLessThan(MAX_CALM_POLLS);
			isCalm = items.length === 0 && missing.length === 0 && this.isAllRead(from);
		}
		const { watch } = this.n8n.parameters;
		const ids = watch.kind === 'all' ? [] : watch.formIds;
		// a form that does not exist goes on failing
		this.isTroubled = ids.some((id) => this.forms[id] === undefined);
		this.oracle.edits.settle();
		for (const form of this.watchedForms()) this.oracle.settle(form);
	}

	async restart(circumstances: Circumstances = {}): Promise<void> {
		this.forgetUnsaved();
		const poll = await this.n8n.restart(circumstances);
		if (poll !== undefined) this.note(poll, circumstances);
	}

	/** A client of n8n's API saves and publishes the workflow without the ID of the trigger. */
	async saveWithoutId(): Promise<void> {
		this.n8n.saveWithoutId();
		this.forgetUnsaved();
		await this.publish();
	}

	/** What the process has remembered is gone: the default mode has not saved polls without items. */
	private forgetUnsaved(): void {
		if (this.n8n.mode === 'default') {
			this.oracle.edits.forget();
			const long = Object.values(this.forms).filter(({ kept, pageSize }) => kept.length > pageSize);
			// a first reading of several pages can go on, and does not know what is missing now
			for (const response of long.flatMap(({ kept }) => kept))
				if (response.missingSince !== undefined) this.oracle.appear(response, false);
				// shuffled pages can have left it out of all readings before the last save (docs/trigger.md, "Durable mode")
				else if (response.form.shufflesTies) this.oracle.forgetUnfinished(response);
		}
	}

	/** Other events, forms or filters, while all forms are there and all is read. */
	async change(parameters: Partial<Parameters>): Promise<void> {
		for (const form of Object.values(this.forms)) this.setListed(form, true);
		await this.calm();
		// a response gives one event at a time: a second one that is not owed comes with the next polls
		const readSince = this.time.actual();
		await this.calm();
		const { n8n, oracle } = this;
		const before = this.readsResponses() ? this.watchedForms() : [];
		oracle.change(readSince, (form) => before.includes(form));
		n8n.parameters = { ...n8n.parameters, ...parameters };
		const now = this.time.actual();
		const still = this.readsResponses() ? this.watchedForms() : [];
		for (const form of lodash.difference(before, still)) this.leftAt.set(form, now);
		for (const form of lodash.difference(this.watchedForms(), before)) {
			// a form that the trigger does not know yet is new, with its responses
			if (form.isDoubtful) continue;
			const leftAt = this.leftAt.get(form);
			if (leftAt === undefined) {
				oracle.begin(form, n8n.parameters.emitExisting, false);
				// the trigger cannot tell that an existing response that it has never read was unfinished
				for (const response of form.kept)
					response.isDoubtful ||= response.missingSince !== undefined;
			} else if (now - leftAt > REMEMBERED_MS)
				form.kept.forEach((response) => this.doubt(response));
		}
		await this.publish();
		await this.calm();
	}

	private isWatched(id: string): boolean {
		const { watch } = this.n8n.parameters;
		return watch.kind === 'all' ? !watch.except.includes(id) : watch.formIds.includes(id);
	}

	watchedForms(): Form[] {
		return Object.values(this.forms).filter(({ id }) => this.isWatched(id));
	}

	/** Form Created alone needs no responses. */
	private readsResponses(): boolean {
		return this.n8n.parameters.events.some((event) => event.startsWith('response'));
	}

	/** Whether each form, and the list of all forms, was read from its first to its last page. */
	private isAllRead(from: number): boolean {
		const forms = this.readsResponses() ? this.watchedForms().filter(({ listed }) => listed) : [];
		const { watch, events } = this.n8n.parameters;
		const isListNeeded = watch.kind === 'all' || events.includes('formUpdated');
		const lists = [...(isListNeeded ? [''] : []), ...forms.map(({ id }) => id)];
		return lists.every((form) => this.service.isReadWhole(form, from));
	}

	/** Judges a poll and takes note of it. */
	note(poll: Poll, { latencyMs = 0 }: Circumstances = {}): Poll {
		const { items, sent, thrown } = poll;
		const { needsFields, maxPerPoll } = this.n8n.parameters;
		this.polls.push(poll);
		this.oracle.judge(poll);
		expect(items.length, 'items of a poll').toBeLessThanOrEqual(maxPerPoll);
		for (const { id, event, hasFields } of items) {
			expect(hasFields, `${id} has fields`).toBe(needsFields && event.startsWith('response'));
		}
		const responses = this.readsResponses();
		const needed = { responses, forms: true, fields: needsFields, other: false };
		for (const { kind, form, url, isGood, isLast } of sent) {
			const isNeeded = needed[kind] && (form === '' || this.isWatched(form));
			expect(isNeeded, `${url} is needed`).toBe(true);
			if (!isGood || latencyMs > 0) this.isTroubled = true;
			if (kind !== 'forms' || !isLast) continue;
			// without events of responses, only the list shows that a chosen form is gone
			if (this.watchedForms().some(({ listed }) => !listed)) this.isTroubled = true;
			for (const one of Object.values(this.forms)) one.isDoubtful = false;
		}
		if (!this.isTroubled) expect(thrown, 'what a good poll throws').toBeUndefined();
		return poll;
	}
}

/** Fills a list with responses that exist when the trigger begins, the newest of them one hour old. */
export function fill(form: Form, count: number, isIncomplete = (_number: number) => false): void {
	for (let left = count - form.kept.length; left > 0; left--) {
		form.submit(isIncomplete(form.kept.length + 1), START - HOUR_MS - left * 1_000);
	}
}

type Paged = { pages: number; isIncomplete?: (number: number) => boolean } & Given &
	Partial<Pick<Form, (typeof LISTING)[number]>>;

/** A trigger on one form whose responses fill so many pages; the last page has room for one more. */
export function createPaged({ pages, isIncomplete, ...given }: Paged) {
	const { pageSize = 3, ...rest } = given;
	const world = new World(['A'], lodash.omit(rest, LISTING));
	const { A } = world.forms;
	Object.assign(A, { paging: 'number', pageSize, ...lodash.pick(rest, LISTING) });
	fill(A, pages * pageSize - 1, isIncomplete);
	return { world, A };
}

/** What a poll gave, as `A-2 responseCompleted`. */
export const listEvents = ({ items }: Poll) => items.map(({ id, event }) => `${id} ${event}`);
