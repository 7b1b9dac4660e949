import { createRequire } from 'node:module';
import lodash from 'lodash';
import type * as Workflow from 'n8n-workflow';
import type {
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	IPollFunctions,
} from 'n8n-workflow';
import type { TriggerEvent } from '../../nodes/FormService/parameters/watched.ts';
import type { Watch } from '../../nodes/FormService/trigger/parameters.ts';
import type { Form } from './form.mts';
import { startProcess, type Process } from './process.mts';
import { BASE_URL, Service, UNANSWERED, type Sent, type Treatment } from './service.mts';
import type { VirtualTime } from './time.mts';

/** Node cannot load n8n's ESM build. */
const { NodeHelpers } = createRequire(import.meta.url)('n8n-workflow') as typeof Workflow;

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
export const ABANDONED_AFTER_MS = DAY_MS;

export type { TriggerEvent, Watch };

/** What a person sets on the trigger. */
export type Parameters = {
	watch: Watch;
	events: readonly TriggerEvent[];
	/** Only responses with this digit in their number start the workflow. */
	condition: string | undefined;
	/** One Column per Field. */
	needsFields: boolean;
	downloadFiles: boolean;
	emitExisting: boolean;
	maxPerPoll: number;
	requestsPerDay: number;
};

/** The same, with events that can be had: with Form Created, all forms are watched. */
export function possible(parameters: Parameters): Parameters {
	const { watch, events } = parameters;
	if (watch.kind === 'all') return parameters;
	const ofResponses = events.filter((event) => event !== 'formCreated');
	return { ...parameters, events: ofResponses.length > 0 ? ofResponses : ['responseCompleted'] };
}

/** Of a form itself, `uuid` is its ID. */
export type Event = { form: string; uuid: string; event: TriggerEvent };

/** How the service and n8n treat one poll. */
export type Circumstances = Treatment & {
	/**
	 * What becomes of n8n as it writes down what the poll gave. `discarded`: the poll took too long
	 * (durable mode), or the workflow was published again meanwhile (default mode).
	 */
	end?: 'crashBefore' | 'crashAfterState' | 'crashAfterExecution' | 'discarded';
};

/** What one poll did, as seen from outside. */
export type Outcome = {
	/** The requests in the order in which they were sent. */
	sent: Sent[];
	items: Event[];
	/** Forms of which items were made without the fields that they need. */
	unready: string[];
	thrown?: unknown;
	/** What n8n's log was told. */
	log: string[];
	/** Whether the poll left the static data as it was. */
	untouched: boolean;
	/** When it began and ended, and how long n8n gave it. */
	startedAt: number;
	endedAt: number;
	budgetMs: number;
	/** Whether as many requests have been sent in the last 24 hours as may be. */
	isBudgetSpent: boolean;
};

/** The static data and the executions, as they are in n8n's database. */
type Database = { staticData: IDataObject; executions: Event[] };

/** What n8n gives a poll outside of its durable mode, and in it. */
const DEFAULT_BUDGET_MS = 5 * MINUTE_MS;
const DURABLE_BUDGET_MS = 36_000;

type Mode = 'default' | 'durable';

/** Whoever calls the poll function, and what n8n keeps of it between ticks. */
type Context = { activation: 'activate' | 'init'; budgetMs: number };

let workflows = 0;

/**
 * How n8n keeps a trigger's static data and starts workflows, in its default mode and with durable
 * cursors: what it saves when, and what it throws away (docs/trigger.md names the places in n8n). The
 * poll itself is that of the node class.
 */
export class N8n {
	readonly database: Database = { staticData: {}, executions: [] };
	readonly requestTimes: number[] = [];
	readonly mode: Mode;
	readonly service: Service;
	parameters: Parameters;
	/** Of the credential. */
	accessToken = 'token-1';
	active = false;
	private readonly time: VirtualTime;
	process: Process;
	private readonly workflowId = `workflow-${(workflows += 1)}`;
	private firstOfDay = 0;
	private nodeName = 'Form Service Trigger';
	/** In the default mode, the static data lives in the process between two saves, and so does the context. */
	private live: IDataObject = {};
	private context: Context = { activation: 'activate', budgetMs: DEFAULT_BUDGET_MS };
	private readonly polling = new WeakMap<Context, PollFunctions>();
	private resolved?: { of: Parameters; node: INode };

