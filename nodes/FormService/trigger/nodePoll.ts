import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { meets } from '../api/answers/conditions';
import { oldestFirst } from '../api/answers/order';
import { outputNeedsFields } from '../api/answers/responseItem';
import { clock, unlessAborted } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import { asNodeError, NotSent } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { listRecords, listWhile } from '../api/service';
import type { Dependencies, Event, NamedForm, Trigger, Watch } from './dependencies';
import { failureOf, queueTooLong, tooSlow } from './errors';
import { shortNameOf } from './fingerprint';
import { Memory } from './memory';
import { deliver, itemsBy, newestResponse, noExample } from './output';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import { poll } from './poll';
import { afterFailure, isDue, MINUTE_MS } from './schedule';
import { listedForms } from './watchedForms';

/** All triggers of this process. */
const memory = new Memory();

/** One poll of n8n for one trigger. */
export async function pollForms(n8n: IPollFunctions): Promise<INodeExecutionData[] | null> {
	const key = `${n8n.getWorkflow().id}:${n8n.getNode().id}`;
	const reason = pollReason(n8n, memory);
	let prepared: { parameters: Parameters; account: Account };
	try {
		prepared = { parameters: readParameters(n8n), account: await getAccount(n8n) };
	} catch (error) {
		return notPrepared(error, n8n, key, reason);
	}
	const { parameters, account } = prepared;
	const budgetMs = pollBudgetMs(n8n);
	const service = shortNameOf(account.baseUrl);
	const trigger: Trigger = {
		...parameters,
		key,
		account: account.key,
		service,
		reason,
		budgetMs,
		needsFields: outputNeedsFields(parameters.output),
	};
	const staticData = n8n.getWorkflowStaticData('node');
	const deps = dependenciesOf(n8n, parameters, account, budgetMs);
	return await poll(trigger, staticData, memory, deps);
}

/** A parameter or credential that cannot be used is reported like any failure: not at each tick. */
function notPrepared(
	error: unknown,
	n8n: IPollFunctions,
	key: string,
	reason: Trigger['reason'],
): null {
	const node = n8n.getNode();
	const own = memory.trigger(key, 'not prepared', node.name);
	const now = clock.now();
	const reportAtOnce = reason !== 'tick';
	if (!reportAtOnce && !isDue(own.accountSchedule, MINUTE_MS, now)) return null;
	const { schedule, report } = afterFailure(own.accountSchedule, {
		startedAt: now,
		now,
		spacing: MINUTE_MS,
		failure: failureOf(error),
		reportAtOnce,
		reportAgain: true,
	});
	own.accountSchedule = schedule;
	const reported = asNodeError(node, error);
	if (report) throw reported;
	n8n.logger.warn(`The forms cannot be checked: ${reported.message}`);
	return null;
}

/** Forms that are asked for an example at most: each takes a request. */
const MAX_ASKED_FOR_EXAMPLE = 5;

/**
 * The newest response of the first form that has one, to build a workflow with, as the trigger would
 * give it. Remembers nothing and changes nothing.
 */
export async function fetchExample(n8n: IPollFunctions): Promise<INodeExecutionData[]> {
	const parameters = readParameters(n8n);
	const { watch, names, events } = parameters;
	const node = n8n.getNode();
	const account = await getAccount(n8n);
	const context: RequestContext = { n8n, account, urgency: 'prompt' };
	const forms = await formsForExample(context, watch, names);
	const ofResponses = events.some((event) => event !== 'formCreated');
	for (const { id, name } of ofResponses ? forms.slice(0, MAX_ASKED_FOR_EXAMPLE) : []) {
		const target = targetOf(account, endpoints.listResponses, { formId: id });
		const records = await listRecords(context, target);
		const wanted = records.filter((one) => meets(one, parameters.conditions, []));
		const newest = newestResponse(wanted, events);
		if (newest !== undefined) return await asExample({ ...newest, form: { id, name } });
	}
	const [{ id, name, record } = { id: '', name: null, record: undefined }] = forms;
	if (record === undefined || !events.includes('formCreated')) throw noExample(node, events);
	return await asExample({ event: 'formCreated', record, form: { id, name } });

	async function asExample(event: Event): Promise<INodeExecutionData[]> {
		const ofResponse = event.event !== 'formCreated' && outputNeedsFields(parameters.output);
		const target = targetOf(account, endpoints.listFields, { formId: event.form.id });
		const fields = ofResponse ? await listRecords(context, target) : undefined;
		const items = itemsBy(context, parameters.output);
		const deps = { node, now: () => clock.now(), log: n8n.logger, ...items };
		return await deliver([{ ...event, fields }], {
			limit: 1,
			until: Infinity,
			isPatient: false,
			deps,
		});
	}
}

