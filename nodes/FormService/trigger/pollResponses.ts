import { chunk, sortBy } from 'lodash';
import { conditionsNeedFields } from '../api/answers/conditions';
import { clock, yieldIfDue } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { comparePage, endsWithSeen, startComparison } from './compareResponses';
import { deliverEvents, type FormSlice } from './deliverEvents';
import { isBackingOff, registerReply, registerFailure, clearFailure } from './failures';
import { decodeSeenResponses, type SeenResponses } from './seenResponses';
import { addDebt } from './requestBudget';
import {
	ensureBaseline,
	computeFormIntervalMs,
	getCapacity,
	getWatchedFormIds,
	type Poll,
} from './pollContext';
import { haveSameStart, restartPass, isFormDue, planSlice, type PassKind } from './passes';
import { fetchSlice, type FetchedPage } from './fetchSlice';
import type { FormState } from './triggerState';

/** How a poll reads the responses of its forms. */

/**
 * Reads the forms that are due, the least recently read first: of each form the newest responses, if they are
 * read by themselves, and then some of all pages. What a form delivers takes the room of others.
 */
export async function pollResponses(poll: Poll): Promise<void> {
	const { forms, times } = poll;
	const ids = getWatchedFormIds(poll);
	const due = ids.filter((id) => isFormWanted(poll, id, forms.get(id)));
	for (const id of sortBy(due, (one) => forms.get(one)?.pace?.atMs ?? 0)) {
		for (const scope of SCOPES) {
			const isOver = getCapacity(poll) <= 0 || clock.now() >= times.readUntilMs;
			if (!poll.isStopped && !isOver) await pollScope(poll, id, scope);
		}
	}
	// what comes to forms that could not be read is new
	for (const id of ids) forms.set(id, ensureBaseline(poll, forms.get(id)));
}

const SCOPES: readonly PassKind[] = ['newest', 'all'];

const toKey = (formId: string, scope: PassKind) => `${formId} ${scope}`;

function isFormWanted(poll: Poll, formId: string, state: FormState = {}): boolean {
	const { memory, occasion, parameters, times } = poll;
	const hasFailed = SCOPES.some((scope) => memory.failures.has(toKey(formId, scope)));
	// a person who publishes the workflow is to see what is wrong with filters and forms
	if (occasion === 'publish' && (hasFailed || conditionsNeedFields(parameters.conditions)))
		return true;
	const isAllWaiting = isBackingOff(poll, toKey(formId, 'all'));
	return isFormDue(state, computeFormIntervalMs(poll, formId), times.startedAtMs, isAllWaiting);
}

/** Reads a part of a form and delivers what is new. A failure is taken note of. */
async function pollScope(poll: Poll, formId: string, scope: PassKind): Promise<void> {
	const { forms, memory } = poll;
	const before = forms.get(formId) ?? {};
	const key = toKey(formId, scope);
	if (isBackingOff(poll, key)) return;
	// the reading of all pages does for the newest responses as well
	const isOne = haveSameStart(before) && !isBackingOff(poll, toKey(formId, 'all'));
	if (scope === 'newest' && (before.newest === undefined || isOne)) return;

	const reading = await readForm(poll, formId, scope, before);
	const { pages, error, requests } = reading.part;
	const last = pages.at(-1)?.pagesBefore;
	try {
		if (last !== undefined) {
			registerReply(poll, error);
			await deliverEvents(poll, reading);
		}
		if (error !== undefined) throw error;
		const isUnfinished = scope === 'all' && forms.get(formId)?.all?.next !== undefined;
		clearFailure(memory, key, isUnfinished ? last : undefined);
	} catch (cause) {
		const page = last === undefined ? before[scope]?.next?.pagesBefore : last + 1;
		const failures = registerFailure(poll, key, cause, formId, page);
		if (last !== undefined && cause === error) return;
		const after = last === undefined ? restartPass(before, scope, cause, failures) : before;
		const spacingMs = computeFormIntervalMs(poll, formId);
		// a delivery fails after a request for fields
		const sent = cause === error ? requests : requests + 1;
		const pace = addDebt(before.pace, sent, spacingMs, reading.startedAtMs);
		forms.set(formId, { ...after, pace });
	}
}

/** Other work of n8n goes on between so many records: a page can have all responses of a form. */
const RECORDS_AT_ONCE = 500;

/** The service allows 60 requests a minute: the fields that the responses need must find room as well. */
const MAX_BEFORE_FIELDS = 50;

/** Reads pages until they have enough events for the room, or the plan ends the reading. */
async function readForm(
	poll: Poll,
	formId: string,
	scope: PassKind,
	before: FormState,
): Promise<FormSlice> {
	const { lastPollAtMs, parameters, request, times } = poll;
	const startedAtMs = clock.now();
	const spacingMs = computeFormIntervalMs(poll, formId);
	// what there was time for until this poll, whatever the poll has read of the newest
	const pace = poll.state.forms.get(formId)?.pace;
	const plan = planSlice({ ...before, pace }, scope, spacingMs, lastPollAtMs, times.startedAtMs);
	const comparison = startComparison(recallKnown(poll, formId, before));
	let state = before;
	let isFull = false;
	const isEnough = async (page: FetchedPage) => {
		state = ensureBaseline(poll, before);
		const rules = { ...parameters, baseline: state.baseline };
		for (const records of chunk(page.records, RECORDS_AT_ONCE)) {
			await yieldIfDue();
			comparePage(comparison, { ...page, records }, rules);
		}
		isFull = comparison.found.size >= getCapacity(poll);
		// what a poll before has delivered of the page where the reading goes on does not end it
		const isStart = page.url === plan.from?.url;
		return isFull || (plan.isUntilKnown && !isStart && endsWithSeen(page, comparison));
	};
	const target = createTarget(request.account, endpoints.listResponses, { formId });
	const maxRequests = Math.min(
		plan.maxRequests,
		parameters.lists.fields ? MAX_BEFORE_FIELDS : Infinity,
	);
	const options = { ...plan, maxRequests, isEnough, needsIdentity: true };
	const part = await fetchSlice(poll, target, options);
	return { formId, scope, state, startedAtMs, part, isFull, comparison };
}

/** What is known of the responses of a form. */
function recallKnown(
	{ memory }: Poll,
	formId: string,
	{ known: text = '' }: FormState,
): SeenResponses {
	const recalled = memory.decoded.get(formId);
	if (recalled?.text === text) return recalled.known;
	const known = decodeSeenResponses(text)!;
	memory.decoded.set(formId, { text, known });
	return known;
}