	/** @param process another trigger's, where several are in one process */
	constructor(
		mode: Mode,
		parameters: Parameters,
		forms: Record<string, Form>,
		time: VirtualTime,
		process = startProcess(time),
	) {
		this.mode = mode;
		this.parameters = parameters;
		this.time = time;
		this.service = new Service(forms, time);
		this.process = process;
	}

	/** A tick; of a workflow that could not be activated, n8n's next attempt to activate it. */
	async tick(circumstances: Circumstances = {}): Promise<Outcome> {
		if (!this.active) return await this.activate('init', circumstances);
		const { staticData, context } = this.tickWith();
		return await this.run(staticData, context, circumstances);
	}

	/** A person publishes the workflow, or n8n starts. */
	async activate(
		activation: Context['activation'],
		circumstances: Circumstances = {},
	): Promise<Outcome> {
		const staticData = copyOf(this.database.staticData);
		this.live = staticData;
		this.context = { activation, budgetMs: DEFAULT_BUDGET_MS };
		this.active = true;
		const outcome = await this.run(staticData, this.context, circumstances, true);
		if (outcome.thrown !== undefined) this.active = false;
		else if (this.mode === 'default' && this.live === staticData) this.save(staticData);
		return outcome;
	}

	/** All that the process knows is gone; with durable cursors, n8n does not poll as it starts. */
	async crash(): Promise<Outcome | undefined> {
		this.forget();
		return this.mode === 'default' ? await this.activate('init') : undefined;
	}

	/** The node gets another name. The default mode keeps static data by the name, durable cursors do not. */
	rename(): void {
		this.nodeName += "'";
		this.resolved = undefined;
		if (this.mode === 'default') this.database.staticData = {};
	}

	/** Two polls of one tick that overlap, as when the first one takes long; what both did together. */
	async overlap(circumstances: Circumstances): Promise<Outcome> {
		const [one, other] = [this.tickWith(), this.tickWith()];
		const both = Promise.all([
			this.poll(one.staticData, one.context, circumstances),
			this.poll(other.staticData, other.context, circumstances),
		]);
		const [first, second] = await this.time.until(both);
		this.writeDown(one.staticData, first, circumstances.end);
		this.writeDown(other.staticData, second, circumstances.end);
		const isShared = first.sent === second.sent;
		return {
			...first,
			sent: isShared ? first.sent : [...first.sent, ...second.sent],
			items: [...first.items, ...second.items],
			thrown: first.thrown ?? second.thrown,
			untouched: first.untouched && second.untouched,
		};
	}

	/** A poll that was handed the static data as it was before the poll in front of it was written down. */
	async tickWithOldCopy(): Promise<[Outcome, Outcome]> {
		const old = copyOf(this.database.staticData);
		const first = await this.run(copyOf(old), this.tickWith().context, {});
		this.time.pass(2_000);
		return [first, await this.run(old, this.tickWith().context, {})];
	}

	/** A person fetches a test event in the editor. */
	async fetchTestEvent(): Promise<Pick<Outcome, 'items' | 'sent'>> {
		const { context, workflowId } = this;
		const node = this.node();
		const functions = new PollFunctions(this.service, node, {
			mode: 'manual',
			context,
			workflowId,
		});
		const how = { node, treatment: {}, staticData: {}, accessToken: this.accessToken };
		const work = functions.poll(this.process.trigger.poll, how).then(
			// a form without responses gives an example that is made up
			(items) => eventsIn(items.filter(({ json }) => json.example !== true)),
			() => [],
		);
		const items = await this.time.until(work);
		this.noteRequests(functions.sent);
		return { items, sent: functions.sent };
	}

	private noteRequests(sent: readonly Sent[]): void {
		for (const { at, of } of sent) if (of !== 'file') this.requestTimes.push(at);
	}

