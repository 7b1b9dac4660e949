import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import type { Account } from '../api/account';
import { conditionProblem, conditionsNeedFields, meets } from '../api/answers/conditions';
import { oldestFirst } from '../api/answers/order';
import { outputNeedsFields } from '../api/answers/responseItem';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import type { Version } from '../api/request/request';
import { compare, knownAfter } from './compare';
import { decideReading, paceOf, payFor } from './due';
import type { Listing } from './due';
import { cutAtFirst, cutInVain, wrongCondition } from './errors';
import { FAILURES_UNTIL_REPORTED, noFailures } from './failures';
import { shortNameOf } from './fingerprint';
import { listedForms, noneKnown, watchedIds, withList } from './formList';
import { fieldsOf, nameOf } from './lookups';
import { belongTo, memoryOf, withoutBacklog } from './memory';
import type { FormMemory, LastPoll, Order } from './memory';
import { occasionOf } from './occasion';
import { itemsOf } from './output';
import type { Event } from './output';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import {
	beginningOf,
	beginRun,
	commit,
	formMemoryOf,
	isWatching,
	LIST,
	serviceTime,
	share,
	stateOf,
	takeChange,
	watchesResponses,
} from './pollRun';
import type { PollRun } from './pollRun';
import { readShort, readWhole } from './reading';
import type { Reading } from './reading';
import { answered, failed, report, succeeded, unusable } from './reporting';
import { DAY_MS, HOUR_MS, MINUTE_MS, weightOf, wholeDueAt, withResponses } from './schedule';
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
	const polling = pollOnce(run, staticData, service);
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
async function pollOnce(run: PollRun, staticData: IDataObject, service: string): Promise<Items> {
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
		const formsIfDiscarded = run.items.length > 0 ? run.formsIfDiscarded : undefined;
		const { forms: known, listedSince } = run;
		const now = clock.now();
		saveState(staticData, memory, {
			service,
			listedSince,
			forms: known,
			formsIfDiscarded,
			base,
			now,
		});
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
	if (decideReading(run, listing) === 'whole') {
		const startedAt = clock.now();
		const before = run.requests;
		run.hasBegun = true;
		try {
			const { records, isWhole } = await readWhole(
				run,
				targetOf(context.account, endpoints.listForms),
			);
			answered(run);
			if (listing.isFirst && !isWhole) throw cutAtFirst(context.n8n.getNode(), 'forms');
			Object.assign(list, { forms: listedForms(records), isWhole });
			run.hasResult = true;
			succeeded(run, listing, true);
		} catch (error) {
			failed(run, { ...listing, startedAt, isWhole: true, isAboutForm: false }, error);
		} finally {
			const requests = run.requests - before;
			payFor(run, listing, { startedAt, requests, isWhole: true }, false);
		}
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
		hasIncomplete: known?.hasIncomplete(),
	};
	try {
		// of the last requests of a day, none goes to a listing while responses wait for one
		if (backlog.length > 0 && needsFields(parameters)) await fieldsOf(run, id, memory, backlog);
		const kind = decideReading(run, listing);
		if (kind === undefined && backlog.length === 0) return;
		memory.turn = ++run.memory.turns;
		const version = versionOf(lastPoll, startedAt);
		const reading =
			kind === undefined
				? { records: [...backlog], isWhole: false, isShort: true, pages: 0, order: lastPoll?.order }
				: await readForm(run, listing, kind, version);
		if (reading === undefined) return;
		if (reading.isUnchanged && lastPoll !== undefined) {
			const versionAt = version?.etag === undefined ? startedAt : lastPoll.versionAt;
			memory.lastPoll = { ...lastPoll, version: reading.version ?? version, versionAt };
			run.hasResult = true;
		} else await take(run, listing, reading, lastPoll);
		if (kind !== undefined) succeeded(run, listing, reading.isWhole);
	} catch (error) {
		// a file or the fields cannot be read now: the next poll finds the responses again, when it is due
		memory.lastPoll = withoutBacklog(lastPoll);
		failed(run, { ...listing, startedAt, isWhole: false, isAboutForm: true }, error);
	}
}

/** The version of the listing, if the same again would change nothing. After an hour, an ETag is not trusted. */
function versionOf(lastPoll: LastPoll | undefined, now: number): Version | undefined {
	const { version, backlog, changesAt, versionAt } = lastPoll ?? {};
	if (version === undefined || backlog?.length !== 0 || now >= (changesAt ?? 0)) return undefined;
	return now - (versionAt ?? 0) < HOUR_MS ? version : { digest: version.digest };
}

