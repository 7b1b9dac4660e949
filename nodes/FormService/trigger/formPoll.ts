import type { IDataObject, INode } from 'n8n-workflow';
import {
	conditionsNeedFields,
	explainUnknownField,
	filterByConditions,
} from '../api/answers/conditions';
import type { FormField } from '../api/answers/fields';
import { sortOldestFirst } from '../api/answers/order';
import { clock } from '../api/clock';
import { endpoints, createTarget } from '../api/endpoints';
import { createInputError } from '../api/errors';
import { compareResponses, computeKnown } from './compare';
import type { Comparison, Found } from './compare';
import {
	FAILURES_UNTIL_REPORTED,
	isBackOffOver,
	isRetryWanted,
	recordAnswer,
	recordFailure,
	recordSuccess,
} from './failures';
import type { Failed, Progress } from './failures';
import { findName, loadFields } from './forms';
import { createInitialState, readSpacingMs } from './input';
import type { PollInput } from './input';
import type { FormMemory } from './memory';
import { createItems } from './output';
import type { PlacedItem } from './output';
import { readResponses } from './reading';
import type { Reading } from './reading';
import { addResponses, isPaid, isShortDue } from './schedule';
import type { FormState, Known } from './state';

/** What a poll has found in one form. */
export type FoundInForm = {
	form: FormMemory;
	comparison: Comparison;
	/** Events that start the workflow, oldest first. */
	wanted: readonly Found[];
	/** Those of them that can be delivered; the others wait for the fields of the form. */
	ready: readonly Found[];
	fields?: readonly FormField[];
	/** What was read, which is a success if the delivery is one as well. */
	read?: 'whole' | 'short';
};

/**
 * Reads a form if it is due, compares the responses with what is known, and adds those that earlier
 * readings had no room for.
 *
 * @param state what is known of the form; undefined if it is new
 * @returns undefined if there is nothing to deliver or to take note of
 */
export async function findInForm(
	input: PollInput,
	progress: Progress,
	form: FormMemory,
	state: FormState = createInitialState(input),
): Promise<FoundInForm | undefined> {
	const { context, parameters } = input;
	const { events, abandonedAfterMs } = parameters;
	const { known, sinceMs = Infinity } = state;
	// a state that n8n has restored may be older than what waits
	if (known === undefined) form.waiting = [];
	const kind = decideReading(input, form, known);
	if (kind === undefined && (form.waiting.length === 0 || !isBackOffOver(input, form))) {
		return undefined;
	}
	const startedAtMs = clock.now();
	let step: Failed['step'] = kind ?? 'delivery';
	let found: FoundInForm | undefined;
	try {
		const reading = kind && (await readForm(input, progress, form, known, kind));
		if (known === undefined && reading?.kind !== 'whole') return undefined;
		step = 'delivery';
		const { kind: part = 'part', records: read = [], error } = reading ?? {};
		const records = part === 'whole' ? read : [...read, ...form.waiting];
		const since = { nowMs: clock.now(), sinceMs: known === undefined ? sinceMs : 0 };
		const rules = { node: context.n8n.getNode(), events, abandonedAfterMs, ...since };
		const comparison = compareResponses(known, records, part, rules);
		found = { form, comparison, wanted: sortOldestFirst(comparison.found), ready: [] };
		const selected = await selectWanted(input, form, comparison.found, records);
		if (reading === undefined || error !== undefined) return { ...found, ...selected };
		return { ...found, ...selected, read: part === 'whole' ? 'whole' : 'short' };
	} catch (cause) {
		recordFailure(input, progress, { list: form, step, startedAtMs, cause });
		return found;
	}
}

/**
 * Decides what is read of a form now: the whole list, the part that has the new responses, or nothing,
 * since the requests of the last reading have not been waited for. The first reading in this process is
 * due at once, and goes on with each poll.
 */
function decideReading(
	input: PollInput,
	form: FormMemory,
	known: Known | undefined,
): 'whole' | 'short' | undefined {
	if (known === undefined && input.occasion !== 'schedule') return 'whole';
	const isWanted = isRetryWanted(input, form);
	if (!isWanted && !isBackOffOver(input, form)) return undefined;
	if (known === undefined || !form.isRead) return 'whole';
	const spacingMs = readSpacingMs(input, form);
	const nowMs = clock.now();
	const { cost, order, shortCost } = form;
	const either = order === undefined ? 'whole' : 'short';
	// where few requests are left for each form, the two take turns
	const next = shortCost.startedAtMs < cost.startedAtMs ? either : 'whole';
	if (isPaid(cost, spacingMs, nowMs)) return next;
	const isDue = order !== undefined && isShortDue(cost, shortCost, spacingMs, nowMs);
	return isDue || isWanted || checksConditions(input) ? either : undefined;
}

/** Whether a person who publishes the workflow is to see what is wrong with the conditions. */
function checksConditions({ occasion, parameters }: PollInput): boolean {
	return occasion === 'publish' && conditionsNeedFields(parameters.conditions);
}

