import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { conditionProblem, conditionsNeedFields, meets } from '../api/answers/conditions';
import { oldestFirst } from '../api/answers/order';
import { clock } from '../api/clock';
import { compare, knownAfter } from './compare';
import { decideReading, roomUntilDue, readListing } from './due';
import { cutAtFirst, cutInVain, LOG, wrongCondition } from './errors';
import { FAILURES_UNTIL_REPORTED, noFailures } from './failures';
import { shortNameOf } from './fingerprint';
import { listedForms, noneKnown, watchedIds, withList } from './formList';
import { fieldsOf, nameOf } from './lookups';
import { belongTo, inDoubt, memoryOf, trustedVersion, withoutBacklog } from './memory';
import type { FormMemory, LastPoll } from './memory';
import { itemsOf } from './output';
import type { Event } from './output';
import { needsFields, readParameters } from './parameters';
import type { Parameters } from './parameters';
import {
	beginningOf,
	beginRun,
	commit,
	formMemoryOf,
	isWatching,
	LIST,
	occasionOf,
	outcomeOf,
	serviceTime,
	share,
	stateOf,
	takeChange,
	watchesResponses,
} from './pollRun';
import type { Listing, PollRun } from './pollRun';
import type { Reading } from './reading';
import { failed, report, succeeded, unusable } from './reporting';
import { DAY_MS, HOUR_MS, weightOf, withResponses } from './schedule';
import { isDeliveryUnderWay, saveState, saveUnsaved } from './state';

type Items = INodeExecutionData[] | null;

/**
 * n8n 2 activates a workflow again if that failed, five times within 15 seconds, and shows the last error.
 * It gets the same error each time, for one request.
 */
const ACTIVATION_MS = 20_000;

/**
 * One poll of n8n, which is an opportunity and not an order: reads the forms whose time has come, and
 * returns the items of what is new, or null: n8n would run the workflow on an empty list.
 *
 * @throws NodeApiError or NodeOperationError that people are to see
 */
export async function pollForms(n8n: IPollFunctions): Promise<Items> {
	const node = n8n.getNode();
	const key = `${n8n.getWorkflow().id}:${node.id}`;
	const memory = memoryOf(key, node.name);
	const occasion = occasionOf(n8n);
	let parameters: Parameters;
	let account: Account;
	try {
		parameters = readParameters(n8n);
		account = await getAccount(n8n);
		memory.unusable = noFailures;
	} catch (cause) {
		const error = unusable(memory, n8n, occasion, cause);
		if (error !== undefined) throw error;
		return null;
	}
	const staticData = n8n.getWorkflowStaticData('node');
	const service = shortNameOf(account.baseUrl);
	belongTo(memory, `${account.key} ${service} ${parameters.events.join()}`);
	takeChange(memory, parameters);

	const { toCorrect } = memory;
	const isAgain = toCorrect !== undefined && clock.now() - toCorrect.at < ACTIVATION_MS;
	if (occasion !== 'schedule' && isAgain) throw toCorrect.error;

	while (memory.underWay !== undefined) {
		if (!isWatching(memory, staticData, parameters, service)) await memory.underWay;
		if (isWatching(memory, staticData, parameters, service)) return null;
	}
	if (isDeliveryUnderWay(staticData, memory, clock.now())) return null;

	const run = beginRun(n8n, { key, memory, occasion, parameters, account, staticData, service });
	const polling = pollOnce(run, staticData);
	memory.underWay = polling.then(
		() => undefined,
		() => undefined,
	);
	try {
		return await polling;
	} finally {
		memory.underWay = undefined;
	}
}

