import { chunk, sortBy } from 'lodash';
import { conditionsNeedFields } from '../api/answers/conditions';
import { clock, pauseIfDue } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { comparePage, endsKnown, startComparison } from './compare';
import { deliver } from './delivery';
import type { FormReading } from './delivery';
import { isWaiting, noteAnswer, noteFailure, noteSuccess } from './failures';
import { decodeKnown } from './known';
import type { Known } from './known';
import { addRequests } from './pace';
import { beginForm, computeFormSpacingMs, countRoom, listWatchedIds } from './pollContext';
import type { Poll } from './pollContext';
import { beginAtSamePage, giveUpPage, isFormDue, planReading } from './position';
import type { Scope } from './position';
import { readPart } from './reading';
import type { PageRead } from './reading';
import type { FormState } from './state';

/** How a poll reads the responses of its forms. */

/**
 * Reads the forms that are due, the least recently read first: of each form the newest responses, if they are
 * read by themselves, and then some of all pages. What a form delivers takes the room of others.
 */
export async function pollResponses(poll: Poll): Promise<void> {
	const { forms, times } = poll;
	const ids = listWatchedIds(poll);
	const due = ids.filter((id) => isFormWanted(poll, id, forms.get(id)));
	for (const id of sortBy(due, (one) => forms.get(one)?.pace?.atMs ?? 0)) {
		for (const scope of SCOPES) {
			const isOver = countRoom(poll) <= 0 || clock.now() >= times.readUntilMs;
			if (!poll.isStopped && !isOver) await pollScope(poll, id, scope);
		}
	}
	// what comes to forms that could not be read is new
	for (const id of ids) forms.set(id, beginForm(poll, forms.get(id)));
}

const SCOPES: readonly Scope[] = ['newest', 'all'];

const toKey = (formId: string, scope: Scope) => `${formId} ${scope}`;

function isFormWanted(poll: Poll, formId: string, state: FormState = {}): boolean {
	const { memory, occasion, parameters, times } = poll;
	const hasFailed = SCOPES.some((scope) => memory.failures.has(toKey(formId, scope)));
	// a person who publishes the workflow is to see what is wrong with filters and forms
	if (occasion === 'publish' && (hasFailed || conditionsNeedFields(parameters.conditions)))
		return true;
	const isAllWaiting = isWaiting(poll, toKey(formId, 'all'));
	return isFormDue(state, computeFormSpacingMs(poll, formId), times.startedAtMs, isAllWaiting);
}

/** Reads a part of a form and delivers what is new. A failure is taken note of. */
async function pollScope(poll: Poll, formId: string, scope: Scope): Promise<void> {
	const { forms, memory } = poll;
	const before = forms.get(formId) ?? {};
	const key = toKey(formId, scope);
	if (isWaiting(poll, key)) return;
	// the reading of all pages does for the newest responses as well
	const isOne = beginAtSamePage(before) && !isWaiting(poll, toKey(formId, 'all'));
	if (scope === 'newest' && (before.newest === undefined || isOne)) return;

	const reading = await readForm(poll, formId, scope, before);
	const { pages, error, requests } = reading.part;
	const last = pages.at(-1)?.pagesBefore;
	try {
		if (last !== undefined) {
			noteAnswer(poll, error);
			await deliver(poll, reading);
		}
		if (error !== undefined) throw error;
		const isUnfinished = scope === 'all' && forms.get(formId)?.all?.next !== undefined;
		noteSuccess(memory, key, isUnfinished ? last : undefined);
	} catch (cause) {
		const page = last === undefined ? before[scope]?.next?.pagesBefore : last + 1;
		const failures = noteFailure(poll, key, cause, formId, page);
		if (last !== undefined && cause === error) return;
		const after = last === undefined ? giveUpPage(before, scope, cause, failures) : before;
		const spacingMs = computeFormSpacingMs(poll, formId);
		// a delivery fails after a request for fields
		const sent = cause === error ? requests : requests + 1;
		const pace = addRequests(before.pace, sent, spacingMs, reading.startedAtMs);
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
	scope: Scope,
	before: FormState,
): Promise<FormReading> {
	const { lastPollAtMs, parameters, request, times } = poll;
	const startedAtMs = clock.now();
	const spacingMs = computeFormSpacingMs(poll, formId);
	// what there was time for until this poll, whatever the poll has read of the newest
	const pace = poll.state.forms.get(formId)?.pace;
	const plan = planReading({ ...before, pace }, scope, spacingMs, lastPollAtMs, times.startedAtMs);
	const comparison = startComparison(recallKnown(poll, formId, before));
	let state = before;
	let isFull = false;
	const isEnough = async (page: PageRead) => {
		state = beginForm(poll, before);
		const rules = { ...parameters, baseline: state.baseline };
		for (const records of chunk(page.records, RECORDS_AT_ONCE)) {
			await pauseIfDue();
			comparePage(comparison, { ...page, records }, rules);
		}
		isFull = comparison.found.size >= countRoom(poll);
		// what a poll before has delivered of the page where the reading goes on does not end it
		const isStart = page.url === plan.from?.url;
		return isFull || (plan.isUntilKnown && !isStart && endsKnown(page, comparison));
	};
	const target = createTarget(request.account, endpoints.listResponses, { formId });
	const maxRequests = Math.min(
		plan.maxRequests,
		parameters.lists.fields ? MAX_BEFORE_FIELDS : Infinity,
	);
	const options = { ...plan, maxRequests, isEnough, needsIdentity: true };
	const part = await readPart(poll, target, options);
	return { formId, scope, state, startedAtMs, part, isFull, comparison };
}

/** What is known of the responses of a form. */
function recallKnown({ memory }: Poll, formId: string, { known: text = '' }: FormState): Known {
	const recalled = memory.decoded.get(formId);
	if (recalled?.text === text) return recalled.known;
	const known = decodeKnown(text)!;
	memory.decoded.set(formId, { text, known });
	return known;
}
