/**
 * n8n around one trigger: how its default mode and its durable mode keep a trigger's static data and start
 * workflows, what each saves when, and what each loses if it is killed (docs/trigger.md, "What a change
 * does"). The poll is that of the node class.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import lodash from 'lodash';
import { Workflow } from 'n8n-workflow';
import type {
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeTypes,
	IPollFunctions,
} from 'n8n-workflow';
import { expect } from 'vitest';
import type { Clock } from '../../nodes/FormService/api/clock.ts';
import type { FormServiceTrigger } from '../../nodes/FormService/FormServiceTrigger.node.ts';
import type { TriggerEvent } from '../../nodes/FormService/parameters/triggerEvents.ts';
import { compiledSources } from '../../scripts/lib/compiled.mts';
import type { Treatment } from './faults.mts';
import { listNodeParameters, type Parameters } from './parameters.mts';
import type { Sent, Service } from './service.mts';
import { MINUTE_MS, type VirtualTime } from '../time.mts';

/** An item that a poll gave. `id` is that of the response, or of the form where it was created. */
export type Item = {
	id: string;
	event: TriggerEvent;
	/** How often it had been edited. */
	edits: number;
};

/**
 * What becomes of n8n as it writes down what a poll gave: it is killed before both writes or after one of
 * them, or discards the result. `discarded`: the poll took too long (durable mode), or the workflow was
 * published again meanwhile (default mode).
 */
export type End = 'killedBefore' | 'killedAfterState' | 'killedAfterExecution' | 'discarded';

export type Circumstances = Treatment & { end?: End };

/** What one poll did, as seen from outside. */
export type Poll = {
	endedAt: number;
	sent: readonly Sent[];
	items: Item[];
	thrown?: unknown;
	/** Whether n8n started the workflow with the items, and whether it saved the state that they belong to. */
	isExecuted: boolean;
	isSaved: boolean;
};

export type Mode = 'default' | 'durable';

/** What n8n gives a poll outside of its durable mode, and in it. */
const BUDGET_MS = { default: 5 * MINUTE_MS, durable: 36_000 };

const folder = await compiledSources();

/** What a process of n8n has loaded. */
export type Process = Pick<FormServiceTrigger, 'poll'>;

/** Loads the trigger's class afresh: all that an earlier process remembered is gone. */
export function startProcess({ now, monotonicMs, sleep, timeout }: Clock): Process {
	// a loader keeps all that it has loaded, so each process has its own
	const load = createRequire(join(folder, 'package.json'));
	for (const path of Object.keys(load.cache)) if (path.startsWith(folder)) delete load.cache[path];
	const { clock } = load('./nodes/FormService/api/clock.js') as { clock: Clock };
	Object.assign(clock, { now, monotonicMs, sleep, timeout });
	const { FormServiceTrigger } = load('./nodes/FormService/FormServiceTrigger.node.js') as {
		FormServiceTrigger: new () => Process;
	};
	return new FormServiceTrigger();
}

let workflows = 0;

/** What n8n's database has of a workflow: in default mode its static data, in durable mode those of the node. */
type Saved = { staticData: IDataObject; cursor: IDataObject };

/** What n8n creates for a poll; in default mode once for all polls after an activation. */
type Context = {
	functions: IPollFunctions;
	staticData: Workflow['staticData'];
	/** The copy that a poll of durable mode changes. */
	cursor: IDataObject;
};

/** Without the type of a node, n8n adds no parameters to it. */
const NO_NODE_TYPES = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;

export class N8n {
	readonly log: string[] = [];
	readonly saved: Saved = { staticData: {}, cursor: {} };
	/** Whether the trigger could be activated. */
	isActive = false;
	credential = { accessToken: 'token-1', baseUrl: 'https://forms.example.com/api/v1' };
	parameters: Parameters;
	/** The name of the trigger, from the next activation on. */
	nodeName = 'Trigger';
	readonly mode: Mode;
	private process: Process;
	private readonly service: Service;
	private readonly time: VirtualTime;
	private readonly workflowId = `workflow-${(workflows += 1)}`;
	/** What n8n keeps from one poll to the next one: in durable mode nothing. */
	private context: Context;

	/** @param process that of another trigger, where several are in one process */
	constructor(
		mode: Mode,
		parameters: Parameters,
		service: Service,
		time: VirtualTime,
		process = startProcess(time),
	) {
		this.mode = mode;
		this.parameters = parameters;
		this.service = service;
		this.time = time;
		this.process = process;
		this.context = this.createContext('activate', 'default');
	}

	/** One of n8n's poll times; if the workflow could not be activated, the next attempt to activate it. */
	async tick(circumstances: Circumstances = {}): Promise<Poll> {
		if (!this.isActive) return await this.activate('init', circumstances);
		if (this.mode === 'durable') this.context = this.createContext('update', 'durable');
		return await this.poll(circumstances, false);
	}

