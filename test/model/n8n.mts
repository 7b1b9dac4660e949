import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { serviceError } from '../../nodes/FormService/api/errors.ts';
import { isRecord } from '../../nodes/FormService/api/records.ts';
import { Memory } from '../../nodes/FormService/trigger/memory.ts';
import { poll } from '../../nodes/FormService/trigger/poll.ts';
import { sourceOf } from '../../nodes/FormService/trigger/savedSeen.ts';
import type { TriggerEvent } from '../../nodes/FormService/trigger/seen.ts';
import type { Trigger, World } from '../../nodes/FormService/trigger/world.ts';
import { node } from '../unit/trigger/world.mts';
import { errorOf, type Fault } from './faults.mts';
import type { Form, Kept } from './form.mts';

/** What a person sets on the trigger. */
export type Parameters = {
	form: string;
	events: readonly TriggerEvent[];
	emitExisting: boolean;
	maxPerPoll: number;
	requestsPerDay: number;
};

export type Event = { uuid: string; event: TriggerEvent };

/** How the service and n8n treat one poll. */
export type Circumstances = {
	fault?: Fault;
	/** A response without a UUID is in the listing. */
	unidentified?: boolean;
	/** Pages after which the time is up. */
	pagesInTime?: number;
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
	/** What the service showed; undefined when the poll did not look, or in vain. */
	shown?: Kept[];
	complete: boolean;
	looks: number;
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
	async activate(
		occasion: 'start' | 'publish',
		circumstances: Circumstances = {},
	): Promise<Outcome> {
		const staticData = copyOf(this.database.staticData);
		this.live = staticData;
		this.active = true;
		const outcome = await this.run(staticData, occasion, circumstances);
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
		occasion: Trigger['occasion'],
		circumstances: Circumstances,
	): Promise<Outcome> {
		const { form, ...settings } = this.parameters;
		const trigger: Trigger = {
			...settings,
			key: 'workflow-1:node-1',
			account: 'account',
			source: sourceOf('https://forms.example.com/api/v1', form),
			occasion,
			budgetMs: 36_000,
		};
		const outcome: Outcome = { complete: true, looks: 0, requests: 0, items: [], untouched: true };
		const before = JSON.stringify(staticData);
		const world = this.world(this.forms[form], circumstances, outcome);
		let items: INodeExecutionData[] | null = null;
		try {
			items = await poll(trigger, staticData, this.memory, world);
		} catch (error) {
			outcome.thrown = error;
		}
		outcome.untouched = JSON.stringify(staticData) === before;
		outcome.items = (items ?? []).map(({ json }) => json as Event);
		this.writeDown(staticData, outcome, occasion, circumstances.end);
		return outcome;
	}

	private writeDown(
		staticData: IDataObject,
		{ items, thrown, untouched }: Outcome,
		occasion: Trigger['occasion'],
		end: Circumstances['end'],
	): void {
		const isDurable = this.mode === 'durable';
		if (thrown !== undefined) return;
		if (end === 'discarded') return;
		if (items.length === 0) {
			// n8n commits a cursor of a poll without items only when it has changed
			if (isDurable && occasion === 'tick' && !untouched && !end?.startsWith('crash'))
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

	private world(form: Form, circumstances: Circumstances, outcome: Outcome): World {
		const { clock, log, requestTimes } = this;
		const { fault, unidentified = false, pagesInTime = Infinity, fileFault } = circumstances;
		let items = 0;
		const item = (record: IDataObject, event: TriggerEvent) => {
			items += 1;
			return { json: { uuid: record.uuid, event } };
		};
		const send = () => {
			outcome.requests += 1;
			requestTimes.push(clock.now);
		};
		return {
			node: { ...node, name: this.nodeName },
			now: () => clock.now,
			log: { info: (text) => log.push(text), warn: (text) => log.push(text) },
			requestsSent: () => outcome.requests,
			async list(goOn) {
				outcome.looks += 1;
				await Promise.resolve();
				if (fault?.sent !== false) send();
				if (fault !== undefined) throw errorOf(node, fault);
				const shown: Kept[] = [];
				let pages = 0;
				for (const page of form.pages(clock.now)) {
					if (pages > 0) {
						const isInTime = pages < pagesInTime && goOn();
						if (!isInTime) {
							outcome.complete = false;
							break;
						}
						send();
					}
					pages += 1;
					shown.push(...page);
				}
				const records = shown.map((response) => form.record(response));
				if (unidentified) records.push({ number: 0 });
				else outcome.shown = shown;
				return { records, complete: outcome.complete };
			},
			async toItem(record, event) {
				if (items === fileFault) {
					throw serviceError(node, { message: 'No file', httpCode: '503' });
				}
				return item(record, event);
			},
			toItemWithoutFiles: async (record, event) => item(record, event),
		};
	}
}

/** As it is after a trip through the database, which may give the keys back in another order. */
function copyOf(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data), (_key, value: unknown) =>
		isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
	) as IDataObject;
}