	/** Requests of the last 24 hours. */
	private requestsOfDay(): number {
		const { requestTimes } = this;
		const since = this.time.now() - DAY_MS;
		while (requestTimes[this.firstOfDay] <= since) this.firstOfDay += 1;
		return requestTimes.length - this.firstOfDay;
	}

	private tickWith(): { staticData: IDataObject; context: Context } {
		if (this.mode === 'default') return { staticData: this.live, context: this.context };
		const context: Context = { activation: 'activate', budgetMs: DURABLE_BUDGET_MS };
		return { staticData: copyOf(this.database.staticData), context };
	}

	private forget(): void {
		this.process = startProcess(this.time);
		this.live = copyOf(this.database.staticData);
		this.context = { activation: 'init', budgetMs: DEFAULT_BUDGET_MS };
	}

	private save(staticData: IDataObject): void {
		this.database.staticData = copyOf(staticData);
	}

	private async run(
		staticData: IDataObject,
		context: Context,
		circumstances: Circumstances,
		isActivation = false,
	): Promise<Outcome> {
		const outcome = await this.time.until(this.poll(staticData, context, circumstances));
		this.writeDown(staticData, outcome, circumstances.end, isActivation);
		return outcome;
	}

	private async poll(
		staticData: IDataObject,
		context: Context,
		circumstances: Circumstances,
	): Promise<Outcome> {
		const { time, parameters } = this;
		const node = this.node();
		const { workflowId } = this;
		const functions =
			this.polling.get(context) ??
			new PollFunctions(this.service, node, { mode: 'trigger', context, workflowId });
		this.polling.set(context, functions);
		const before = JSON.stringify(staticData);
		const startedAt = time.now();
		let items: INodeExecutionData[] = [];
		let thrown: unknown;
		try {
			const how = { node, treatment: circumstances, staticData, accessToken: this.accessToken };
			items = await functions.poll(this.process.trigger.poll, how);
		} catch (error) {
			thrown = error;
		}
		const { sent, log } = functions;
		this.noteRequests(sent);
		const isOfForm = ({ json }: INodeExecutionData) => json.event === 'formCreated';
		return {
			sent,
			log,
			thrown,
			items: eventsIn(items),
			unready: items
				.filter((item) => parameters.needsFields && !isOfForm(item) && !(UNANSWERED in item.json))
				.map(({ json }) => String(json.uuid)),
			untouched: JSON.stringify(staticData) === before,
			startedAt,
			endedAt: time.now(),
			budgetMs: context.budgetMs,
			isBudgetSpent: this.requestsOfDay() >= parameters.requestsPerDay,
		};
	}

