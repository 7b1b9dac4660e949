/**
 * A trigger in its n8n, its forms and its time, with the oracle beside them: what people do to the forms
 * and the node, and what holds for every poll, whatever the world.
 */
import { expect } from 'vitest';
import { Form, type Response } from './form.mts';
import {
	N8n,
	type Circumstances,
	type Mode,
	type Parameters,
	type Poll,
	type TriggerEvent,
} from './n8n.mts';
import { keyOf, keysOf, Oracle, type Key } from './oracle.mts';
import type { Process } from './process.mts';
import type { Fault, Sent } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS, VirtualTime } from './time.mts';

/** A machine's clock has fractions of milliseconds. */
export const START = Date.UTC(2026, 10, 21, 12) + 0.375;

const ABANDONED_AFTER_MS = DAY_MS;
/** The trigger counts days, so that the thirtieth may be over already. */
const REMEMBERED_MS = 29 * DAY_MS;
const SOON_MS = 6 * HOUR_MS;
const MOST_POLLS = 300;

/** One form, with every option at its default. */
export const defaults: Parameters = {
	watch: { kind: 'chosen', formIds: ['A'] },
	events: ['responseCompleted'],
	condition: undefined,
	needsFields: false,
	downloadFiles: false,
	emitExisting: false,
	maxPerPoll: 100,
	requestsPerDay: 720,
};

type Given = { mode?: Mode; time?: VirtualTime; process?: Process } & Partial<Parameters>;

export class World {
	readonly time: VirtualTime;
	readonly forms: Record<string, Form> = {};
	readonly oracle = new Oracle();
	readonly n8n: N8n;
	/** All polls so far. */
	readonly polls: Poll[] = [];
	/** What was last asked for in vain, whose failure may be reported later. */
	private readonly failing = new Set<string>();
	/** Responses that were complete when the trigger began with their form. */
	private readonly old = new Set<Response>();
	/** Responses that have been complete at any time. */
	private readonly completed = new Set<Response>();
	/** When a form or response was last there, if it is not. */
	private readonly goneAt = new Map<Form | Response, number>();
	/**
	 * Forms that are older than the trigger and that its list of all forms did not have when it began, and
	 * whether the list has been read since. What such a form has is not new until n8n has saved that the
	 * trigger knows the form.
	 */
	private readonly older = new Map<Form, boolean>();

	/** @param ids the forms that exist, each with one response, all of them watched */
	constructor(ids: readonly string[], given: Given = {}) {
		const { mode = 'default', time = new VirtualTime(START), process, ...parameters } = given;
		this.time = time;
		for (const id of ids) {
			this.forms[id] = new Form(id);
			this.forms[id].submit(false, START - DAY_MS);
		}
		const watch = { kind: 'chosen' as const, formIds: ids };
		this.n8n = new N8n(mode, { ...defaults, watch, ...parameters }, this.forms, time, process);
	}

	/** The workflow is published for the first time. */
	async begin(circumstances: Circumstances = {}): Promise<void> {
		for (const form of this.watchedForms()) this.beginWith(form);
		await this.publish(circumstances);
	}

	/** n8n polls for some minutes; what happens in each of them does so before its poll. */
	async run(
		minutes: number,
		happen: (minute: number) => unknown = () => undefined,
		{ periodMinutes = 1, ...circumstances }: Circumstances & { periodMinutes?: number } = {},
	): Promise<void> {
		const from = this.time.actual();
		for (let minute = periodMinutes; minute <= minutes; minute += periodMinutes) {
			// a poll can take longer than the time to the next one
			this.time.pass(Math.max(0, from + minute * MINUTE_MS - this.time.actual()));
			for (let past = periodMinutes - 1; past >= 0; past--) await happen(minute - past);
			await this.tick(0, circumstances);
		}
	}

	/** The most requests in any 24 hours. */
	mostInADay(times = this.n8n.requestTimes): number {
		let first = 0;
		return times.reduce((most, at, last) => {
			while (times[first] <= at - DAY_MS) first += 1;
			return Math.max(most, last - first + 1);
		}, 0);
	}

	// what people do to forms

	submit(form: Form, incomplete = false): Response {
		const response = form.submit(incomplete, this.time.actual());
		this.announce(response, true);
		return response;
	}

