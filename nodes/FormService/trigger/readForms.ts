import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { conditionsNeedFields } from '../api/answers/conditions';
import { clock } from '../api/clock';
import {
	computeRequestsPerWeight,
	computeSpacingMs,
	computeWeight,
	MAX_FAILING_PER_DAY,
} from './budget';
import type { Demand } from './budget';
import { compareResponses, markMissing } from './compare';
import type { Comparison } from './compare';
import { noteFailedReading } from './failures';
import type { Progress } from './failures';
import { isAboutAccount, recordAnswer, recordProgress, recordSuccess } from './health';
import { advanceBaseline, readCreatedAtMs } from './knowledge';
import type { FormState, Known } from './knowledge';
import { addEvents, keepEvents, listWaiting, refreshEvents } from './outbox';
import { createBaseline, createReadContext, listWatchedIds } from './pollContext';
import type { PollContext } from './pollContext';
import type { Outcome, Scope } from './position';
import type { Part } from './reading';
import { listDemands } from './triggerMemory';
import {
	createWatchedForm,
	decideScope,
	isFailing,
	readForm,
	setDemand,
	setSpacing,
	updatePosition,
} from './watchedForm';
import type { WatchedForm } from './watchedForm';

/** How a poll reads its forms, and what it finds. */

const NOTHING: Known = new Map();

/** What a list needs of the account's requests, but for its weight. */
export function createDemand(
	{ parameters: { requestsPerDay }, occasion, times }: PollContext,
	former: Demand | undefined,
): Demand {
	const { startedAtMs: polledAtMs } = times;
	// until a trigger is active, the time since its last poll is no interval
	const isActive = occasion === 'schedule' && former !== undefined;
	const intervalMs = isActive ? polledAtMs - former.polledAtMs : 0;
	return { requestsPerDay, polledAtMs, intervalMs, weight: 1, maxPerDay: Infinity };
}

/** How many requests a day a list of weight 1 has now, see `computeRequestsPerWeight`. */
export function planRequests({ request, times }: PollContext): number {
	return computeRequestsPerWeight(listDemands(request.account.key), times.startedAtMs);
}

/** Takes note of the forms that are watched: each takes part in the requests of the account. */
function watchForms(context: PollContext, states: ReadonlyMap<string, FormState>): void {
	const { memory, parameters, times } = context;
	const ids = listWatchedIds(parameters, states);
	const watched = ids.map((id): [string, WatchedForm] => {
		const { known, position } = states.get(id) ?? {};
		const isRead = known !== undefined && context.knowledge.forms.has(id);
		return [id, memory.forms.get(id) ?? createWatchedForm(id, isRead, position)];
	});
	memory.forms = new Map(watched);
	keepEvents(memory.outbox, new Set(ids));
	for (const form of memory.forms.values()) {
		const weight = computeWeight(form.rate, times.startedAtMs);
		// the pages before the one that fails are read each time
		const perAttempt = 1 + (form.position.failedAfter ?? 0);
		const maxPerDay = isFailing(form) ? MAX_FAILING_PER_DAY * perAttempt : Infinity;
		setDemand(form, { ...createDemand(context, form.demand), weight, maxPerDay });
	}
}

/**
 * Reads the forms that are due in turn, compares what was read, and adds the events to the outbox.
 *
 * @param states what is known of the forms, which is brought up to date
 * @returns what was read, by form
 */
export async function readForms(
	context: PollContext,
	progress: Progress,
	states: Map<string, FormState>,
): Promise<ReadonlyMap<string, readonly IDataObject[]>> {
	watchForms(context, states);
	const { memory, times } = context;
	const perWeight = planRequests(context);
	const read = new Map<string, readonly IDataObject[]>();
	// forms that failed last must not keep the others from being read
	const inTurn = sortBy([...memory.forms.values()], [({ health }) => health.count, 'readTurn']);
	for (const form of inTurn) {
		if (progress.isStopped || clock.now() >= times.readUntilMs) break;
		const part = await readAndCompare(context, progress, form, states, perWeight);
		if (part !== undefined)
			read.set(
				form.id,
				part.pages.flatMap(({ records }) => records),
			);
	}
	return read;
}

