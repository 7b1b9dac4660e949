import { chunk, sortBy } from 'lodash';
import { conditionsNeedFields } from '../api/answers/conditions';
import { clock, pauseIfDue } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { comparePage, endsKnown, startComparison } from './compare';
import type { Comparison } from './compare';
import { deliver } from './delivery';
import type { Begun, FormReading } from './delivery';
import { isWaiting, noteAnswer, noteFailure, noteGivenUp, noteSuccess } from './failures';
import { decodeKnown } from './known';
import type { Known } from './known';
import { addRequests, computeWeight } from './pace';
import { countRoom, createForm, listWatchedIds, placeBaseline } from './pollContext';
import type { Poll } from './pollContext';
import { beginAtSamePage, giveUpPage, isFormDue, planReading } from './position';
import type { Scope } from './position';
import { readPart } from './reading';
import type { PageRead } from './reading';
import type { FormState } from './state';

/** How a poll reads the responses of its forms. */

/**
 * Reads the forms that are due: the least recently read first, and those that failed last, so that they keep
 * no other form from being read. What a form delivers takes the room of others.
 */
export async function pollResponses(poll: Poll): Promise<void> {
	const { forms, times } = poll;
	const ids = listWatchedIds(poll);
	for (const id of ids) {
		const { known, baseline } = forms.get(id) ?? {};
		const isBegun = known !== undefined || baseline !== undefined;
		if (!isBegun) forms.set(id, { ...forms.get(id), ...createForm(poll) });
	}
	const due = ids.filter((id) => isFormWanted(poll, id));
	for (const id of sortBy(due, [
		(one) => hasFailed(poll, one),
		(one) => forms.get(one)?.pace?.atMs ?? 0,
	])) {
		if (poll.isStopped || countRoom(poll) <= 0 || clock.now() >= times.readUntilMs) return;
		await pollForm(poll, id);
	}
}

const SCOPES: readonly Scope[] = ['newest', 'all'];

const toKey = (formId: string, scope: Scope) => `${formId} ${scope}`;

function hasFailed({ memory }: Poll, formId: string): boolean {
	return SCOPES.some((scope) => memory.failures.has(toKey(formId, scope)));
}

/** How long a form waits for each of its requests, in milliseconds. */
function computeFormSpacingMs({ spacingMs, times }: Poll, { deliveredAtMs }: FormState): number {
	return spacingMs / computeWeight(deliveredAtMs, times.startedAtMs);
}

function isFormWanted(poll: Poll, formId: string): boolean {
	const { forms, occasion, parameters, times } = poll;
	const state = forms.get(formId)!;
	// a person who publishes the workflow is to see what is wrong with filters and forms
	const isChecked = conditionsNeedFields(parameters.conditions) || hasFailed(poll, formId);
	if (occasion === 'publish' && isChecked) return true;
	const spacingMs = computeFormSpacingMs(poll, state);
	const isAllWaiting = isWaiting(poll, toKey(formId, 'all'));
	return isFormDue(state, spacingMs, times.startedAtMs, isAllWaiting);
}

/** Reads the newest responses of a form, if they are read by themselves, and then some of all pages. */
async function pollForm(poll: Poll, formId: string): Promise<void> {
	const spacingMs = computeFormSpacingMs(poll, poll.forms.get(formId)!);
	const { lastPollAtMs, parameters, times } = poll;
	const needsFields = parameters.lists.fields;
	const options = { needsFields, lastPollAtMs, nowMs: times.startedAtMs };
	const readUrls = new Set<string>();
	for (const scope of SCOPES) {
		const state = poll.forms.get(formId)!;
		if (scope === 'newest' && isOneForBoth(poll, formId, state)) continue;
		if (poll.isStopped || countRoom(poll) <= 0 || isWaiting(poll, toKey(formId, scope))) continue;
		const plan = planReading(state, scope, spacingMs, options);
		if (readUrls.has(plan.from?.url ?? '')) continue;
		await pollScope(poll, { formId, scope, state, spacingMs, plan, readUrls });
	}
}

/** Whether the reading of all pages does for the newest responses as well, or there is no other one. */
function isOneForBoth(poll: Poll, formId: string, state: FormState): boolean {
	if (state.newest === undefined) return true;
	return beginAtSamePage(state) && !isWaiting(poll, toKey(formId, 'all'));
}

/** Reads a part of a form and delivers what is new. A failure is taken note of. */
async function pollScope(poll: Poll, begun: Begun): Promise<void> {
	const { formId, scope, state, spacingMs } = begun;
	const key = toKey(formId, scope);
	const reading = await readForm(poll, begun);
	const { pages, error, requests } = reading.part;
	const last = pages.at(-1)?.pagesBefore;
	try {
		if (last !== undefined) {
			noteAnswer(poll, error);
			await deliver(poll, reading);
		}
		if (error !== undefined) throw error;
		const isUnfinished = scope === 'all' && poll.forms.get(formId)?.all?.next !== undefined;
		noteSuccess(poll.memory, key, isUnfinished ? last : undefined);
	} catch (cause) {
		const page = last === undefined ? state[scope]?.next?.pagesBefore : last + 1;
		const isRead = last !== undefined && cause === error;
		// a form that was never read has no pace
		const leastMs = isRead || state.pace ? 0 : requests * spacingMs;
		const failures = noteFailure(poll, key, cause, { formId, leastMs, page });
		if (isRead) return;
		const after = last === undefined ? giveUpPage(state, scope, cause, failures) : state;
		if (after !== state) noteGivenUp(poll.memory, key);
		const pace = state.pace && addRequests(state.pace, requests, spacingMs, reading.startedAtMs);
		poll.forms.set(formId, pace === undefined ? after : { ...after, pace });
	}
}

/** Other work of n8n goes on between so many records: a page can have all responses of a form. */
const RECORDS_AT_ONCE = 500;

/** Reads pages until they have enough events for the room, or the plan ends the reading. */
async function readForm(poll: Poll, begun: Begun): Promise<FormReading> {
	const { memory, request, parameters } = poll;
	const { formId, plan, readUrls } = begun;
	const startedAtMs = clock.now();
	const comparison = startComparison(recallKnown(poll, formId, begun.state));
	let { state } = begun;
	const isEnough = async (page: PageRead) => {
		state = placeBaseline(begun.state, memory.offsetMs);
		const rules = { ...parameters, baseline: state.baseline };
		for (const records of chunk(page.records, RECORDS_AT_ONCE)) {
			await pauseIfDue();
			comparePage(comparison, { ...page, records }, rules);
		}
		readUrls.add(page.url);
		// what a poll before has delivered of the page where the reading goes on does not end it
		const isStart = page.url === plan.from?.url;
		const isKnown = plan.isUntilKnown && !isStart && endsKnown(page, comparison);
		return isKnown || hasEnough(poll, comparison) || readUrls.has(page.next?.url ?? '');
	};
	const target = createTarget(request.account, endpoints.listResponses, { formId });
	const options = { ...plan, isEnough, needsIdentity: true };
	const part = await readPart(poll, target, options);
	return { ...begun, state, startedAtMs, part, comparison };
}

/** What is known of the responses of a form. */
function recallKnown({ memory }: Poll, formId: string, { known: text = '' }: FormState): Known {
	const recalled = memory.decoded.get(formId);
	if (recalled?.text === text) return recalled.known;
	const known = decodeKnown(text)!;
	memory.decoded.set(formId, { text, known });
	return known;
}

/** Whether the events fill the room. */
function hasEnough(poll: Poll, { found }: Comparison): boolean {
	return found.size >= countRoom(poll);
}
