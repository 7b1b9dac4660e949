/**
 * n8n around one trigger: how its default mode and its durable mode keep a trigger's static data and start
 * workflows, what each saves when, and what each loses if it is killed (docs/trigger.md, "Where n8n can
 * lose or repeat"). The poll is that of the node class.
 */
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
import type { Form } from './form.mts';
import { startProcess, type Process } from './process.mts';
import { Service, UNANSWERED, type Sent, type Treatment } from './service.mts';
import { MINUTE_MS, type VirtualTime } from './time.mts';

/** Node cannot load n8n's ESM build. */
const { NodeHelpers } = createRequire(import.meta.url)('n8n-workflow') as typeof Workflow;

export const EVENTS = [
	'formCreated',
	'responseAbandoned',
	'responseCompleted',
	'responseStarted',
] as const;
export type TriggerEvent = (typeof EVENTS)[number];

export type Watch =
	| { kind: 'chosen'; formIds: readonly string[] }
	| { kind: 'all'; except: readonly string[] };

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

/** An item that a poll gave. Of a form itself, `uuid` is its ID. */
export type Item = { form: string; name: unknown; uuid: string; event: string; hasFields: boolean };

/**
 * What becomes of n8n as it writes down what a poll gave: it is killed before both writes or after one of
 * them, or throws the result away. `discarded`: the poll took too long (durable mode), or the workflow
 * was published again meanwhile (default mode).
 */
export type End = 'killedBefore' | 'killedAfterState' | 'killedAfterExecution' | 'discarded';

export type Circumstances = Treatment & {
	end?: End;
	/** Milliseconds after which n8n is killed if the poll is still under way. */
	killedAfterMs?: number;
};

/** What one poll did, as seen from outside. */
export type Poll = {
	startedAt: number;
	endedAt: number;
	sent: readonly Sent[];
	items: Item[];
	/** Whether n8n started the workflow with the items, and whether it saved the state that they belong to. */
	isExecuted: boolean;
	isSaved: boolean;
	isKilled: boolean;
	thrown?: unknown;
};

export type Mode = 'default' | 'durable';
type Activation = 'activate' | 'init' | 'update';

/** What n8n gives a poll outside of its durable mode, and in it. */
const BUDGET_MS = { default: 5 * MINUTE_MS, durable: 36_000 };

/** What n8n keeps from one poll to the next one: in durable mode nothing. */
type Context = { functions: IPollFunctions; staticData: IDataObject };

let workflows = 0;

