import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { HOUR_MS, hasElapsed } from '../api/clock';
import {
	computeFingerprint,
	decodeSeenResponses,
	encodeSeenResponses,
	type Baseline,
	type SeenResponses,
} from './responseEvents';

/* The state of a trigger. n8n keeps it; a state never changes, because each poll creates the next one. */

/** What a form's polls read next, see readForm. A page is identified by the query of its URL. */
const progressSchema = z.object({
	lastReading: z
		.object({ kind: z.enum(['search', 'pass']), atMs: z.number(), requests: z.number() })
		.optional(),
	/** The pass under way, and its next page. */
	pass: z
		.object({
			page: z.string(),
			/** How often in a row this page could not be read. */
			failures: z.number(),
			/** How many records were on the pages before. */
			recordCount: z.number(),
			/** The number of all records that the first page announced. */
			total: z.number().optional(),
			/** The latest creation time and the highest number on the first page. */
			newest: z.object({ ms: z.number().optional(), number: z.number().optional() }),
			/** Whether no pass of the form has ended or started over yet. */
			isFirst: z.boolean(),
		})
		.optional(),
	/** How many complete passes have ended since `forgotAtMs`. */
	passCount: z.number().optional(),
	/** Where the next search starts. Undefined until a page was read. */
	search: z
		.object({
			order: z.enum(['newestFirst', 'oldestFirst']),
			page: z.string(),
			/** When the last finished search began, by the service's clock. */
			searchedAtMs: z.number(),
			/** When an unfinished search began. */
			unfinishedSinceMs: z.number().optional(),
		})
		.optional(),
});

/** Progress alone is no reason to save: if it is lost, a poll only reads pages again. */
export type Progress = Readonly<z.infer<typeof progressSchema>>;

const baselineSchema: z.ZodType<Baseline> = z.object({
	sinceMs: z.number(),
	emitExistingSinceMs: z.number().optional(),
});

const formSchema = z.object({
	id: z.string(),
	/**
	 * See `encodeSeenResponses`. Undefined until a page was read. A form that the trigger saw being created starts
	 * with an empty map.
	 */
	seen: z.string().transform(decodeSeenResponses).optional(),
	/** Undefined once a pass was complete. */
	baseline: baselineSchema.optional(),
	/** Undefined if Form Updated is not chosen. */
	attributes: z.record(z.string(), z.string()).optional(),
	/** Since when the form has been missing from the list of forms, or has not been watched. */
	absentSinceMs: z.number().optional(),
	/** When `forgetUnlisted` last looked. */
	forgotAtMs: z.number().optional(),
	progress: progressSchema.optional(),
});

export type FormState = Readonly<
	Omit<z.infer<typeof formSchema>, 'id' | 'seen'> & { seen?: SeenResponses }
>;

/** Whether the first pass of a form has neither ended nor started over. */
export function isFirstPass({ seen, progress }: FormState): boolean {
	return progress?.pass?.isFirst ?? seen === undefined;
}

export type FormStates = ReadonlyMap<string, FormState>;

/** What the trigger knows of the forms. */
export type KnownForms = Readonly<{
	forms: FormStates;
	/** When the list of all forms was first read, by the service's clock. */
	listedSinceMs?: number;
}>;

type TriggerState = KnownForms &
	Readonly<{
		service: string;
		/** The time of the save, or the previous revision plus one if that is higher. */
		revision: number;
	}>;

/** Raise this number if the states of earlier versions can no longer be read. The trigger then starts over. */
const VERSION = 1;

const schema = z.object({
	version: z.literal(VERSION),
	service: z.string(),
	revision: z.number(),
	listedSinceMs: z.number().optional(),
	forms: z.array(formSchema),
});

/** What this process knows of the last poll. */
export type StateMemory = {
	/** The state after the last poll, and the revision and time of the last state that was written. */
	state?: TriggerState;
	writtenRevision: number;
	writtenAtMs: number;
	/** The state to continue from if n8n discards the last poll with its items. */
	ifDiscarded?: TriggerState;
};

export const NO_MEMORY: StateMemory = { writtenRevision: 0, writtenAtMs: -Infinity };

export type LoadedState = Readonly<{
	startState: TriggerState;
	savedRevision: number;
	/** Whether the saved state cannot be read. Then no existing response starts the workflow. */
	isDamaged: boolean;
}>;