/** @returns undefined if the reading has failed */
async function readForm(
	run: PollRun,
	listing: Listing,
	kind: 'whole' | 'short',
	version: Version | undefined,
): Promise<Reading | undefined> {
	const { about, memory, order } = listing;
	const startedAt = clock.now();
	const before = run.requests;
	run.hasBegun = true;
	let reading: Reading | undefined;
	try {
		const target = targetOf(run.context.account, endpoints.listResponses, { formId: about });
		const known = memory.lastPoll?.known;
		reading =
			kind === 'short' && order !== undefined && known !== undefined
				? await readShort(run, target, order, known)
				: await readWhole(run, target, version);
		answered(run);
	} catch (error) {
		failed(run, { ...listing, startedAt, isWhole: kind === 'whole', isAboutForm: false }, error);
	}
	const requests = run.requests - before;
	const isWhole = kind === 'whole' || reading?.isWhole === true;
	const canBeShort = (reading === undefined ? order : reading.order) !== undefined;
	payFor(run, listing, { startedAt, requests, isWhole }, canBeShort);
	if (reading?.isWhole) memory.schedule = { ...memory.schedule, pages: Math.max(1, requests) };
	return reading;
}

const NO_FIELDS =
	'New responses wait for the fields of their form: no time, or no request of the day, was left to read them.';

const CUT =
	'Not all responses could be read: no time, or no request of the day, was left for further pages.';

const IN_DOUBT =
	"the listing has changed other than by new responses. It is read whole as soon as 'Requests per Day' permits; new responses are delivered until then too.";

/** Compares what was read with what is known, delivers what is new, and takes note of it. */
async function take(
	run: PollRun,
	listing: Listing,
	reading: Reading,
	lastPoll: LastPoll | undefined,
): Promise<void> {
	const { context, parameters, occasion } = run;
	const { about: id, memory } = listing;
	const { conditions, events, abandonedAfterMs, maxPerPoll, output } = parameters;
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
	if (isCut) logger.warn(CUT);
	if (known === undefined) logger.info(`Watches form ${id}. Responses so far: ${records.length}.`);

	const byField = conditionsNeedFields(conditions);
	const hasRoom = run.items.length < maxPerPoll;
	const isChecked = byField && occasion === 'publish';
	const wantsFields = needsFields(parameters) && hasRoom && (found.length > 0 || isChecked);
	const fields = wantsFields
		? await fieldsOf(
				run,
				id,
				memory,
				found.map(({ record }) => record),
			)
		: undefined;
	const problem = byField && fields ? conditionProblem(conditions, fields, records) : undefined;
	if (problem !== undefined) throw wrongCondition(node, problem);
	const isUnclear = byField && fields === undefined;
	const wanted = isUnclear
		? found
		: found.filter(({ record }) => meets(record, conditions, fields ?? []));
	const isReady = fields !== undefined || !(isUnclear || outputNeedsFields(output));
	if (wantsFields && !isReady && found.length > 0) logger.info(NO_FIELDS);

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
	const kept = rest.slice(0, roomUntilDue(run, listing, now)).map(({ record }) => record);
	const order = nextOrder(reading, lastPoll, kept.length < rest.length);
	if (order?.isDoubtful && lastPoll?.order?.isDoubtful === false)
		logger.info(`Form ${id}: ${IN_DOUBT}`);
	memory.lastPoll = {
		known: after,
		backlog: kept,
		version: rest.length === 0 ? reading.version : undefined,
		versionAt: now,
		changesAt: after.changesAt(abandonedAfterMs),
		order,
	};
}

function needsFields({ conditions, output }: Parameters): boolean {
	return conditionsNeedFields(conditions) || outputNeedsFields(output);
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

/** The most responses that wait in memory: they are whole records. */
const MOST_WAITING = 10_000;

/** How many responses n8n's polls can deliver until the listing is read again. */
function roomUntilDue(run: PollRun, { about, memory }: Listing, now: number): number {
	const pace = paceOf(run, { about, memory, isFirst: false });
	const polls = Math.ceil(Math.max(0, wholeDueAt(memory.schedule, pace) - now) / MINUTE_MS) + 1;
	return Math.min(polls * run.parameters.maxPerPoll, MOST_WAITING);
}

/** @param isForgotten whether responses are to be delivered that are not kept */
function nextOrder(
	{ order, isWhole }: Reading,
	lastPoll: LastPoll | undefined,
	isForgotten: boolean,
): Order | undefined {
	const next = isWhole
		? order
		: (order ?? (lastPoll?.order && { ...lastPoll.order, isDoubtful: true }));
	return next && { ...next, isDoubtful: next.isDoubtful || isForgotten };
}