/** Lists the forms if all are watched, polls them in turn, saves what is known then, and reports failures. */
async function pollOnce(run: PollRun, staticData: IDataObject): Promise<Items> {
	const { memory, parameters, base, context } = run;
	const { watch } = parameters;
	const { logger } = context.n8n;
	if (base.kind === 'damaged') {
		logger.warn(
			`The trigger's saved state could not be read: ${base.reason}. Existing responses won't trigger.`,
		);
	}
	if (watch.kind === 'all') await listForms(run, watch.except);

	const ids = watchesResponses(parameters) ? watchedIds(watch, run.forms) : [];
	for (const id of memory.forms.keys()) if (!ids.includes(id)) memory.forms.delete(id);
	const forms = ids.map((id) => ({ id, memory: formMemoryOf(run, id) }));
	for (const form of forms) share(run, form.id, weightOf(form.memory.rate, run.startedAt));
	// new forms have had no turn and come first, then the form whose turn was longest ago
	forms.sort((one, other) => one.memory.turn - other.memory.turn);
	for (const form of forms) {
		if (run.hasBegun && clock.now() >= run.until) break;
		await pollForm(run, form.id, form.memory);
	}

	if (run.hasResult) {
		for (const id of ids) if (!run.forms.has(id)) commit(run, id, stateOf(run, id), false);
		saveState(staticData, memory, outcomeOf(run));
	}
	if (!run.hasFailed && run.items.length === 0) saveUnsaved(staticData, memory);
	if (run.items.length > 0) return oldestFirst(run.items).map(({ item }) => item);
	report(run);
	return null;
}

/** Reads the list of all forms if it is due, and delivers forms that are new. */
async function listForms(run: PollRun, except: readonly string[]): Promise<void> {
	const { context, memory, parameters } = run;
	const { list } = memory;
	share(run, LIST, 1, DAY_MS / HOUR_MS);
	const listing: Listing = { about: LIST, memory: list, isFirst: run.listedSince === undefined };
	const startedAt = clock.now();
	const isDue = decideReading(run, listing) !== undefined;
	const reading = isDue ? await readListing(run, listing, 'whole') : undefined;
	if (reading !== undefined && (reading.isWhole || !listing.isFirst)) {
		Object.assign(list, { forms: listedForms(reading.records), isWhole: reading.isWhole });
		run.hasResult = true;
		succeeded(run, listing, true);
	} else if (reading !== undefined) {
		const error = cutAtFirst(context.n8n.getNode(), 'forms');
		failed(run, { ...listing, startedAt, isWhole: true, isAboutForm: false }, error);
	}
	if (list.forms === undefined) return;
	const { forms, created } = withList(run.forms, {
		forms: list.forms,
		isWhole: list.isWhole === true,
		except,
		listedSince: run.listedSince,
		beginning: beginningOf(run),
		now: run.startedAt,
	});
	run.forms = forms;
	run.formsIfDiscarded = new Map(forms);
	run.listedSince ??= serviceTime(run);
	const isEvent = parameters.events.includes('formCreated');
	const events = created.map(({ id, name, record }) => {
		return { event: 'formCreated' as const, record, form: { id, name } };
	});
	const items = isEvent ? await deliver(run, events, false) : 0;
	const begun = isEvent ? created.slice(0, items) : created;
	for (const { id } of begun) {
		commit(run, id, watchesResponses(parameters) ? noneKnown() : {}, isEvent);
	}
}

/** Polls one form if it is due, or else delivers what its last poll had no room for. */
async function pollForm(run: PollRun, id: string, memory: FormMemory): Promise<void> {
	const { parameters } = run;
	const startedAt = clock.now();
	const { known } = stateOf(run, id);
	const lastPoll = memory.lastPoll?.known === known ? memory.lastPoll : undefined;
	const backlog = lastPoll?.backlog ?? [];
	const listing: Listing = {
		about: id,
		memory,
		isFirst: run.forms.get(id)?.known === undefined,
		order: backlog.length === 0 ? lastPoll?.order : undefined,
		hasIncomplete: lastPoll?.hasIncomplete,
		isToCheck: run.occasion === 'publish' && conditionsNeedFields(parameters.conditions),
	};
	let isCut = false;
	try {
		// of the last requests of a day, none goes to a listing while responses wait for one
		if (backlog.length > 0 && needsFields(parameters)) await fieldsOf(run, id, memory, backlog);
		const kind = decideReading(run, listing);
		if (kind === undefined && backlog.length === 0) return;
		memory.turn = ++run.memory.turns;
		const version = listing.isToCheck ? undefined : trustedVersion(lastPoll, startedAt);
		const reading =
			kind === undefined
				? { records: [...backlog], isWhole: false, isShort: true, pages: 0, order: lastPoll?.order }
				: await readListing(run, listing, kind, { version, responses: known });
		if (reading === undefined) return;
		isCut = !reading.isWhole && !reading.isShort;
		if (reading.isUnchanged && lastPoll !== undefined) {
			const versionAt = version?.etag === undefined ? startedAt : lastPoll.versionAt;
			memory.lastPoll = { ...lastPoll, version: reading.version ?? version, versionAt };
			run.hasResult = true;
		} else await take(run, listing, reading, lastPoll);
		if (kind !== undefined) succeeded(run, listing, reading.isWhole);
	} catch (error) {
		// a file or the fields cannot be read now: the next poll finds the responses again, when it is due
		memory.lastPoll = withoutBacklog(lastPoll);
		failed(run, { ...listing, startedAt, isWhole: isCut, isAboutForm: true }, error);
	}
}

