import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { computeFingerprint } from './fingerprints';
import { hasElapsed } from './requestBudget';
import { decodeSeenResponses } from './responses/seenResponses';
import { renameVersion6 } from './savedVersions';
import { formStateSchema, type TriggerState } from './triggerState';

/* Encodes the trigger state for saving, and decides from which state a poll continues. */

/**
 * The version of the saved state. A new optional attribute needs no new version, because a state without the
 * attribute can be read. If you rename an attribute or change its meaning, raise the version, and convert
 * states of the earlier version in `savedVersions`.
 */
const VERSION = 7;

const savedForm = formStateSchema.refine(
	({ seen = '' }) => decodeSeenResponses(seen) !== undefined,
);

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

/** The last states of a trigger in this process. A poll needs these states if n8n has not saved the last state. */
export type StateCache = {
	/** The state that the last poll wrote. */
	written?: TriggerState;
	/** When the last poll wrote `written`. */
	writtenAtMs?: number;
	/**
	 * The state from which the next poll continues if n8n has not saved `written`. If the last poll had items,
	 * `resumeFrom` is the state before the last poll: n8n has discarded the items together with `written`, so
	 * the next poll must create the items again.
	 */
	resumeFrom?: TriggerState;
};

/** The state with which a poll starts. */
export type LoadedState = Readonly<{
	/** The state at the start of the poll. The steps of the poll return new states of the forms. */
	startState: TriggerState;
	/**
	 * Whether n8n passed a saved state that cannot be read. If true, the trigger delivers no existing responses,
	 * even if the user has chosen existing responses.
	 */
	isDamaged: boolean;
}>;

/**
 * Returns the state from which a poll continues. n8n can pass a state that is older than the state that the
 * last poll wrote. This happens in three cases:
 *
 * - n8n has discarded the items of the last poll.
 * - In default mode, the user has published the workflow again.
 * - In durable mode, n8n has activated the workflow.
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
 * Caches the next state at the end of a poll, and returns the state to save.
 *
 * @param before the state at the start of the poll
 * @param hasItems whether the poll has items, which n8n may discard together with the state
 * @returns undefined if the saved state is unreadable and the poll has found no form. In this case, the
 * caller keeps the unreadable state
 */
export function rememberState(
	cache: StateCache,
	{ startState: before, isDamaged }: LoadedState,
	after: Omit<TriggerState, 'revision'>,
	{ hasItems, nowMs }: { hasItems: boolean; nowMs: number },
): IDataObject | undefined {
	// a state is never modified, so a changed form is a new object
	const hasChanged =
		after.listedSinceMs !== before.listedSinceMs ||
		after.forms.size !== before.forms.size ||
		[...after.forms].some(([id, form]) => before.forms.get(id) !== form);
	if (isDamaged && !hasChanged) return undefined;
	// the revision must be higher than the revision of another process that continued from the same state
	const revision = Math.max(before.revision + 1, nowMs);
	const written = hasChanged ? { ...after, revision } : before;
	cache.written = written;
	cache.writtenAtMs = nowMs;
	cache.resumeFrom = hasItems ? before : written;
	return encodeState(written);
}

/**
 * The maximum time that n8n needs to save a state. If n8n still passes an older state after this time, n8n has
 * discarded the last state.
 */
const SAVE_TIMEOUT_MS = 30_000;

/**
 * Whether n8n may still be saving the last state. In durable mode, each poll gets a copy of the saved state. If
 * two polls overlap, the second poll can get an old copy.
 */
export function isSavePending(
	saved: unknown,
	{ written, writtenAtMs = -Infinity }: StateCache,
	nowMs: number,
): boolean {
	const isOlder = written !== undefined && readRevision(saved) < written.revision;
	return isOlder && !hasElapsed(writtenAtMs, SAVE_TIMEOUT_MS, nowMs);
}

/** Returns the revision of a saved state. 0 if there is no saved state. */
export function readRevision(saved: unknown): number {
	return z.object({ revision: z.number() }).safeParse(saved).data?.revision ?? 0;
}

function encodeState({ forms, ...state }: TriggerState): IDataObject {
	return { version: VERSION, ...state, forms: [...forms].map(([id, form]) => ({ id, ...form })) };
}

/** Decodes a saved state of this version or of an earlier version. Undefined if the state cannot be read. */
function decodeState(saved: unknown): TriggerState | undefined {
	const parsed = schema.safeParse(saved).data;
	if (parsed === undefined) return undefined;
	const { forms, ...state } = omit(parsed, 'version');
	return { ...state, forms: new Map(forms.map(({ id, ...form }) => [id, form])) };
}

/**
 * Computes a short ID of a service from its host and path. The ID does not depend on the scheme and the token,
 * so a trigger keeps its state if the user changes the scheme or the token.
 */
export function computeServiceId(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return computeFingerprint(host + pathname);
}
