import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Conditions } from '../../nodes/FormService/api/answers/conditions.ts';
import { serviceError } from '../../nodes/FormService/api/errors.ts';
import { isRecord } from '../../nodes/FormService/api/records.ts';
import type { PageRead } from '../../nodes/FormService/api/replies/list.ts';
import { Memory } from '../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../nodes/FormService/trigger/poll.ts';
import type {
	Dependencies,
	Event as TriggerItem,
	Trigger,
	Watch,
} from '../../nodes/FormService/trigger/dependencies.ts';
import type { TriggerEvent } from '../../nodes/FormService/trigger/diff.ts';
import { node } from '../unit/trigger/polling.mts';
import { errorOf, faults, type Fault } from './faults.mts';
import type { Form, ListedForm, Shown } from './form.mts';
import { Looks } from './looks.mts';

const DAY_MS = 24 * 3_600_000;

export const ABANDONED_AFTER_MS = DAY_MS;

/** What a person sets on the trigger. */
export type Parameters = {
	watch: Watch;
	events: readonly TriggerEvent[];
	/** Only responses with this digit in their number start the workflow. */
	condition: string | undefined;
	needsFields: boolean;
	emitExisting: boolean;
	maxPerPoll: number;
	requestsPerDay: number;
};

/** Of a form itself, `uuid` is its ID. */
export type Event = { form: string; uuid: string; event: TriggerEvent };

/** How the service and n8n treat one poll. */
export type Circumstances = {
	fault?: Fault;
	/** The only form that it happens to; without it, it happens to all requests. */
	faultOf?: string;
	/** The list of forms is cut. */
	cutList?: boolean;
	/** A response without a UUID is in the listing. */
	unidentified?: boolean;
	/** Pages after which the time is up. */
	pagesInTime?: number;
	/** The fields of forms cannot be read. */
	fieldsFail?: boolean;
	/** Which item's file cannot be had, from 0. */
	fileFault?: number;
	/**
	 * What becomes of n8n as it writes down what the poll gave. `discarded`: the poll took too long
	 * (durable mode), or the workflow was published again meanwhile (default mode).
	 */
	end?: 'crashBefore' | 'crashAfterState' | 'crashAfterExecution' | 'discarded';
};

/** What one poll did, as seen from outside. */
export type Outcome = {
	/** What the service showed of each form, in the order in which they were polled. */
	looks: Looks;
	/** The list of forms, where it was read. */
	list?: { forms: ListedForm[]; complete: boolean };
	/** Forms whose responses were asked for. */
	asked: string[];
	/** Forms whose fields were asked for, and those of them that failed. */
	fields: string[];
	withoutFields: string[];
	/** Forms of which items were made without the fields that they need. */
	unready: string[];
	/** Whether as many requests have been sent in the last 24 hours as may be. */
	isBudgetSpent: boolean;
	requests: number;
	items: Event[];
	thrown?: unknown;
	/** Whether the poll left the static data as it was. */
	untouched: boolean;
};

/** The static data and the executions, as they are in n8n's database. */
type Database = { staticData: IDataObject; executions: Event[] };

/**
 * How n8n keeps a trigger's static data and starts workflows, in its default mode and with durable
 * cursors: what it saves when, and what it throws away (docs/trigger.md names the places in n8n).
 */
export class N8n {
	readonly database: Database = { staticData: {}, executions: [] };
	readonly log: string[] = [];
	readonly requestTimes: number[] = [];
	readonly mode: 'default' | 'durable';
	parameters: Parameters;
	active = false;
	private readonly forms: Record<string, Form>;
	private readonly clock: { now: number };
	private memory = new Memory();
	private nodeName = node.name;
	/** In the default mode, the static data lives in the process between two saves. */
	private live: IDataObject = {};

	constructor(
		mode: 'default' | 'durable',
		parameters: Parameters,
		forms: Record<string, Form>,
		clock: { now: number },
	) {
		this.mode = mode;
		this.parameters = parameters;
		this.forms = forms;
		this.clock = clock;
	}

	/** A tick; of a workflow that could not be activated, n8n's next attempt to activate it. */
	async tick(circumstances: Circumstances = {}): Promise<Outcome> {
		if (!this.active) return await this.activate('start', circumstances);
		if (this.mode === 'default') return await this.run(this.live, 'tick', circumstances);
		return await this.run(copyOf(this.database.staticData), 'tick', circumstances);
	}