/** Compares what was read with what is known, delivers what is new, and takes note of it. */
async function take(
	run: PollRun,
	listing: Listing,
	reading: Reading,
	lastPoll: LastPoll | undefined,
): Promise<void> {
	const { context, parameters } = run;
	const { about: id, memory } = listing;
	const { conditions, events, abandonedAfterMs, maxPerPoll } = parameters;
	const { logger } = context.n8n;
	const node = context.n8n.getNode();
	const now = clock.now();
	const { records, isWhole, isShort } = reading;
	const { known, since } = stateOf(run, id);
	const isCut = !isWhole && !isShort;
	if (known === undefined && isCut) throw cutAtFirst(node, 'responses');
	const rules = { node, events, abandonedAfterMs, now, since };
	const comparison = compare(known, records, isWhole, rules);
	const { found } = comparison;
	// if the new responses are on the last pages, each cut poll would be in vain, and nobody would know
	if (isCut && found.length === 0) throw cutInVain(node);
	if (isCut) logger.warn(LOG.cut);
	if (known === undefined) logger.info(`Watches form ${id}. Responses so far: ${records.length}.`);

	const byField = conditionsNeedFields(conditions);
	const possible = byField ? found : found.filter(({ record }) => meets(record, conditions, []));
	const hasRoom = run.items.length < maxPerPoll;
	const isAwaited = hasRoom && (possible.length > 0 || listing.isToCheck === true);
	const isNeeded = needsFields(parameters) && isAwaited;
	const newRecords = possible.map(({ record }) => record);
	const fields = isNeeded ? await fieldsOf(run, id, memory, newRecords) : undefined;
	const problem = byField && fields ? conditionProblem(conditions, fields, records) : undefined;
	if (problem !== undefined) throw wrongCondition(node, problem);
	const wanted =
		byField && fields !== undefined
			? found.filter(({ record }) => meets(record, conditions, fields))
			: possible;
	const isReady = fields !== undefined || !needsFields(parameters);
	if (isNeeded && !isReady && possible.length > 0) logger.info(LOG.noFields);

	const due = oldestFirst(wanted);
	const ready = isReady && hasRoom ? due : [];
	const form = { id, name: ready.length > 0 ? await nameOf(run, id) : null };
	const isPatient = memory.failures.count + 1 < FAILURES_UNTIL_REPORTED;
	const delivered = await deliver(
		run,
		ready.map(({ event, record }) => ({ event, record, form, fields })),
		isPatient,
	);

	const rest = due.slice(delivered);
	const after = knownAfter(comparison, rest);
	commit(run, id, { known: after }, delivered > 0);
	memory.rate = withResponses(memory.rate, found.length - rest.length, now);
	const kept = rest.slice(0, roomUntilDue(run, listing)).map(({ record }) => record);
	const order = isWhole ? reading.order : (reading.order ?? inDoubt(lastPoll?.order));
	if (order?.isDoubtful && lastPoll?.order?.isDoubtful === false)
		logger.info(`Form ${id}: ${LOG.inDoubt}`);
	memory.lastPoll = {
		known: after,
		backlog: kept,
		version: rest.length === 0 ? reading.version : undefined,
		versionAt: now,
		changesAt: after.changesAt(abandonedAfterMs),
		hasIncomplete: after.hasIncomplete(),
		order: kept.length < rest.length ? inDoubt(order) : order,
	};
}

/** @returns how many of the first events have become items */
async function deliver(
	run: PollRun,
	events: readonly Event[],
	isPatient: boolean,
): Promise<number> {
	const { context, parameters, until, timeUp } = run;
	const { output, maxPerPoll } = parameters;
	const limit = maxPerPoll - run.items.length;
	const items = await itemsOf(events, { context, output, limit, until, timeUp, isPatient });
	items.forEach((item, index) => run.items.push({ record: events[index].record, item }));
	return items.length;
}
