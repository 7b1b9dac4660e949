import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { steadyClock } from '../api/gate/accounts';
import type { Sender } from '../api/sender';
import { listResponses } from '../api/service';
import { deliver } from './deliver';
import { Memory } from './memory';
import { itemsBy, worldOf } from './n8nWorld';
import { newestResponse } from './newestResponse';
import { budgetOf, occasionOf } from './occasion';
import { poll } from './poll';
import { isDue, MINUTE_MS } from './pollSchedule';
import { readSettings } from './readSettings';
import { reportFailure } from './reportFailure';
import { sourceOf } from './savedSeen';
import type { Trigger } from './world';

/** All triggers of this process. */
const memory = new Memory();

/** One tick of n8n for one trigger. */
export async function pollForm(context: IPollFunctions): Promise<INodeExecutionData[] | null> {
	const key = `${context.getWorkflow().id}:${context.getNode().id}`;
	const occasion = occasionOf(context, memory);
	let prepared: Awaited<ReturnType<typeof prepare>>;
	try {
		prepared = await prepare(context);
	} catch (error) {
		return notPrepared(error, context, key, occasion);
	}
	const { settings, account, source } = prepared;
	const budgetMs = budgetOf(context);
	const trigger: Trigger = { ...settings, key, account, source, occasion, budgetMs };
	const staticData = context.getWorkflowStaticData('node');
	return await poll(trigger, staticData, memory, worldOf(context, settings, budgetMs));
}

async function prepare(context: IPollFunctions) {
	const settings = readSettings(context);
	const { baseUrl, key: account } = await getAccount(context);
	return { settings, account, source: sourceOf(baseUrl, settings.formId) };
}

/** A parameter or credential that cannot be used is told like any failure: not at each tick. */
function notPrepared(
	error: unknown,
	context: IPollFunctions,
	key: string,
	occasion: Trigger['occasion'],
): null {
	const { now } = steadyClock;
	const node = context.getNode();
	const own = memory.trigger(key, 'not prepared', node.name);
	const tellAtOnce = occasion !== 'tick';
	if (!tellAtOnce && !isDue(own.schedule, MINUTE_MS, now())) return null;
	const world = { node, now, log: context.logger };
	const failed = { startedAt: now(), spacing: MINUTE_MS, tellAtOnce };
	return reportFailure(error, own, world, failed);
}

/**
 * The newest response, to build a workflow with, as the trigger would give it. Remembers nothing and
 * changes nothing.
 */
export async function fetchExample(context: IPollFunctions): Promise<INodeExecutionData[]> {
	const settings = readSettings(context);
	const node = context.getNode();
	const sender: Sender = { context, urgency: 'prompt' };
	const { records } = await listResponses(sender, settings.formId, { status: 'all' });
	const newest = newestResponse(node, records, settings.events);
	const items = itemsBy(sender, settings);
	const world = { node, now: steadyClock.now, log: context.logger, ...items };
	return await deliver([newest], { limit: 1, until: Infinity, isPatient: false, world });
}