	/** A person publishes the workflow, or n8n starts. */
	async activate(reason: 'start' | 'publish', circumstances: Circumstances = {}): Promise<Outcome> {
		const staticData = copyOf(this.database.staticData);
		this.live = staticData;
		this.active = true;
		const outcome = await this.run(staticData, reason, circumstances);
		if (outcome.thrown !== undefined) this.active = false;
		else if (this.mode === 'default' && this.live === staticData) this.save(staticData);
		return outcome;
	}

	/** All that the process knows is gone; with durable cursors, n8n does not poll as it starts. */
	async crash(): Promise<Outcome | undefined> {
		this.forget();
		return this.mode === 'default' ? await this.activate('start') : undefined;
	}

	/** The node gets another name. The default mode keeps static data by the name, durable cursors do not. */
	rename(): void {
		this.nodeName += "'";
		if (this.mode === 'default') this.database.staticData = {};
	}

	/** Two polls of one tick that overlap, as when the first one takes long. */
	async overlap(circumstances: Circumstances): Promise<[Outcome, Outcome]> {
		const copy = () => (this.mode === 'default' ? this.live : copyOf(this.database.staticData));
		return await Promise.all([
			this.run(copy(), 'tick', circumstances),
			this.run(copy(), 'tick', circumstances),
		]);
	}

	/** A poll that was handed the static data as it was before the poll in front of it was written down. */
	async tickWithOldCopy(circumstances: Circumstances): Promise<[Outcome, Outcome]> {
		const old = copyOf(this.database.staticData);
		const first = await this.run(copyOf(old), 'tick', circumstances);
		this.clock.now += 2_000;
		return [first, await this.run(old, 'tick', {})];
	}

	private forget(): void {
		this.memory = new Memory();
		this.live = copyOf(this.database.staticData);
	}

	private save(staticData: IDataObject): void {
		this.database.staticData = copyOf(staticData);
	}

	private async run(
		staticData: IDataObject,
		reason: Trigger['reason'],
		circumstances: Circumstances,
	): Promise<Outcome> {
		const { condition, ...settings } = this.parameters;
		const trigger: Trigger = {
			...settings,
			key: 'workflow-1:node-1',
			account: 'account',
			service: 'forms.example.com',
			names: new Map(Object.keys(this.forms).map((id) => [id, id])),
			abandonedAfterMs: ABANDONED_AFTER_MS,
			conditions: conditionsOf(condition),
			reason,
			budgetMs: 36_000,
		};
		const outcome: Outcome = {
			looks: new Looks(),
			asked: [],
			fields: [],
			withoutFields: [],
			unready: [],
			isBudgetSpent: false,
			requests: 0,
			items: [],
			untouched: true,
		};
		const before = JSON.stringify(staticData);
		const deps = this.dependencies(circumstances, outcome);
		let items: INodeExecutionData[] | null = null;
		try {
			items = await poll(trigger, staticData, this.memory, deps);
		} catch (error) {
			outcome.thrown = error;
		}
		const since = this.clock.now - DAY_MS;
		const ofDay = this.requestTimes.filter((at) => at > since).length;
		outcome.isBudgetSpent = ofDay >= this.parameters.requestsPerDay;
		outcome.untouched = JSON.stringify(staticData) === before;
		outcome.items = (items ?? []).map(({ json }) => json as Event);
		this.writeDown(staticData, outcome, reason, circumstances.end);
		return outcome;
	}

	private writeDown(
		staticData: IDataObject,
		{ items, thrown, untouched }: Outcome,
		reason: Trigger['reason'],
		end: Circumstances['end'],
	): void {
		const isDurable = this.mode === 'durable';
		if (thrown !== undefined) return;
		if (end === 'discarded') return;
		if (items.length === 0) {
			// n8n commits a cursor of a poll without items only when it has changed
			if (isDurable && reason === 'tick' && !untouched && !end?.startsWith('crash'))
				this.save(staticData);
		} else {
			const writesState = end === undefined || end === 'crashAfterState';
			const writesExecution = end === undefined || end === 'crashAfterExecution';
			if (isDurable ? writesState && writesExecution : writesState) this.save(staticData);
			if (isDurable ? writesState && writesExecution : writesExecution) {
				this.database.executions.push(...items);
			}
		}
		if (end?.startsWith('crash')) this.forget();
	}

