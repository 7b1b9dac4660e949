import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { computeFingerprint } from './fingerprints';
import { hasElapsed } from './requestBudget';
import { decodeSeenResponses } from './responses/seenResponses';
import { renameVersion6 } from './savedVersions';
import { formSchema, type TriggerState } from './triggerState';

/** Which parts of the trigger state are saved, and which state a poll continues from. */

/**
 * A new optional attribute needs no new version, because versions without it can be read. A version is raised
 * only if an attribute gets another name or meaning, and `savedVersions` then converts the earlier version.
 */
const VERSION = 7;

const savedForm = formSchema.refine(({ seen = '' }) => decodeSeenResponses(seen) !== undefined);

const schema = z.preprocess(
	renameVersion6,
	z.object({
		version: z.literal(VERSION),
		service: z.string(),
		revision: z.number(),
		listedSinceMs: z.number().optional(),
		forms: z.array(savedForm),
	}),
);

/** The last states of this process, for the case that n8n did not save them. */
export type StateCache = {
	/** The state of the last poll, and its time. */
	written?: TriggerState;
	writtenAtMs?: number;
	/**
	 * The state to continue from if n8n did not save `written`. If the last poll had items, n8n has discarded the
	 * items, too. The state is then the state before that poll, so that the items are created again.
	 */
	resumeFrom?: TriggerState;
};

/** What a poll starts with. */
export type LoadedState = Readonly<{
	/** The state before the poll. The steps of the poll pass on the states of the forms. */
	startState: TriggerState;
	/**
	 * Whether n8n has a state that cannot be read. Existing responses of the forms that this poll finds then start
	 * nothing.
	 */
	isDamaged: boolean;
}>;

/**
 * Finds the state to continue from. n8n passes an older state than the last poll wrote if n8n discarded the items
 * of that poll. n8n can also fail to keep the state of a poll without items: in default mode when a workflow is
 * published again, and in durable mode after the activation.
 *
 * @param saved the state that n8n passes, see `readSavedState`
 * @param service the ID of the service, see `computeServiceId`
 */
export function loadState(
	saved: unknown,
	{ written, resumeFrom }: StateCache,
	service: string,
): LoadedState {
	const revision = readRevision(saved);
	const isOlder = resumeFrom !== undefined && revision < resumeFrom.revision;
	const remembered = revision === written?.revision ? written : isOlder ? resumeFrom : undefined;
	const state = remembered ?? decodeState(saved);
	if (state?.service === service) return { startState: state, isDamaged: false };
	const isDamaged = saved !== undefined && state === undefined;
	return { startState: { service, revision, forms: new Map() }, isDamaged };
}

/**
 * Caches the next state, as the last step of a poll. Returns the state to save.
 *
 * @param hasItems whether n8n may discard the state together with items
 * @returns undefined if the poll has found no form to replace an unreadable state, which the next poll must find again
 */
export function rememberState(
	cache: StateCache,
	{ startState: before, isDamaged }: LoadedState,
	after: Omit<TriggerState, 'revision'>,
	{ hasItems, nowMs }: { hasItems: boolean; nowMs: number },
): IDataObject | undefined {
	// states are values: a form has another object only if it has changed
	const hasChanged =
		after.listedSinceMs !== before.listedSinceMs ||
		after.forms.size !== before.forms.size ||
		[...after.forms].some(([id, form]) => before.forms.get(id) !== form);
	if (isDamaged && !hasChanged) return undefined;
	// another process of n8n may have continued from the same state
	const revision = Math.max(before.revision + 1, nowMs);
	const written = hasChanged ? { ...after, revision } : before;
	cache.written = written;
	cache.writtenAtMs = nowMs;
	cache.resumeFrom = hasItems ? before : written;
	return encodeState(written);
}

/** If n8n passes an older state after this time, it has discarded the last state. */
const SAVE_TIMEOUT_MS = 30_000;

/**
 * Whether n8n may still be saving the last state. In durable mode, each poll gets a copy of the saved state. A poll
 * that overlaps the previous poll can get an old copy.
 */
export function isSavePending(
	saved: unknown,
	{ written, writtenAtMs = -Infinity }: StateCache,
	nowMs: number,
): boolean {
	const isOlder = written !== undefined && readRevision(saved) < written.revision;
	return isOlder && !hasElapsed(writtenAtMs, SAVE_TIMEOUT_MS, nowMs);
}

/** Reads the revision of a saved state; 0 if there is none. */
export function readRevision(saved: unknown): number {
	return z.object({ revision: z.number() }).safeParse(saved).data?.revision ?? 0;
}

function encodeState({ forms, ...state }: TriggerState): IDataObject {
	return { version: VERSION, ...state, forms: [...forms].map(([id, form]) => ({ id, ...form })) };
}

/** Decodes a saved state of this or an earlier version; undefined if it cannot be read. */
function decodeState(saved: unknown): TriggerState | undefined {
	const parsed = schema.safeParse(saved).data;
	if (parsed === undefined) return undefined;
	const { forms, ...state } = omit(parsed, 'version');
	return { ...state, forms: new Map(forms.map(({ id, ...form }) => [id, form])) };
}

/**
 * Computes a short ID of a service from its host and path, so that a state survives a new token, and https
 * instead of http.
 */
export function computeServiceId(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return computeFingerprint(host + pathname);
}