	complete(response: Response): void {
		if (!response.incomplete) return;
		response.incomplete = false;
		for (const key of keysOf(response)) this.oracle.release(key);
		if (!this.old.has(response)) this.announce(response, !this.completed.has(response));
		this.completed.add(response);
	}

	/** A response that was seen as complete stays so for the trigger. */
	reopen(response: Response): void {
		if (response.incomplete) return;
		response.incomplete = true;
		this.completed.add(response);
		if (this.oracle.isRepeatable(keyOf(response, 'responseCompleted'))) this.allowAgain(response);
		if (this.old.has(response) || this.oracle.isSettled(keyOf(response, 'responseCompleted')))
			return;
		for (const key of keysOf(response)) this.oracle.release(key);
		this.announce(response, false);
	}

	/** Responses leave the listing or are back in it. */
	setShown(form: Form, change: () => void): void {
		const now = this.time.actual();
		const before = new Set(form.shown());
		change();
		const after = form.shown();
		for (const response of before) if (!after.includes(response)) this.goneAt.set(response, now);
		for (const response of after) {
			const goneMs = now - (this.goneAt.get(response) ?? now);
			if (!before.has(response) && goneMs >= REMEMBERED_MS) this.allowAgain(response);
		}
	}

	/** A form leaves the workspace or is back in it. */
	setListed(form: Form, listed: boolean): void {
		const { forms, oracle, time } = this;
		const key = keyOf({ uuid: form.id }, 'formCreated');
		const goneMs = time.actual() - (this.goneAt.get(form) ?? time.actual());
		if (listed && goneMs >= REMEMBERED_MS) oracle.allowAgain(key, time.actual());
		if (!listed) this.goneAt.set(form, time.actual());
		forms[form.id] = form;
		this.setShown(form, () => (form.listed = listed));
	}

	/** The workspace gets a form that is older than the trigger. */
	shareForm(form: Form): void {
		this.forms[form.id] = form;
		this.beginWith(form);
		this.older.set(form, false);
	}

	createForm(id: string): Form {
		const form = new Form(id, Math.floor(this.time.actual() / 1000) * 1000);
		this.forms[id] = form;
		const isWanted = this.isWanted(form, 'formCreated');
		this.oracle.happen(keyOf({ uuid: id }, 'formCreated'), this.time.actual(), isWanted);
		return form;
	}

	// what people do to n8n and the node

	async publish(circumstances: Circumstances = {}): Promise<Poll> {
		return this.note(await this.n8n.activate('activate', circumstances), circumstances);
	}

	/** One of n8n's poll times, so long after the last one; n8n starts again if it is killed. */
	async tick(afterMs: number, { end, ...circumstances }: Circumstances = {}): Promise<Poll> {
		this.time.pass(afterMs);
		const isScheduled = this.n8n.active;
		const given = { ...circumstances, end: isScheduled ? end : undefined };
		const poll = this.note(await this.n8n.tick(given), given);
		if (poll.isKilled) await this.restart();
		if (given.end === 'discarded' && this.n8n.mode === 'default') await this.publish();
		return poll;
	}

	async restart(): Promise<void> {
		const poll = await this.n8n.restart();
		if (poll !== undefined) this.note(poll);
	}

	/** Other events, forms or filters: what happened before has been seen with the old ones. */
	async change(parameters: Partial<Parameters>): Promise<void> {
		const { n8n, oracle } = this;
		await this.calm();
		for (const form of Object.values(this.forms)) {
			if (form.listed) this.forbidSeen([keyOf({ uuid: form.id }, 'formCreated')]);
			for (const response of form.shown()) {
				// without a time, a response is abandoned a day after somebody first waited for that
				const isTimed = form.spelling !== 'plain';
				const keys = keysOf(response).filter((key) => isTimed || !key.endsWith('Abandoned'));
				this.forbidSeen(keys);
			}
		}
		for (const key of oracle.promised) oracle.release(key);
		const watched = this.readsResponses() ? this.watchedForms() : [];
		n8n.parameters = { ...n8n.parameters, ...parameters };
		this.failing.clear();
		for (const form of this.watchedForms())
			if (!watched.includes(form)) this.beginWith(form, false);
		await this.publish();
		await this.calm();
	}