	/** A person publishes the workflow (`activate`), or n8n starts (`init`). */
	async activate(activation: 'activate' | 'init', given: Circumstances = {}): Promise<Poll> {
		this.context = this.createContext(activation, 'default');
		const poll = await this.poll(given, true);
		this.isActive = poll.thrown === undefined;
		return poll;
	}

	/** n8n starts again, and all that the process knew is gone. In durable mode n8n does not poll at once. */
	async restart(given: Circumstances = {}): Promise<Poll | undefined> {
		this.process = startProcess(this.time);
		return this.mode === 'default' ? await this.activate('init', given) : undefined;
	}

	private async poll({ end, ...treatment }: Circumstances, isActivation: boolean): Promise<Poll> {
		const { context, saved, service, time } = this;
		service.treatment = treatment;
		const from = service.sent.length;
		const startedAt = time.actual();
		const outcome = await time.waitFor(runPoll(this.process, context.functions));
		// n8n discards what takes longer
		const budgetMs = BUDGET_MS[isActivation ? 'default' : this.mode];
		expect(time.actual() - startedAt, 'duration of a poll').toBeLessThanOrEqual(budgetMs);
		const kept = this.decideKept(outcome, end, isActivation);
		const { cursor, staticData } = context;
		if (kept.isSaved && this.mode === 'durable') saved.cursor = copy(cursor);
		if (kept.isSaved && this.mode === 'default' && staticData.__dataChanged) {
			saved.staticData = copy(staticData);
			staticData.__dataChanged = false;
		}
		return { endedAt: time.actual(), sent: service.sent.slice(from), ...outcome, ...kept };
	}

	/** What n8n writes down of a poll. */
	private decideKept({ items, thrown }: Outcome, end: End | undefined, isActivation: boolean) {
		const isDurable = this.mode === 'durable';
		// durable mode writes in one transaction
		const isLost = end !== undefined && (isDurable || ['killedBefore', 'discarded'].includes(end));
		if (thrown !== undefined || isLost) return { isExecuted: false, isSaved: false };
		// n8n commits a cursor of a scheduled poll, and in its default mode only that of an activation
		const isCommitted = items.length > 0 || isDurable !== isActivation;
		const isExecuted = items.length > 0 && end !== 'killedAfterState';
		return { isExecuted, isSaved: isCommitted && end !== 'killedAfterExecution' };
	}

	/** What n8n hands to a poll: as much of it as a trigger may use. */
	private createContext(activation: string, mode: Mode): Context {
		const { saved, workflowId: id } = this;
		const write = (text: string) => void this.log.push(text);
		const parameters = listNodeParameters(this.parameters);
		const node: INode = {
			...{ id: 'node-1', name: this.nodeName, type: 'node', typeVersion: 1 },
			...{ position: [0, 0], parameters },
		};
		const workflow = new Workflow({
			...{ id, nodes: [node], connections: {}, active: true },
			nodeTypes: NO_NODE_TYPES,
			staticData: copy(saved.staticData),
		});
		const cursor = copy(saved.cursor);
		const functions = {
			workflow,
			getWorkflow: () => ({ id, name: 'Workflow', active: true }),
			getNode: () => node,
			getMode: () => 'trigger',
			getActivationMode: () => activation,
			getPollBudgetMs: () => BUDGET_MS[mode],
			getTimezone: () => 'UTC',
			getWorkflowStaticData: (type: string) =>
				type === 'node' && this.mode === 'durable' ? cursor : workflow.getStaticData(type, node),
			getCredentials: async () => this.credential,
			getNodeParameter: (name: string, fallback?: unknown): unknown =>
				lodash.get(parameters, name, fallback),
			logger: { debug: write, info: write, warn: write, error: write },
			helpers: {
				httpRequestWithAuthentication: async (_credential: string, options: IHttpRequestOptions) =>
					await this.service.request(options),
			},
		} as unknown as IPollFunctions;
		return { functions, staticData: workflow.staticData, cursor };
	}
}

type Outcome = Pick<Poll, 'items' | 'thrown'>;

async function runPoll(process: Process, context: IPollFunctions): Promise<Outcome> {
	try {
		const items = (await process.poll.call(context))?.[0] ?? [];
		return { items: items.map(({ json }) => readItem(json)) };
	} catch (thrown) {
		return { items: [], thrown };
	}
}

function readItem(json: IDataObject): Item {
	const get = (name: string) => json[name] ?? json[`response_${name}`];
	const id = get('uuid') ?? lodash.get(json, 'form.id');
	// the answer that says it, or the description of a form
	const edits = Number(lodash.get(json, 'answers.Edits') ?? json.Edits ?? json.description);
	return { id, event: get('event'), edits } as Item;
}

/** As it is after a trip through the database. */
const copy = <T,>(data: T): T => JSON.parse(JSON.stringify(data)) as T;