export class N8n {
	/** All requests so far. */
	readonly sent: Sent[] = [];
	/** What n8n's log was told. */
	readonly log: string[] = [];
	/** The static data in n8n's database. */
	saved: IDataObject = {};
	/** Whether the trigger could be activated. */
	active = false;
	accessToken = 'token-1';
	baseUrl = 'https://forms.example.com/api/v1';
	nodeName = 'Form Service Trigger';
	parameters: Parameters;
	process: Process;
	readonly service: Service;
	readonly mode: Mode;
	private readonly time: VirtualTime;
	private readonly workflowId = `workflow-${(workflows += 1)}`;
	private context: Context | undefined;
	private treatment: Treatment = {};
	private node?: { parameters: Parameters; node: INode };

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
		this.process = process;
		this.service = new Service(forms, time);
	}

	/** When each request to the service was sent, in epoch milliseconds. */
	get requestTimes(): number[] {
		return this.sent.filter(({ kind }) => kind !== 'file').map(({ at }) => at);
	}

	/** One of n8n's poll times; if the workflow could not be activated, the next attempt to activate it. */
	async tick(circumstances: Circumstances = {}): Promise<Poll> {
		if (!this.active) return await this.activate('init', circumstances);
		const [poll] = await this.pollWith([this.contextOfTick()], circumstances);
		return poll;
	}

	/** A person publishes the workflow, or n8n starts. */
	async activate(activation: Activation, circumstances: Circumstances = {}): Promise<Poll> {
		const context = this.createContext(activation, 'default');
		this.context = context;
		this.active = true;
		const [poll] = await this.pollWith([context], circumstances, true);
		if (poll.thrown !== undefined) this.active = false;
		return poll;
	}

	/** n8n starts again, and all that the process knew is gone. In durable mode n8n does not poll at once. */
	async restart(): Promise<Poll | undefined> {
		this.process = startProcess(this.time);
		this.context = this.createContext('init', 'default');
		return this.mode === 'default' ? await this.activate('init') : undefined;
	}

	/** Two polls that overlap, as when the first one takes long. */
	async overlap(): Promise<Poll[]> {
		return await this.pollWith([this.contextOfTick(), this.contextOfTick()], {});
	}

	/** Two polls of durable mode, the second with the static data from before the first was written down. */
	async tickWithOldCopy(): Promise<Poll[]> {
		const [first, second] = [this.contextOfTick(), this.contextOfTick()];
		const [one] = await this.pollWith([first], {});
		this.time.pass(2_000);
		const [other] = await this.pollWith([second], {});
		return [one, other];
	}

	/** The default mode keeps static data by the node's name. */
	rename(): void {
		this.nodeName += "'";
		this.node = undefined;
		if (this.mode === 'default') this.saved = {};
	}

	private contextOfTick(): Context {
		if (this.mode === 'durable' || this.context === undefined) {
			return this.createContext('update', this.mode);
		}
		return this.context;
	}

	private createContext(activation: Activation, mode: Mode): Context {
		const staticData = copy(this.saved);
		return { functions: this.createFunctions(activation, mode, staticData), staticData };
	}

	private async pollWith(
		contexts: readonly Context[],
		{ end, killedAfterMs, ...treatment }: Circumstances,
		isActivation = false,
	): Promise<Poll[]> {
		const { time, sent, process } = this;
		this.treatment = treatment;
		const startedAt = time.actual();
		const before = contexts.map(({ staticData }) => JSON.stringify(staticData));
		const from = sent.length;
		const work = contexts.map(({ functions }) => runPoll(process.trigger.poll, functions));
		const kill = killedAfterMs === undefined ? [] : [time.sleep(killedAfterMs).then(() => 'kill')];
		const results = await time.until(Promise.race([Promise.all(work), ...kill]));
		const own = { startedAt, endedAt: time.actual(), sent: sent.slice(from) };
		if (typeof results === 'string') {
			return [{ ...own, items: [], isExecuted: false, isSaved: false, isKilled: true }];
		}
		return results.map((result, index) => {
			const { staticData } = contexts[index];
			const isChanged = JSON.stringify(staticData) !== before[index];
			const kept = this.decideKept(result, isChanged, end, isActivation);
			if (kept.isSaved) this.saved = copy(staticData);
			return { ...own, ...result, ...kept, isKilled: end?.startsWith('killed') === true };
		});
	}

	/** What n8n writes down of a poll. */
	private decideKept(
		{ items, thrown }: Pick<Poll, 'items' | 'thrown'>,
		isChanged: boolean,
		end: End | undefined,
		isActivation: boolean,
	): Pick<Poll, 'isExecuted' | 'isSaved'> {
		const isDurable = this.mode === 'durable';
		if (thrown !== undefined || end === 'discarded') return { isExecuted: false, isSaved: false };
		if (items.length === 0) {
			// n8n commits a cursor of a scheduled poll, and in its default mode only that of an activation
			const isSaved = end === undefined && (isDurable ? !isActivation && isChanged : isActivation);
			return { isExecuted: false, isSaved };
		}
		const isWhole = end === undefined;
		return {
			isExecuted: isWhole || (!isDurable && end === 'killedAfterExecution'),
			isSaved: isWhole || (!isDurable && end === 'killedAfterState'),
		};
	}

	/** What n8n hands to a poll: as much of it as a trigger may use. */
	private createFunctions(
		activation: Activation,
		mode: Mode,
		staticData: IDataObject,
	): IPollFunctions {
		const { process } = this;
		const write = (text: string) => void this.log.push(text);
		const request = async (options: IHttpRequestOptions, isAuthenticated: boolean) =>
			// a process that was killed gets no reply any more
			process === this.process
				? await this.service.request(options, this.treatment, this.sent, isAuthenticated)
				: await new Promise(() => {});
		const functions = {
			getWorkflow: () => ({ id: this.workflowId, name: 'Workflow', active: true }),
			getNode: () => this.resolveNode(),
			getMode: () => 'trigger',
			getActivationMode: () => activation,
			getPollBudgetMs: () => BUDGET_MS[mode],
			getTimezone: () => 'UTC',
			getWorkflowStaticData: () => staticData,
			getCredentials: async () => ({ accessToken: this.accessToken, baseUrl: this.baseUrl }),
			getNodeParameter: (name: string, fallback?: unknown, options?: IDataObject) => {
				const value: unknown = lodash.get(this.resolveNode().parameters, name, fallback);
				if (value === undefined) throw new Error(`There is no parameter ${name}`);
				return options?.extractValue === true ? lodash.get(value, 'value', value) : value;
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
		return functions as unknown as IPollFunctions;
	}

	/** The node as n8n keeps it: with the parameters that its description shows for these settings. */
	private resolveNode(): INode {
		const { parameters, nodeName } = this;
		if (this.node?.parameters === parameters) return this.node.node;
		const node: INode = {
			id: 'node-1',
			name: nodeName,
			type: 'n8n-nodes-formservice.formServiceTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			credentials: { formServiceApi: { id: '1', name: 'Form Service' } },
		};
		const { description } = this.process.trigger;
		const given = toNodeParameters(parameters);
		const { properties } = description;
		node.parameters =
			NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
		this.node = { parameters, node };
		return node;
	}
}

async function runPoll(
	poll: Process['trigger']['poll'],
	functions: IPollFunctions,
): Promise<Pick<Poll, 'items' | 'thrown'>> {
	try {
		const items = (await poll.call(functions))?.[0] ?? [];
		return { items: items.map(toItem) };
	} catch (thrown) {
		return { items: [], thrown };
	}
}

function toItem({ json }: INodeExecutionData): Item {
	const { event, uuid } = json as { event: string; uuid: string };
	const form = json.form as { id: string; name: unknown };
	const isOfForm = event === 'formCreated';
	const hasFields = UNANSWERED in json;
	return { form: form.id, name: form.name, uuid: isOfForm ? form.id : uuid, event, hasFields };
}

/** The parameters as the editor saves them. */
function toNodeParameters({ watch, events, condition, ...options }: Parameters): INodeParameters {
	const { emitExisting, maxPerPoll, requestsPerDay, needsFields, downloadFiles } = options;
	const conditions = [{ field: 'attribute:number', operator: 'contains', value: condition ?? '' }];
	const chosen = watch.kind === 'chosen' ? [...watch.formIds] : [];
	const choice = chosen.length === 1 ? 'one' : 'several';
	return {
		watch: watch.kind === 'all' ? 'all' : choice,
		formId: { __rl: true, mode: 'id', value: chosen[0] ?? '' },
		formIds: chosen,
		exceptFormIds: watch.kind === 'all' ? [...watch.except] : [],
		events: [...events],
		filters: condition === undefined ? {} : { conditions: { conditions } },
		simplify: true,
		options: { emitExisting, maxPerPoll, requestsPerDay, columns: needsFields, downloadFiles },
	};
}

/** As it is after a trip through the database, which may give the keys back in another order. */
function copy(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data), (_key, value: unknown) =>
		lodash.isPlainObject(value)
			? Object.fromEntries(Object.entries(value as IDataObject).reverse())
			: value,
	) as IDataObject;
}
