/**
 * A trigger in its n8n, its forms and its time, with the oracle beside them: what people do to the forms
 * and the node, and what holds for every poll, whatever the world.
 */
import { expect } from 'vitest';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import { N8n, type Circumstances, type Mode } from './n8n.mts';
import type { Poll, Process } from './n8n.mts';
import { defaults, type Parameters } from './parameters.mts';
import type { Subject } from './edits.mts';
import { Oracle } from './oracle.mts';
import { Form, isListed, Service, type Listing, type Response } from './service.mts';
import { DAY_MS, HOUR_MS, MINUTE_MS, VirtualTime } from '../time.mts';

/** A machine's clock has fractions of milliseconds. */
export const START = Date.UTC(2026, 10, 21, 12) + 0.375;

const MAX_CALM_POLLS = 300;

type Given = { mode?: Mode; time?: VirtualTime; process?: Process } & Partial<Parameters>;

type RunOptions = Circumstances & {
	/** What happens in each minute, before its poll. */
	happen?: (minute: number) => unknown;
	periodMinutes?: number;
};

export class World {
	readonly time: VirtualTime;
	readonly forms: Record<string, Form> = {};
	readonly service: Service;
	readonly n8n: N8n;
	readonly oracle: Oracle;
	readonly polls: Poll[] = [];
	/** Whether something has failed since all was well: a failure may be reported later. */
	private isTroubled = false;

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
		this.oracle = new Oracle(time.actual, (subject, event) => this.isWanted(subject, event));
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
		this.oracle.appear(response);
		return response;
	}

	complete(response: Response): void {
		response.incomplete = false;
		this.oracle.complete(response);
	}

	createForm(id: string): Form {
		const form = new Form(id, Math.floor(this.time.actual() / 1000) * 1000);
		// it is listed as the others are
		form.listing = Object.values(this.forms)[0].listing;
		this.forms[id] = form;
		this.oracle.appear(form);
		return form;
	}

	/** All forms and responses are in their lists. */
	showAll(): void {
		for (const form of Object.values(this.forms)) {
			form.state = 'listed';
			for (const response of form.kept) response.deleted = false;
		}
	}

	/** The workflow is published for the first time, and n8n polls for some minutes. */
	async begin(minutes = 0, circumstances: Circumstances = {}): Promise<void> {
		const { emitSince } = this.n8n.parameters;
		for (const form of this.watchedForms()) this.oracle.begin(form, emitSince);
		await this.publish(circumstances);
		await this.run(minutes);
	}

	async publish(circumstances: Circumstances = {}): Promise<Poll> {
		return this.note(await this.n8n.activate('activate', circumstances), circumstances);
	}

	/** One of n8n's poll times, so long after the last one; n8n starts again if it is killed. */
	async tick(afterMs: number, { end, ...circumstances }: Circumstances = {}): Promise<Poll> {
		this.time.pass(afterMs);
		const given = { ...circumstances, end: this.n8n.isActive ? end : undefined };
		const poll = this.note(await this.n8n.tick(given), given);
		if (given.end?.startsWith('killed')) await this.restart();
		if (given.end === 'discarded' && this.n8n.mode === 'default') await this.publish();
		return poll;
	}

	/** n8n polls for some minutes. */
	async run(
		minutes: number,
		{ happen, periodMinutes = 1, ...circumstances }: RunOptions = {},
	): Promise<void> {
		const from = this.time.actual();
		for (let minute = 1; minute <= minutes; minute++) {
			// none passes if a poll takes longer than the time to the next one
			this.time.pass(from + minute * MINUTE_MS - this.time.actual());
			await happen?.(minute);
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
		this.isTroubled = false;
		this.oracle.settle(this.watchedForms());
	}

	async restart(circumstances: Circumstances = {}): Promise<void> {
		// the default mode has not saved polls without items
		if (this.n8n.mode === 'default') this.oracle.forgetUnsaved(Object.values(this.forms));
		const poll = await this.n8n.restart(circumstances);
		if (poll !== undefined) this.note(poll, circumstances);
	}

	/** A person publishes the workflow with other forms or events. */
	async change(parameters: Partial<Parameters>): Promise<void> {
		Object.assign(this.n8n.parameters, parameters);
		await this.publish();
	}

	watchedForms(): Form[] {
		return Object.values(this.forms).filter(({ id }) => this.isWatched(id));
	}

	private isWatched(id: string): boolean {
		const { watch } = this.n8n.parameters;
		return watch.kind === 'all' ? !watch.except.includes(id) : watch.formIds.includes(id);
	}

	private isWanted(subject: Subject, event: TriggerEvent): boolean {
		const { id } = 'form' in subject ? subject.form : subject;
		return this.n8n.parameters.events.includes(event) && this.isWatched(id);
	}

	/** Form Created alone needs no responses. */
	readsResponses(): boolean {
		return this.n8n.parameters.events.some((event) => event.startsWith('response'));
	}

	/** Whether each form, and the list of all forms, was read from its first to its last page. */
	private isAllRead(from: number): boolean {
		const forms = this.readsResponses() ? this.watchedForms().filter(isListed) : [];
		const { watch, events } = this.n8n.parameters;
		const isListNeeded = watch.kind === 'all' || events.includes('formUpdated');
		const lists = [...(isListNeeded ? [''] : []), ...forms.map(({ id }) => id)];
		return lists.every((form) => this.service.isReadWhole(form, from));
	}

	/** Judges a poll and takes note of it. */
	private note(poll: Poll, { latencyMs = 0 }: Circumstances): Poll {
		const { items, sent, thrown } = poll;
		const { columns, maxPerPoll } = this.n8n.parameters;
		this.polls.push(poll);
		this.oracle.judge(poll);
		expect(items.length, 'items of a poll').toBeLessThanOrEqual(maxPerPoll);
		const needed: Record<string, boolean> = {
			...{ responses: this.readsResponses(), forms: true, fields: columns },
		};
		for (const { kind, form, url } of sent) {
			const isNeeded = needed[kind] && (form === '' || this.isWatched(form));
			expect(isNeeded, `${url} is needed`).toBe(true);
		}
		const isListRead = sent.some(({ kind, isLast }) => kind === 'forms' && isLast);
		// without events of responses, only the list shows that a chosen form is gone
		const isMissed = isListRead && !this.watchedForms().every(isListed);
		if (isMissed || latencyMs > 0 || sent.some(({ isGood }) => !isGood)) this.isTroubled = true;
		if (!this.isTroubled) expect(thrown, 'what a good poll throws').toBeUndefined();
		return poll;
	}
}

type Paged = { pages: number; listing?: Partial<Listing> } & Given;

/**
 * A trigger on one form whose responses fill so many pages, the newest of them one hour old. The last page has
 * room for one more.
 *
 * @param isIncomplete whether the response with a number is incomplete
 */
export function createPaged(
	{ pages, listing, ...given }: Paged,
	isIncomplete = (_number: number) => false,
) {
	const world = new World(['A'], given);
	const { A } = world.forms;
	A.listing = { ...A.listing, paging: 'number', pageSize: 3, ...listing };
	const count = pages * A.listing.pageSize - 1;
	for (let number = 2; number <= count; number++)
		A.submit(isIncomplete(number), START - HOUR_MS - (count - number) * 1_000);
	return { world, A };
}

/** What a poll gave, as `A-2 responseCompleted`. */
const listEvents = ({ items }: Poll) => items.map(({ id, event }) => `${id} ${event}`);