/** The forms of a trigger, newest first where all are watched. */
async function formsForExample(
	context: RequestContext,
	watch: Watch,
	names: ReadonlyMap<string, string>,
): Promise<Array<NamedForm & { record?: IDataObject }>> {
	const isNamed = watch.kind === 'chosen' && watch.formIds.every((id) => names.has(id));
	if (isNamed) return watch.formIds.map((id) => ({ id, name: names.get(id) ?? null }));
	const target = targetOf(context.account, endpoints.listForms);
	const listed = listedForms(await listRecords(context, target));
	if (watch.kind === 'all') {
		return oldestFirst(listed.filter(({ id }) => !watch.except.includes(id))).reverse();
	}
	return watch.formIds.map((id) => ({
		id,
		name: listed.find((form) => form.id === id)?.name ?? null,
	}));
}

/**
 * The service and n8n as a poll reaches them. Nothing is sent again within a poll: the next one makes
 * up for it. What the service has not answered when the time of the poll is up has failed.
 */
function dependenciesOf(
	n8n: IPollFunctions,
	{ output }: Parameters,
	account: Account,
	budgetMs: number,
): Dependencies {
	const node = n8n.getNode();
	const signal = clock.timeout(budgetMs);
	let requests = 0;
	const context: RequestContext = { n8n, account, urgency: 'prompt', retry: false, signal };
	const counted: RequestContext = { ...context, onSend: () => (requests += 1) };
	const listed = async <T>(list: () => Promise<T>) => {
		const before = requests;
		const tooLate = () => (requests === before ? queueTooLong(node) : tooSlow(node));
		return await inTime(signal, list(), tooLate);
	};
	const items = itemsBy(context, output);
	return {
		node,
		now: () => clock.now(),
		log: n8n.logger,
		requestsSent: () => requests,
		async listResponses(formId, goOn, { isIncomplete, ...options } = {}) {
			// all of them, not only the complete ones: what is known must hold when the events change
			const query = isIncomplete ? { incomplete: 'true' } : undefined;
			const target = targetOf(account, endpoints.listResponses, { formId }, query);
			return await listed(async () => await listWhile(counted, target, { goOn, ...options }));
		},
		async listFields(formId, goOn) {
			const target = targetOf(account, endpoints.listFields, { formId });
			return await listed(async () => await listWhile(counted, target, { goOn }));
		},
		async listForms(goOn) {
			const target = targetOf(account, endpoints.listForms);
			return await listed(async () => await listWhile(counted, target, { goOn }));
		},
		...items,
		toItem: async (event, onFileError) =>
			await inTime(signal, items.toItem(event, onFileError), () => tooSlow(node)),
	};
}

/** Waits for work until the time is up; a request that is under way then ends by itself, unheard. */
async function inTime<T>(signal: AbortSignal, work: Promise<T>, tooLate: () => Error): Promise<T> {
	return await unlessAborted(work, signal, tooLate).catch((error: unknown) => {
		throw error instanceof NotSent ? tooLate() : error;
	});
}

/** What n8n gives a poll outside of its durable mode, and what is kept to where n8n does not say. */
const DEFAULT_BUDGET_MS = 5 * MINUTE_MS;

/** How long this poll may take (n8n 2.38 and later say so). */
export function pollBudgetMs(n8n: IPollFunctions): number {
	return Math.min(givenBudgetMs(n8n), DEFAULT_BUDGET_MS);
}

function givenBudgetMs(n8n: IPollFunctions): number {
	const { getPollBudgetMs } = n8n as Partial<IPollFunctions>;
	return typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(n8n) : DEFAULT_BUDGET_MS;
}

/**
 * Why n8n polls. An activation brings a context of its own, and polls with it once before the first
 * tick. In durable mode each tick has a context of its own too; it can be told by its budget, which
 * is 36 seconds unless n8n is set to something else. n8n activates as it starts (`init`) and when
 * another main takes over (`leadershipChange`); all other activations are a person's.
 */
export function pollReason(n8n: IPollFunctions, known: Memory): Trigger['reason'] {
	const isDurableTick = givenBudgetMs(n8n) !== DEFAULT_BUDGET_MS;
	if (!known.isNew(n8n) || isDurableTick) return 'tick';
	return ['init', 'leadershipChange'].includes(n8n.getActivationMode()) ? 'start' : 'publish';
}