/** Reads what is due of a form, and keeps in memory what later polls need of it. */
async function readForm(
	input: PollInput,
	progress: Progress,
	form: FormMemory,
	known: Known | undefined,
	kind: 'whole' | 'short',
): Promise<Reading> {
	const { context, memory } = input;
	form.readTurn = ++memory.turns;
	const target = createTarget(context.account, endpoints.listResponses, { formId: form.id });
	const startedAtMs = clock.now();
	const reading = await readResponses(input, target, form, known, kind);
	const { error, order, records, unfinished } = reading;
	Object.assign(form, { order, unfinished });
	if (known === undefined) {
		context.n8n.logger.info(
			unfinished === undefined
				? `Watching form ${form.id}. Existing responses: ${records.length}.`
				: `Form ${form.id}: the next poll goes on reading. Responses so far: ${unfinished.records.length}.`,
		);
	}
	if (error !== undefined) {
		recordFailure(input, progress, { list: form, step: 'whole', startedAtMs, cause: error });
		return reading;
	}
	recordAnswer(input, progress);
	form.isRead ||= reading.kind === 'whole';
	return reading;
}

/**
 * Selects the events that start the workflow. The others are marked as seen.
 *
 * @param records what was compared
 * @throws why the fields that this needs cannot be read, or what is wrong with a condition
 */
async function selectWanted(
	input: PollInput,
	form: FormMemory,
	found: readonly Found[],
	records: readonly IDataObject[],
): Promise<Pick<FoundInForm, 'wanted' | 'ready' | 'fields'>> {
	const { context, parameters } = input;
	const { conditions, needsFields } = parameters;
	const byField = conditionsNeedFields(conditions);
	const possible = byField ? sortOldestFirst(found) : filterFound(input, form, found, []);
	if (!needsFields || (possible.length === 0 && !checksConditions(input))) {
		return { wanted: possible, ready: possible };
	}
	const newRecords = possible.map(({ record }) => record);
	const fields = await loadFields(input, form, newRecords);
	if (fields === undefined) {
		context.n8n.logger.info(
			`Form ${form.id}: new responses wait for its fields, for which no time was left.`,
		);
		return { wanted: possible, ready: [] };
	}
	if (!byField) return { wanted: possible, ready: possible, fields };
	const problem = explainUnknownField(conditions, fields, records);
	if (problem !== undefined) throw createConditionError(context.n8n.getNode(), problem);
	const wanted = filterFound(input, form, found, fields);
	return { wanted, ready: wanted, fields };
}

/** The events whose responses meet the conditions, oldest first. The log says what could not be compared. */
function filterFound(
	{ context, parameters }: PollInput,
	form: FormMemory,
	found: readonly Found[],
	fields: readonly FormField[],
): Found[] {
	const { met, note } = filterByConditions(found, parameters.conditions, fields);
	if (note !== undefined) context.n8n.logger.warn(`Form ${form.id}: ${note}`);
	return sortOldestFirst(met);
}

/** A condition names a field that the form does not have. */
export function createConditionError(
	node: INode,
	{ message, description }: { message: string; description: string },
) {
	return createInputError(node, {
		message,
		description: `${description} No response is lost meanwhile.`,
		failure: { cause: 'configuration-invalid' },
	});
}

/** What a delivery has brought: the items, and what is known of the form then. */
type Delivered = { items: PlacedItem[]; known: Known };

/** The most responses of a form that wait in memory: they are whole records. */
const MAX_WAITING = 5_000;

/**
 * Makes items of the first events that were found in a form, as many as there is time for. If that fails,
 * none is delivered. What is not delivered waits for the next poll.
 *
 * @param share the most items
 */
export async function deliverForm(
	input: PollInput,
	progress: Progress,
	{ form, comparison, wanted, ready, fields, read }: FoundInForm,
	share: number,
): Promise<Delivered> {
	const { context, memory, parameters, deliverUntilMs: untilMs, timeUp } = input;
	const startedAtMs = clock.now();
	const name = share > 0 ? await findName(input, form, !progress.isStopped) : null;
	const shown = { id: form.id, name };
	const events = ready
		.slice(0, share)
		.map(({ event, record }) => ({ event, record, form: shown, fields }));
	const isPatient = form.failures.count + 1 < FAILURES_UNTIL_REPORTED;
	let items: PlacedItem[] = [];
	try {
		const { output } = parameters;
		items = await createItems(events, { context, output, untilMs, timeUp, isPatient });
		if (read !== undefined) recordSuccess(input, form, read);
	} catch (cause) {
		recordFailure(input, progress, { list: form, step: 'delivery', startedAtMs, cause });
	}
	const rest = wanted.slice(items.length);
	if (items.length > 0) form.deliveryTurn = ++memory.turns;
	form.rate = addResponses(form.rate, comparison.found.length - rest.length, clock.now());
	form.waiting = rest.slice(0, MAX_WAITING).map(({ record }) => record);
	// the next reading has to find the others again
	if (rest.length > MAX_WAITING) form.order = undefined;
	return { items, known: computeKnown(comparison, rest) };
}