/** Reads one form if it is due. */
async function readAndCompare(
	context: PollContext,
	progress: Progress,
	form: WatchedForm,
	states: Map<string, FormState>,
	perWeight: number,
): Promise<Part | undefined> {
	const { memory, occasion, parameters } = context;
	const { accountHealth, outbox } = memory;
	setSpacing(form, computeSpacingMs(form.demand!, perWeight));
	const isPublished = occasion === 'publish';
	const isWanted = isPublished && conditionsNeedFields(parameters.conditions);
	const scope = decideScope(form, accountHealth, isPublished, isWanted);
	if (scope === undefined) return undefined;
	const { known = NOTHING } = states.get(form.id) ?? {};
	const turn = (memory.turns += 1);
	const part = await readForm(createReadContext(context), form, scope, { known, turn });
	memory.clockOffsetMs = part.clockOffsetMs ?? memory.clockOffsetMs;
	// a refusal of a later page is one of the account, whatever the pages before
	if (part.pages.length > 0 && !isAboutAccount(part.error)) recordAnswer(accountHealth);
	// the service's clock is known by now
	const state = startState(context, states.get(form.id));
	const comparison = compareResponses(state, listWaiting(outbox, form.id), part.pages, parameters);
	refreshEvents(outbox, form.id, comparison.listed);
	const dropped = addEvents(outbox, form.id, comparison.found);
	const outcome = updatePosition(form, scope, part, comparison, known);
	if (part.pages.length > 0) states.set(form.id, endReading(comparison, outcome, part, dropped));
	logFirstReading(context, form, state, comparison, outcome);
	noteReading(context, progress, form, scope, part, outcome);
	return part;
}

/** What is known of a form before it is read. */
function startState(context: PollContext, state: FormState = {}): FormState {
	if (state.known !== undefined || state.baseline !== undefined) return state;
	const { isPaused, ...rest } = state;
	const { sinceMs, emitSinceMs } = createBaseline(context);
	// what existed before was seen, or left out, when the form was watched before
	return { ...rest, baseline: isPaused ? { sinceMs } : { sinceMs, emitSinceMs } };
}

/** What is known of a form after pages were read. */
function endReading(
	{ state }: Comparison,
	outcome: Outcome,
	{ pages }: Part,
	dropped: number,
): FormState {
	if (outcome.kind !== 'whole') return state;
	const after = markMissing(state, outcome.listed, pages.at(-1)!.readAtMs);
	return advanceBaseline(after, { ...outcome, hasDropped: dropped > 0 });
}

function noteReading(
	context: PollContext,
	progress: Progress,
	form: WatchedForm,
	scope: Scope,
	{ error }: Part,
	{ kind }: Outcome,
): void {
	if (kind === 'recovered') recordProgress(form);
	if (error === undefined || kind === 'forgiven')
		recordSuccess(form, ['whole', 'resumed'].includes(kind));
	else noteFailedReading(context, progress, form, error, scope === 'whole');
}

function logFirstReading(
	{ request }: PollContext,
	{ id }: WatchedForm,
	before: FormState,
	{ state, found, listed }: Comparison,
	outcome: Outcome,
): void {
	if (before.baseline === undefined || before.baseline.isRead) return;
	const count = (state.known?.size ?? 0) + found.length;
	request.n8n.logger.info(
		outcome.kind !== 'whole'
			? `Form ${id}: the next poll goes on reading. Responses so far: ${count}.`
			: `Watching form ${id}. Existing responses: ${count}.`,
	);
	const unseen = [...listed].filter(([fingerprint]) => !before.known?.has(fingerprint));
	const untimed = unseen.filter(([, record]) => readCreatedAtMs(record) === undefined);
	if (!before.baseline.emitSinceMs || untimed.length === 0) return;
	request.n8n.logger.info(
		`Form ${id}: ${untimed.length} existing responses have no created_at and count as older than 'Existing Responses Since'.`,
	);
}