	private writeDown(
		staticData: IDataObject,
		{ items, thrown, untouched }: Outcome,
		end: Circumstances['end'],
		isActivation = false,
	): void {
		const isDurable = this.mode === 'durable';
		if (thrown !== undefined) return;
		if (end === 'discarded') return;
		if (items.length === 0) {
			// n8n commits a cursor of a poll without items only when it has changed
			if (isDurable && !isActivation && !untouched && !end?.startsWith('crash'))
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

	/** The node as n8n keeps it: with the parameters that its description shows for these settings. */
	private node(): INode {
		const { parameters, nodeName, resolved, process } = this;
		if (resolved?.of === parameters) return resolved.node;
		const node: INode = {
			id: 'node-1',
			name: nodeName,
			type: 'n8n-nodes-formservice.formServiceTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			credentials: { formServiceApi: { id: '1', name: 'Form Service' } },
		};
		const { description } = process.trigger;
		node.parameters =
			NodeHelpers.getNodeParameters(
				description.properties,
				settingsOf(parameters),
				true,
				false,
				node,
				description,
			) ?? {};
		this.resolved = { of: parameters, node };
		return node;
	}
}

/** The parameters as the editor saves them. */
function settingsOf({ watch, events, condition, ...options }: Parameters): INodeParameters {
	const { emitExisting, maxPerPoll, requestsPerDay, needsFields, downloadFiles } = options;
	const conditions = [{ field: 'number', operator: 'contains', value: condition ?? '' }];
	const chosen = watch.kind === 'chosen' ? [...watch.formIds] : [];
	const kinds = { all: 'all', chosen: chosen.length === 1 ? 'one' : 'several' };
	return {
		watch: kinds[watch.kind],
		formId: { __rl: true, mode: 'id', value: chosen[0] ?? '' },
		formIds: chosen,
		exceptFormIds: watch.kind === 'all' ? [...watch.except] : [],
		events: [...events],
		filters: condition === undefined ? {} : { conditions: { conditions } },
		simplify: true,
		options: { emitExisting, maxPerPoll, requestsPerDay, columns: needsFields, downloadFiles },
	};
}

/** What n8n hands to a poll: as much of it as a trigger may use, and the same at each tick of a context. */
class PollFunctions {
	sent: Sent[] = [];
	log: string[] = [];
	readonly functions: IPollFunctions;
	private underWay = 0;
	private node: INode;
	private staticData: IDataObject = {};
	private treatment: Treatment = {};
	private accessToken = '';

	constructor(
		service: Service,
		node: INode,
		how: { mode: 'manual' | 'trigger'; context: Context; workflowId: string },
	) {
		const { mode, context, workflowId } = how;
		this.node = node;
		const write = (text: string) => void this.log.push(text);
		const request = async (options: IHttpRequestOptions, isAuthenticated: boolean) =>
			await service.request(options, this.treatment, this.sent, isAuthenticated);
		const functions = {
			getWorkflow: () => ({ id: workflowId, name: 'Workflow', active: mode === 'trigger' }),
			getNode: () => this.node,
			getMode: () => mode,
			getActivationMode: () => (mode === 'manual' ? 'manual' : context.activation),
			getPollBudgetMs: () => context.budgetMs,
			getTimezone: () => 'UTC',
			getWorkflowStaticData: () => this.staticData,
			getCredentials: async () => ({ accessToken: this.accessToken, baseUrl: BASE_URL }),
			getNodeParameter: (name: string, fallback?: unknown, options?: IDataObject) => {
				const value: unknown = lodash.get(this.node.parameters, name, fallback);
				if (value === undefined) throw new Error(`There is no parameter ${name}`);
				return options?.extractValue && isRecord(value) && value.__rl ? value.value : value;
			},
			logger: { debug: write, info: write, warn: write, error: write },
			helpers: {
				httpRequestWithAuthentication: async (_credential: string, options: IHttpRequestOptions) =>
					await request(options, true),
				httpRequest: async (options: IHttpRequestOptions) => await request(options, false),
				prepareBinaryData: async (data: Buffer | AsyncIterable<unknown>, fileName?: string) => {
					if (!Buffer.isBuffer(data)) for await (const chunk of data) void chunk;
					return { mimeType: 'application/pdf', data: '', fileName };
				},
			},
		};
		this.functions = functions as unknown as IPollFunctions;
	}

	/** Polls with this context; one that overlaps another one is recorded with it. */
	async poll(
		poll: Process['trigger']['poll'],
		how: { node: INode; treatment: Treatment; staticData: IDataObject; accessToken: string },
	): Promise<INodeExecutionData[]> {
		Object.assign(this, how, this.underWay === 0 && { sent: [], log: [] });
		this.underWay += 1;
		try {
			return (await poll.call(this.functions))?.[0] ?? [];
		} finally {
			this.underWay -= 1;
		}
	}
}

function eventsIn(items: readonly INodeExecutionData[]): Event[] {
	return items.map(({ json }) => {
		const { event, form, uuid } = json as {
			event: TriggerEvent;
			form: { id: string };
			uuid: string;
		};
		return { form: form.id, uuid: event === 'formCreated' ? form.id : uuid, event };
	});
}

/** As it is after a trip through the database, which may give the keys back in another order. */
function copyOf(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data), (_key, value: unknown) =>
		isRecord(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
	) as IDataObject;
}

function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
