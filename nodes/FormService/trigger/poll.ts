import { sortBy } from 'lodash';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import {
	conditionsNeedFields,
	describeUncompared,
	explainUnknownField,
	filterByConditions,
} from '../api/answers/conditions';
import { oldestFirst, submittedAt } from '../api/answers/order';
import { clock } from '../api/clock';
import { compare, knownAfter } from './compare';
import { cutShort, LOG, wrongCondition } from './errors';
import { failed, FAILURES_UNTIL_REPORTED, report, succeeded, unusable } from './failures';
import { listForms, nameOf } from './formList';
import { KnownResponses } from './knownResponses';
import { decideReading, fieldsOf, readListing, roomUntilDue } from './listing';
import {
	freshForm,
	inDoubt,
	LIST,
	memoryOf,
	noFailures,
	takeChange,
	withoutBacklog,
} from './memory';
import type { FormMemory, LastPoll } from './memory';
import { itemsOf } from './output';
import type { Event } from './output';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import {
	beginRun,
	commit,
	initialState,
	knowsOther,
	occasionOf,
	share,
	watchedIds,
} from './pollRun';
import type { Listing, PollRun } from './pollRun';
import type { Reading } from './reading';
import { HOUR_MS, weightOf, withResponses } from './schedule';
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
	const memory = memoryOf(`${n8n.getWorkflow().id}:${node.id}`, node.name);
	const occasion = occasionOf(n8n);
	let parameters: Parameters;
	let account: Account;
	try {
		parameters = readParameters(n8n);
		account = await getAccount(n8n);
		memory.unusable = noFailures;
	} catch (cause) {
		unusable(memory, n8n, occasion, cause);
		return null;
	}
	const { watch, conditions, events } = parameters;
	const owner = JSON.stringify([account.key, account.baseUrl, events]);
	takeChange(memory, owner, JSON.stringify([watch, conditions]));

	const { toCorrect } = memory;
	const isAgain = toCorrect !== undefined && clock.now() - toCorrect.at < ACTIVATION_MS;
	if (occasion !== 'schedule' && isAgain) throw toCorrect.error;

	let run = beginRun(n8n, memory, occasion, parameters, account);
	while (memory.underWay !== undefined) {
		// the first poll may fail, so an overlapping one waits for its result
		if (!isContinuing(run)) await memory.underWay;
		run = beginRun(n8n, memory, occasion, parameters, account);
		if (isContinuing(run)) return null;
	}
	if (isDeliveryUnderWay(run.staticData, memory, clock.now())) return null;
	const polling = pollOnce(run);
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

/** Whether there is a state of some of the forms to continue from. */
function isContinuing(run: PollRun): boolean {
	return run.listedSince !== undefined || knowsOther(run, LIST);
}

/** Lists the forms if all are watched, polls them in turn, saves what is known then, and reports failures. */
async function pollOnce(run: PollRun): Promise<Items> {
	const { memory, parameters, base, staticData } = run;
	const { watch, watchesResponses } = parameters;
	if (base.kind === 'damaged') {
		run.context.n8n.logger.warn(
			`The trigger's saved state could not be read: ${base.reason}. Existing responses won't start the workflow.`,
		);
	}
	if (watch.kind === 'all') await deliverForms(run, watch.except);

	const ids = watchesResponses ? watchedIds(run) : [];
	memory.forms = new Map(ids.map((id) => [id, memory.forms.get(id) ?? freshForm(memory.key, id)]));
	const forms = [...memory.forms];
	for (const [, form] of forms) share(run, form, weightOf(form.rate, run.startedAt));
	// new forms have had no turn and come first, then the form whose turn was longest ago
	forms.sort(([, one], [, other]) => one.turn - other.turn);
	for (const [id, form] of forms) {
		if (clock.now() >= run.until) break;
		await pollForm(run, id, form);
	}

	const hasItems = run.items.length > 0;
	if (run.hasResult) {
		for (const id of ids) if (!run.forms.has(id)) commit(run, id, initialState(run), false);
		const { service, listedSince, forms: known } = run;
		const formsIfDiscarded = hasItems ? run.formsIfDiscarded : undefined;
		const outcome = { service, listedSince, forms: known, formsIfDiscarded, base };
		saveState(staticData, memory, { ...outcome, now: clock.now() });
	}
	if (hasItems) return sortBy(run.items, 'at').map(({ item }) => item);
	if (!run.hasFailed) saveUnsaved(staticData, memory);
	report(run);
	return null;
}

/** Delivers forms that are new in the list of all forms. */
async function deliverForms(run: PollRun, except: readonly string[]): Promise<void> {
	const { events, watchesResponses } = run.parameters;
	const created = await listForms(run, except);
	const isEvent = events.includes('formCreated');
	const found = created.map(({ id, name, record }) => {
		return { event: 'formCreated' as const, record, form: { id, name } };
	});
	const count = isEvent ? await deliver(run, found, false) : found.length;
	for (const { id } of created.slice(0, count)) {
		commit(run, id, watchesResponses ? { known: new KnownResponses(0) } : {}, isEvent);
	}
}

