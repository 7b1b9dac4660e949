import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { computeFingerprint, decodeSeenResponses } from './seenResponses';
import { hasElapsed } from './requestBudget';

/**
 * What n8n keeps of a trigger in its static data: all that the trigger knows. A poll loads the state first
 * and replaces it last. Nobody changes a value of a state in place.
 */

const nonNegative = z.number().nonnegative();

/** The page where a reading goes on, see `PagePosition`; undefined for the first one. */
const next = z
	.object({ url: z.string(), pagesBefore: nonNegative, recordsBefore: nonNegative })
	.optional();

/** Since when something is missing from its list, in epoch milliseconds, and the readings since then. */
const absence = z.object({ atMs: z.number(), readings: nonNegative });

const form = z.object({
	id: z.string(),
	/** See `encodeKnown`; undefined until a page was read. */
	known: z
		.string()
		.refine((text) => decodeSeenResponses(text) !== undefined)
		.optional(),
	/** Until all pages were read once. Without a baseline, every unknown response is new. */
	baseline: z
		.object({
			/** Responses that were created then or later are new. Epoch milliseconds of the service. */
			sinceMs: z.number(),
			/** Existing responses that were created then or later are emitted: 0 for all, undefined for none. */
			emitSinceMs: z.number().optional(),
		})
		.optional(),
	/** The requests that are still to be waited for; undefined until one was sent. */
	pace: z.object({ atMs: z.number(), requests: nonNegative }).optional(),
	/** The reading of all pages, which goes round. */
	all: z
		.object({
			next,
			/** See `Order`. */
			order: z.object({ falls: nonNegative, rises: nonNegative }).optional(),
		})
		.optional(),
	/** The reading of the newest responses, if the list has them at one end and other pages behind. */
	newest: z.object({ next, end: z.enum(['first', 'last']) }).optional(),
	/** When the form last delivered a response, in epoch milliseconds. */
	deliveredAtMs: z.number().optional(),
	/** See `sweepKnown`. */
	sweep: absence.optional(),
	/** See `encodeAttributes`; undefined unless Form Updated is chosen. */
	attributes: z.record(z.string(), z.string()).optional(),
	/** Since when the form is not listed or watched any more. */
	left: absence.optional(),
});

const VERSION = 6;

const schema = z.object({
	version: z.literal(VERSION),
	/** See `identifyService`. */
	service: z.string(),
	/** The time of the poll that left the state, in epoch milliseconds; each state has a higher one. */
	revision: z.number(),
	/** When the list of all forms was first read, in epoch milliseconds of the service. */
	listedSinceMs: z.number().optional(),
	/** An earlier state could not be read: existing responses start nothing. */
	isDamaged: z.boolean().optional(),
	forms: z.array(form),
});

/** What is known of one form. */
export type FormState = Readonly<Omit<z.infer<typeof form>, 'id'>>;

export type TriggerState = Readonly<Omit<z.infer<typeof schema>, 'version' | 'forms'>> & {
	/** By ID. */
	readonly forms: ReadonlyMap<string, FormState>;
};

/** What the process remembers of the state, for what n8n does not keep. */
export type StateCache = {
	/** What the last poll left, and when, in epoch milliseconds. */
	left?: TriggerState;
	leftAtMs?: number;
	/** What the last poll left; or if it had items, what it began with. */
	fallback?: TriggerState;
};

const KEY = 'state';

/**
 * The state to go on from. n8n hands over an older state than the last poll left if it discarded the items
 * of that poll: those come again. It also does so if it has not kept a poll without items, as the default
 * mode when a workflow is published again and durable mode after the activation: then `fallback` counts.
 *
 * @param service the name of the service, see `identifyService`
 */
export function loadState(
	staticData: IDataObject,
	{ left, fallback }: StateCache,
	service: string,
): TriggerState {
	const saved = staticData[KEY];
	const revision = readRevision(saved);
	const isOlder = fallback !== undefined && revision < fallback.revision;
	const remembered = revision === left?.revision ? left : isOlder ? fallback : undefined;
	const state = remembered ?? decodeState(saved);
	if (state?.service === service) return state;
	const isDamaged = saved !== undefined && state === undefined ? true : undefined;
	return { service, revision, isDamaged, forms: new Map() };
}

/**
 * Puts the state that a poll leaves into the static data. To be called last: n8n may save at any time.
 *
 * @param before what the poll began with
 * @param hasItems whether n8n may discard the state together with items
 */
export function saveState(
	staticData: IDataObject,
	memory: StateCache,
	before: TriggerState,
	after: Omit<TriggerState, 'revision'>,
	{ hasItems, nowMs }: { hasItems: boolean; nowMs: number },
): void {
	const hasChanged =
		after.listedSinceMs !== before.listedSinceMs ||
		[...after.forms].some(([id, one]) => before.forms.get(id) !== one);
	const provided = readRevision(staticData[KEY]);
	// another process of n8n may have counted on from the same state
	const left = hasChanged ? { ...after, revision: Math.max(before.revision + 1, nowMs) } : before;
	memory.left = left;
	memory.leftAtMs = nowMs;
	memory.fallback = hasItems ? before : left;
	if (left.revision !== provided) staticData[KEY] = encodeState(left);
}

/** After this time, n8n has discarded the last state if it still hands over an older one. */
const SAVING_MS = 30_000;

/**
 * Whether n8n may still be saving the last state with its items. In durable mode each poll gets a copy of the
 * saved state, and a poll that overlaps the one before it can get an old copy.
 */
export function isSavePending(
	staticData: IDataObject,
	{ left, leftAtMs = -Infinity }: StateCache,
	nowMs: number,
): boolean {
	const isOlder = left !== undefined && readRevision(staticData[KEY]) < left.revision;
	return isOlder && !hasElapsed(leftAtMs, SAVING_MS, nowMs);
}

/** @returns 0 if there is none */
function readRevision(saved: unknown): number {
	return z.object({ revision: z.number() }).safeParse(saved).data?.revision ?? 0;
}

function encodeState({ forms, ...rest }: TriggerState): IDataObject {
	return { version: VERSION, ...rest, forms: [...forms].map(([id, one]) => ({ id, ...one })) };
}

/** @returns undefined if it is not what `encodeState` writes */
function decodeState(saved: unknown): TriggerState | undefined {
	const parsed = schema.safeParse(saved).data;
	if (parsed === undefined) return undefined;
	const { forms, ...rest } = omit(parsed, 'version');
	return { ...rest, forms: new Map(forms.map(({ id, ...one }) => [id, one])) };
}

/**
 * A short name for a service, by its host and path: the state belongs to these, and survives another
 * token and a change from http to https.
 */
export function computeServiceId(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return computeFingerprint(host + pathname);
}