/**
 * Returns the state from which a poll continues. If the saved state is older than the last written one, n8n has
 * discarded the items of the last poll, or does not save the states of polls without items. `ifDiscarded` fits both.
 */
export function loadState(saved: unknown, memory: StateMemory, service: string): LoadedState {
	const savedRevision = readRevision(saved);
	const { state, writtenRevision, ifDiscarded } = memory;
	const isOlder = savedRevision < writtenRevision;
	const remembered = isOlder ? ifDiscarded : state;
	const isKnown = isOlder || savedRevision === writtenRevision;
	const startState = (isKnown ? remembered : undefined) ?? decodeState(saved);
	if (startState?.service === service) return { startState, savedRevision, isDamaged: false };
	const isDamaged = saved !== undefined && startState === undefined;
	const empty = { service, revision: savedRevision, forms: new Map() };
	return { startState: empty, savedRevision, isDamaged };
}

/** Progress alone is saved after at most this time. */
const SAVE_INTERVAL_MS = HOUR_MS;

/**
 * Remembers the state after a poll. Returns the state to save, or undefined if nothing has to be saved: a saved
 * state of 100,000 responses has more than a megabyte.
 */
export function rememberState(
	memory: StateMemory,
	{ startState, savedRevision, isDamaged }: LoadedState,
	after: Omit<TriggerState, 'revision'>,
	{ hasItems, isActivation, nowMs }: { hasItems: boolean; isActivation: boolean; nowMs: number },
): IDataObject | undefined {
	const hasChanged =
		after.listedSinceMs !== startState.listedSinceMs ||
		haveFormsChanged(startState.forms, after.forms);
	// an unreadable state stays until there is something to replace it
	if (isDamaged && !hasChanged) return undefined;
	const isOutdated =
		savedRevision !== memory.writtenRevision ||
		hasElapsed(memory.writtenAtMs, SAVE_INTERVAL_MS, nowMs);
	const isWritten = hasChanged || hasItems || isActivation || isOutdated;
	// at least the time, so that two processes that start from one state do not write the same revision
	const revision = isWritten ? Math.max(startState.revision + 1, nowMs) : startState.revision;
	const state = { ...after, revision };
	memory.state = state;
	memory.ifDiscarded = hasItems ? startState : state;
	if (!isWritten) return undefined;
	memory.writtenRevision = revision;
	memory.writtenAtMs = nowMs;
	return encodeState(state);
}

/** Whether anything but the progress has changed. Unchanged values stay the same objects. */
function haveFormsChanged(before: FormStates, after: FormStates): boolean {
	if (before.size !== after.size) return true;
	const names = Object.keys(omit(formSchema.shape, 'id', 'progress')) as Array<keyof FormState>;
	return [...after].some(([id, form]) =>
		names.some((name) => form[name] !== before.get(id)?.[name]),
	);
}

/** After this time, n8n has either saved a state or discarded it. */
const SAVE_TIMEOUT_MS = 30_000;

/** Whether n8n may still be saving the last state. In durable mode, a poll that overlaps gets an old copy. */
export function isSavePending(saved: unknown, memory: StateMemory, nowMs: number): boolean {
	const isOlder = readRevision(saved) < memory.writtenRevision;
	return isOlder && !hasElapsed(memory.writtenAtMs, SAVE_TIMEOUT_MS, nowMs);
}

/** 0 if there is no saved state. */
export function readRevision(saved: unknown): number {
	return z.object({ revision: z.number() }).safeParse(saved).data?.revision ?? 0;
}

function encodeState({ forms, ...state }: TriggerState): IDataObject {
	const encoded = [...forms].map(([id, { seen, ...form }]) => ({
		id,
		...(seen && { seen: encodeSeenResponses(seen) }),
		...form,
	}));
	return { version: VERSION, ...state, forms: encoded };
}

function decodeState(saved: unknown): TriggerState | undefined {
	const parsed = schema.safeParse(saved).data;
	if (parsed === undefined) return undefined;
	const { forms, ...state } = omit(parsed, 'version');
	return { ...state, forms: new Map(forms.map(({ id, ...form }) => [id, form])) };
}

/** Computes the ID of a service from its host and path, so that the scheme and the token can change. */
export function computeServiceId(baseUrl: string): string {
	const { host, pathname } = new URL(baseUrl);
	return computeFingerprint(host + pathname);
}