	private forbidSeen(keys: readonly Key[]): void {
		const { oracle } = this;
		for (const key of keys) {
			const at = oracle.possible.get(key) ?? Infinity;
			if (at <= this.time.actual() && !oracle.isSettled(key)) oracle.forbid(key);
		}
	}

	/** The node gets another name, by which n8n's default mode has no static data. */
	async rename(): Promise<void> {
		const { n8n } = this;
		if (n8n.mode === 'default') await this.calm();
		n8n.rename();
		if (n8n.mode === 'default') for (const form of this.watchedForms()) this.beginWith(form, false);
		await this.publish();
		await this.calm();
	}

	/** All goes well, until each form was read to its end and all that was promised is delivered. */
	async calm(): Promise<void> {
		for (const form of Object.values(this.forms)) form.betweenPages = undefined;
		const from = this.n8n.sent.length;
		for (let polls = 0; ; polls++) {
			const { items } = await this.tick(HOUR_MS);
			const missing = this.missing();
			if (items.length === 0 && missing.length === 0 && this.isAllRead(from)) return;
			expect(polls, `polls, and still missing: ${missing.join()}`).toBeLessThan(MOST_POLLS);
		}
	}

	/** What has to be delivered by now, of forms and responses that are there. */
	missing(): Key[] {
		const shown = new Set<string>();
		for (const form of Object.values(this.forms)) {
			if (form.listed) shown.add(form.id);
			for (const { uuid } of form.shown()) shown.add(uuid);
		}
		const missing = this.oracle.missing(this.time.actual());
		return missing.filter((key) => shown.has(key.split(' ')[0]));
	}

	/**
	 * The trigger begins with a form: what is there is not new, unless existing responses are wanted.
	 *
	 * @param isFirst otherwise the trigger was active before, and may deliver existing responses or not
	 */
	beginWith(form: Form, isFirst = true): void {
		const { emitExisting, watch } = this.n8n.parameters;
		const shown = form.shown();
		if (watch.kind === 'all' && !form.listed) this.older.set(form, false);
		for (const response of form.kept) {
			for (const key of keysOf(response)) this.oracle.forbid(key);
			const isThere = shown.includes(response);
			this.old.delete(response);
			if (!isFirst && (!isThere || emitExisting)) this.allowAgain(response);
			else if (!isThere || emitExisting) this.announce(response, isThere);
			else if (response.incomplete) {
				// without a time, the day until it is abandoned begins anew
				const isTimed = form.spelling !== 'plain';
				if (!isTimed) this.oracle.allowRepetitions([keyOf(response, 'responseAbandoned')]);
				this.promiseAbandoned(response, true);
			} else this.old.add(response);
		}
	}

	private announce(response: Response, isGiven: boolean): void {
		const isPromised = isGiven && !this.older.has(response.form);
		if (!response.incomplete) this.promise(response, 'responseCompleted', isPromised);
		else {
			this.promise(response, 'responseStarted', isPromised);
			this.promiseAbandoned(response, isPromised);
		}
	}

	private promise(response: Response, event: TriggerEvent, isPromised: boolean, at?: number): void {
		const { condition } = this.n8n.parameters;
		const isMet = condition === undefined || String(response.number).includes(condition);
		const isWanted = isPromised && isMet && this.isWanted(response.form, event);
		this.oracle.happen(keyOf(response, event), at ?? this.time.actual(), isWanted);
	}

	private promiseAbandoned(response: Response, isPromised: boolean): void {
		const at = this.abandonedAt(response);
		// what is nearly abandoned when the trigger begins may be so when it has read it
		const isLater = at > this.time.actual() + SOON_MS;
		this.promise(response, 'responseAbandoned', isPromised && isLater, at);
	}

	/** The trigger may take the response for new. */
	private allowAgain(response: Response): void {
		const now = this.time.actual();
		const abandonedAt = Math.max(now, this.abandonedAt(response));
		const events = { responseStarted: now, responseAbandoned: abandonedAt };
		const possible = response.incomplete ? events : { responseCompleted: now };
		for (const [event, at] of Object.entries(possible)) {
			this.oracle.allowAgain(keyOf(response, event), at);
		}
		this.oracle.allowRepetitions(keysOf(response));
		this.old.delete(response);
	}

	/** A response whose time cannot be read is abandoned a day after the trigger found it. */
	private abandonedAt({ form, createdAt }: Response): number {
		const since = form.spelling === 'plain' ? this.time.actual() : createdAt;
		return since + ABANDONED_AFTER_MS;
	}