/** Polls one form if it is due, or else delivers what its last poll had no room for. */
async function pollForm(run: PollRun, id: string, memory: FormMemory): Promise<void> {
	const { conditions, needsFields } = run.parameters;
	const startedAt = clock.now();
	const { known } = run.forms.get(id) ?? initialState(run);
	const lastPoll = memory.lastPoll?.known === known ? memory.lastPoll : undefined;
	const backlog = lastPoll?.backlog ?? [];
	const listing: Listing = {
		about: id,
		memory,
		known,
		isFirst: run.forms.get(id)?.known === undefined,
		order: backlog.length === 0 ? lastPoll?.order : undefined,
		isToCheck: run.occasion === 'publish' && conditionsNeedFields(conditions),
	};
	let isCut = false;
	try {
		// responses that wait for their fields get the last requests of a day, not the listing
		if (backlog.length > 0 && needsFields) await fieldsOf(run, id, memory, backlog);
		const kind = decideReading(run, listing);
		if (kind === undefined && backlog.length === 0) return;
		memory.turn = ++run.memory.turns;
		const version = trustedVersion(run, listing, lastPoll);
		// a backlog is compared again, as a part of the listing
		const reading =
			kind === undefined
				? { records: [...backlog], isWhole: false, isShort: true, order: lastPoll?.order }
				: await readListing(run, listing, kind, version);
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
		failed(run, listing, { startedAt, isWhole: isCut, isAboutForm: true }, error);
	}
}

/** The version of the listing, if the same again would change nothing. After an hour, an ETag is not trusted. */
function trustedVersion(run: PollRun, { isToCheck }: Listing, lastPoll: LastPoll | undefined) {
	if (isToCheck || lastPoll?.version === undefined) return undefined;
	const { version, versionAt, known } = lastPoll;
	const now = clock.now();
	if (now >= known.changesAt(run.parameters.abandonedAfterMs)) return undefined;
	return now - versionAt < HOUR_MS ? version : { digest: version.digest };
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
	const { conditions, events, abandonedAfterMs, maxPerPoll, needsFields } = parameters;
	const { logger } = context.n8n;
	const node = context.n8n.getNode();
	const now = clock.now();
	const { records, isWhole, isShort } = reading;
	const { known, since } = run.forms.get(id) ?? initialState(run);
	const isCut = !isWhole && !isShort;
	if (known === undefined && isCut) throw cutShort(node, 'firstResponses');
	const rules = { node, events, abandonedAfterMs, now, since };
	const comparison = compare(known, records, isWhole, rules);
	const { found } = comparison;
	// the new responses may be on pages that no poll reaches, so this has to be reported
	if (isCut && found.length === 0) throw cutShort(node, 'inVain');
	if (isCut) logger.warn(LOG.cut);
	if (known === undefined)
		logger.info(`Watching form ${id}. Existing responses: ${records.length}.`);

	const byField = conditionsNeedFields(conditions);
	const possible = byField ? found : filterByConditions(found, conditions, []).met;
	const hasRoom = run.items.length < maxPerPoll;
	const isAwaited = hasRoom && (possible.length > 0 || listing.isToCheck === true);
	const newRecords = possible.map(({ record }) => record);
	const fields = needsFields && isAwaited ? await fieldsOf(run, id, memory, newRecords) : undefined;
	const isReady = hasRoom && (!needsFields || fields !== undefined);
	if (!isReady && hasRoom && possible.length > 0) logger.info(LOG.noFields);
	const problem = byField && fields ? explainUnknownField(conditions, fields, records) : undefined;
	if (problem !== undefined) throw wrongCondition(node, problem);
	const { met: wanted, uncompared } =
		byField && fields !== undefined
			? filterByConditions(found, conditions, fields)
			: { met: possible, uncompared: 0 };
	const note = describeUncompared(uncompared);
	if (note !== undefined) logger.warn(`Form ${id}: ${note}`);

	const due = oldestFirst(wanted);
	const ready = isReady ? due : [];
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
		order: kept.length < rest.length ? inDoubt(order) : order,
	};
}

/**
 * Makes items of events of one form, oldest first.
 *
 * @returns how many of the first events have become items
 */
async function deliver(
	run: PollRun,
	events: readonly Event[],
	isPatient: boolean,
): Promise<number> {
	const { context, parameters, until, timeUp } = run;
	const { output, maxPerPoll } = parameters;
	const limit = maxPerPoll - run.items.length;
	const items = await itemsOf(events, { context, output, limit, until, timeUp, isPatient });
	// items of several forms are ordered by time later, and those of one form stay in their order
	let at = -Infinity;
	for (const [index, item] of items.entries()) {
		at = Math.max(at, submittedAt(events[index].record) ?? at);
		run.items.push({ at, item });
	}
	return items.length;
}