	private dependencies(circumstances: Circumstances, outcome: Outcome): Dependencies {
		const { clock, log, requestTimes, forms } = this;
		const { fault, faultOf, unidentified = false, cutList = false } = circumstances;
		const { pagesInTime = Infinity, fieldsFail = false, fileFault } = circumstances;
		const { needsFields } = this.parameters;
		let items = 0;
		const item = ({ record, event, form, fields }: TriggerItem) => {
			items += 1;
			const isReady = !needsFields || event === 'formCreated' || fields?.[0]?.of === form.id;
			if (!isReady) outcome.unready.push(form.id);
			return { json: { form: form.id, uuid: record.uuid ?? record.id, event } };
		};
		const failing = (form: string) =>
			faultOf === undefined || faultOf === form ? fault : undefined;
		const send = () => {
			outcome.requests += 1;
			requestTimes.push(clock.now);
		};
		return {
			node: { ...node, name: this.nodeName },
			now: () => clock.now,
			log: { info: (text) => log.push(text), warn: (text) => log.push(text) },
			requestsSent: () => outcome.requests,
			async listForms() {
				await Promise.resolve();
				const problem = failing('');
				if (problem?.sent !== false) send();
				if (problem !== undefined) throw errorOf(node, problem);
				const all = Object.values(forms).filter(({ listed }) => listed);
				const listed = cutList ? all.slice(0, 1) : all;
				outcome.list = { forms: listed.map((form) => form.asListed()), complete: !cutList };
				const records = listed.map((form) => {
					const { id, createdAt } = form.asListed();
					const created_at = createdAt === undefined ? null : new Date(createdAt).toISOString();
					return { id, name: id, created_at };
				});
				return { records, complete: !cutList };
			},
			async listFields(id) {
				outcome.fields.push(id);
				await Promise.resolve();
				const problem = fieldsFail ? faults.serverError : failing(id);
				if (problem !== undefined) outcome.withoutFields.push(id);
				if (problem?.sent !== false) send();
				if (problem !== undefined) throw errorOf(node, problem);
				return { records: [{ of: id }], complete: true };
			},
			async listResponses(id, goOn, { known, from, isIncomplete = false, isEnough } = {}) {
				// a look that begins short can go on to all pages
				if (outcome.asked.at(-1) !== id) outcome.asked.push(id);
				await Promise.resolve();
				const form = forms[id];
				const kind = { isIncomplete, isOfEnd: from !== undefined };
				outcome.looks.begin(id, kind);
				const isRefused =
					from !== undefined &&
					from.received >= form.count &&
					form.pagesBy === 'number, refused beyond the end';
				const isThere = form.listed && !isRefused;
				const problem = failing(id) ?? (isThere ? undefined : faults.notFound);
				if (problem?.sent !== false) send();
				if (problem !== undefined) {
					const isGone = kind.isOfEnd && problem.cause === 'configuration-invalid';
					if (isGone) outcome.looks.took(id, { responses: [], end: 'enough', ...kind });
					throw errorOf(node, problem);
				}
				const responses: Shown[] = [];
				const pages: PageRead[] = [];
				const recordsRead = () => responses.map((response) => form.record(response));
				let end: 'complete' | 'enough' | 'cut' = 'complete';
				const asked = { offset: from?.received, isIncomplete };
				for (const { shown, offset, total } of form.pages(clock.now, asked)) {
					if (pages.length > 0) {
						const soFar = { records: recordsRead(), complete: false, pages };
						if (await isEnough?.(soFar)) end = 'enough';
						else if (pages.length >= pagesInTime || !goOn()) end = 'cut';
						if (end !== 'complete') break;
						send();
					}
					const place = { url: `${id}?offset=${offset}`, pages: pages.length, received: offset };
					const isNumbered = form.pagesBy !== 'cursor';
					pages.push({ ...place, shown: shown.length, total, isNumbered });
					responses.push(...shown);
				}
				const records = recordsRead();
				if (unidentified) records.push({ number: 0 });
				else outcome.looks.took(id, { responses, end, ...kind });
				const version = { digest: JSON.stringify(records) };
				if (known?.digest === version.digest && pages.length === 1) {
					return { records: [], complete: true, pages, version, isUnchanged: true };
				}
				const complete = end === 'complete';
				return { records, complete, pages, ...(pages.length === 1 && { version }) };
			},
			async toItem(event, onFileError) {
				if (items === fileFault && event.event !== 'formCreated') {
					onFileError(serviceError(node, { message: 'No file', httpCode: '503' }));
				}
				return item(event);
			},
			toItemWithoutFiles: async (event) => item(event),
		};
	}
}

function conditionsOf(value: string | undefined): Conditions {
	const conditions = [{ field: 'number', operator: 'contains' as const, value: value ?? '' }];
	return { match: 'all', conditions: value === undefined ? [] : conditions, zone: 'utc' };
}

/** As it is after a trip through the database, which may give the keys back in another order. */
function copyOf(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data), (_key, value: unknown) =>
		isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
	) as IDataObject;
}