	/** Whether a workflow with these forms can be published. */
	canBegin(watch = this.n8n.parameters.watch): boolean {
		return watch.kind === 'all' || watch.formIds.some((id) => this.forms[id]?.listed);
	}

	private isWanted(form: Form, event: TriggerEvent): boolean {
		return this.isWatched(form.id) && this.n8n.parameters.events.includes(event);
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
		return this.n8n.parameters.events.some((event) => event !== 'formCreated');
	}

	/** Whether each form, and the list of all forms, was read from its first to its last page. */
	private isAllRead(from: number): boolean {
		const sent = this.n8n.sent.slice(from).filter(({ isGood }) => isGood);
		const isRead = (kind: Sent['kind'], form: string) => {
			const pages = sent.filter((one) => one.kind === kind && one.form === form);
			const first = pages.findIndex(({ url }) => new URL(url).search === '');
			return first >= 0 && pages.slice(first).some(({ isLast }) => isLast);
		};
		const forms = this.readsResponses() ? this.watchedForms().filter(({ listed }) => listed) : [];
		const isListNeeded = this.n8n.parameters.watch.kind === 'all';
		return (
			forms.every(({ id }) => isRead('responses', id)) && (!isListNeeded || isRead('forms', ''))
		);
	}

	/** Judges a poll and takes note of it. */
	note(poll: Poll, { latencyMs = 0, isUnidentified = false }: Circumstances = {}): Poll {
		this.polls.push(poll);
		this.oracle.judge(poll);
		const isListRead = poll.sent.some((one) => one.kind === 'forms' && one.isGood && one.isLast);
		for (const [form, wasRead] of this.older) {
			const isRead = wasRead || (isListRead && form.listed);
			if (isRead && poll.isSaved) this.older.delete(form);
			else this.older.set(form, isRead);
		}
		this.judgeItems(poll);
		this.judgeRequests(poll);
		for (const { kind, form, isGood, isLast } of poll.sent) {
			const asked = `${kind} ${form}`;
			if (!isGood || latencyMs > 0 || isUnidentified) this.failing.add(asked);
			else if (isLast) this.failing.delete(asked);
		}
		if (this.failing.size === 0) expect(poll.thrown, 'what a good poll throws').toBeUndefined();
		const responses = Object.values(this.forms).flatMap(({ kept }) => kept).length;
		const bytes = JSON.stringify(this.n8n.saved).length;
		expect(bytes, 'bytes of the saved state').toBeLessThanOrEqual(20 * responses + 1_024);
		return poll;
	}

	private judgeItems({ items }: Poll): void {
		const { events, condition = '', needsFields, maxPerPoll } = this.n8n.parameters;
		expect(items.length, 'items of a poll').toBeLessThanOrEqual(maxPerPoll);
		for (const { form, uuid, event, hasFields } of items) {
			expect(this.isWatched(form), `form ${form} is watched`).toBe(true);
			expect(events).toContain(event);
			if (event === 'formCreated') continue;
			expect(uuid.slice(form.length + 1)).toContain(condition);
			expect(hasFields, `${uuid} has the form's fields`).toBe(needsFields);
		}
	}

	/** No request without need, and none twice in a poll. */
	private judgeRequests({ sent }: Poll): void {
		const { needsFields, downloadFiles } = this.n8n.parameters;
		const isNeeded: Record<Sent['kind'], boolean> = {
			responses: this.readsResponses(),
			forms: true,
			fields: needsFields,
			file: downloadFiles,
			other: false,
		};
		for (const { kind, form, url } of sent) {
			expect(isNeeded[kind], `${url} is needed`).toBe(true);
			if (form !== '') expect(this.isWatched(form), `form ${form} is watched`).toBe(true);
		}
		const urls = sent.filter(({ kind }) => kind !== 'file').map(({ url }) => url);
		expect(new Set(urls).size, `each of ${urls.join()} is asked for once`).toBe(urls.length);
	}
}

/** The same failures happen to all requests, or only to those of one form. */
export const failAll = (fault: Fault, form?: string) => ({
	failWith: (request: Sent) =>
		request.kind !== 'file' && (form === undefined || request.form === form) ? fault : undefined,
});
