import { omit } from 'lodash';
import { z } from 'zod';
import { DAY_MS } from './requestBudget';
import type { TriggerParameters } from './triggerParameters';

/*
 * Defines the state of a trigger. A state never changes, because each poll creates a new state. Users can read
 * the state in n8n's static data, so its attributes are named as in docs/glossary.md. Times are epoch
 * milliseconds.
 */

const nonNegative = z.number().nonnegative();

/**
 * The page where the next reading continues. Undefined if the next reading starts over. A saved first page is
 * different from starting over. A reading that starts over may stop at the first page, because the page ends with
 * a seen response. A reading that continues at the first page also reads the next page.
 */
const next = z
	.object({ url: z.string(), pagesBefore: nonNegative, recordsBefore: nonNegative })
	.optional();

/**
 * A time, and the number of passes after this time. A pass reads a list from its first page to its last page.
 * Only the first 30 passes are counted.
 */
const passCountSchema = z.object({ atMs: z.number(), passes: nonNegative });

/**
 * Which existing responses are delivered: all existing responses, or the existing responses that were created
 * at `sinceMs` or later.
 */
const backfill = z.union([z.literal('all'), z.object({ sinceMs: z.number() })]);

export const formStateSchema = z.object({
	id: z.string(),
	/** The encoded seen responses, see `encodeSeenResponses`. Undefined until a page has been read. */
	seen: z.string().optional(),
	/** The settings that decide which responses are new. Without a baseline, every unseen response is new. */
	baseline: z
		.object({
			/**
			 * A response that was created at this time or later is new. The time is a whole second of the
			 * service's clock.
			 */
			sinceMs: z.number(),
			/** Which existing responses are delivered. Undefined if none are delivered. */
			backfill: backfill.optional(),
			/**
			 * Whether the first pass has ended. After the first pass, a response without a creation time is new.
			 */
			isFirstPassOver: z.boolean().optional(),
		})
		.optional(),
	/** The request debt of the form, see `RequestDebt`. Undefined before the first reading of the form. */
	debt: z.object({ atMs: z.number(), requests: nonNegative }).optional(),
	/** When the first page of the list was last read, see `endsWithSeen`. */
	firstPageReadAtMs: z.number().optional(),
	/** The progress of the current full pass. */
	fullPass: z
		.object({
			next,
			/**
			 * The number of pages in descending order, and the number of pages in ascending order, see
			 * `countPageOrders`.
			 */
			order: z.object({ descending: nonNegative, ascending: nonNegative }).optional(),
			/** Whether the full pass has started over at the first page, see `isInFirstPass`. */
			hasStartedOver: z.boolean().optional(),
			/** Whether page positions of the form expire before the next poll, see `planFullPass`. */
			positionsExpire: z.boolean().optional(),
		})
		.optional(),
	/** Where new responses appear in the list. Undefined if the list is not sorted, or has fewer than three pages. */
	newestPages: z.object({ next, at: z.enum(['firstPage', 'lastPage']) }).optional(),
	/** When the form last delivered a response. */
	deliveredAtMs: z.number().optional(),
	/**
	 * When seen responses were last dropped, and how many full passes have ended since then, see
	 * `pruneSeenResponses`.
	 */
	pruning: passCountSchema.optional(),
	/** The fingerprints of the form's attributes. Undefined if Form Updated is not chosen. */
	attributes: z.record(z.string(), z.string()).optional(),
	/**
	 * The time since which the form has been missing from the list of forms or has not been watched, and the number
	 * of passes without the form since then.
	 */
	absence: passCountSchema.optional(),
});

/**
 * The state of one form. If a poll changes nothing about a form, the object stays the same, see
 * `rememberState`.
 */
export type FormState = Readonly<Omit<z.infer<typeof formStateSchema>, 'id'>>;

/**
 * The state of a form that was created while the trigger runs. The form has no seen responses, and no existing
 * responses.
 */
export const NEW_FORM_STATE: FormState = { seen: '' };

/** The states of forms by the ID of the form. */
export type FormStates = ReadonlyMap<string, FormState>;

/** The state of a trigger. n8n keeps the state in its static data. */
export type TriggerState = Readonly<{
	/** The ID of the service, see `computeServiceId`. */
	service: string;
	/**
	 * A number that rises from each state to the next state. Usually, the number is the time at which the state
	 * was written. If this time is not higher than the previous revision, the number is the previous revision
	 * plus 1.
	 */
	revision: number;
	/** When the list of all forms was first read, by the service's clock. */
	listedSinceMs?: number;
	forms: FormStates;
}>;

/** Returns the IDs of the forms whose responses are watched. */
export function getWatchedFormIds(
	{ watch, lists }: TriggerParameters,
	forms: FormStates,
): string[] {
	if (!lists.responses) return [];
	if (watch.kind === 'chosen') return [...watch.formIds];
	const listed = [...forms].filter(([, { absence }]) => absence === undefined);
	return listed.map(([id]) => id).filter((id) => !watch.except.includes(id));
}

/**
 * Adapts the states of the forms to the parameters. If the user has chosen forms, records that all other
 * forms are no longer watched, see `absence`. Keeps the fingerprints of attributes only if Form Updated is
 * chosen.
 */
export function applyParameters(
	{ watch, events }: TriggerParameters,
	state: TriggerState,
	nowMs: number,
): { forms: Map<string, FormState>; listedSinceMs: number | undefined } {
	const isAll = watch.kind === 'all';
	const forms = isAll
		? new Map(state.forms)
		: updateAbsences(state.forms, (id) => watch.formIds.includes(id), nowMs);
	for (const [id, form] of forms) {
		const isStale = form.attributes !== undefined && !events.includes('formUpdated');
		if (isStale) forms.set(id, omit(form, 'attributes'));
	}
	// if the user later chooses all forms again, the forms that already exist are not new
	return { forms, listedSinceMs: isAll ? state.listedSinceMs : undefined };
}

/**
 * Returns the states of the forms after one more pass. Counts the pass for each absent form. Leaves out a
 * form that has been absent for 30 days and 30 passes. If an absent form comes back earlier, the trigger
 * continues with the state of the form.
 */
export function updateAbsences(
	forms: FormStates,
	isPresent: (id: string) => boolean,
	nowMs: number,
): Map<string, FormState> {
	const updated = new Map<string, FormState>();
	for (const [id, form] of forms) {
		const { absence } = form;
		if (isPresent(id)) updated.set(id, absence === undefined ? form : omit(form, 'absence'));
		else if (!isRetentionOver(absence, nowMs)) {
			const counted = countPass(absence, nowMs);
			updated.set(id, counted === absence ? form : { ...form, absence: counted });
		}
	}
	return updated;
}

/** How long the trigger keeps data about a missing response, a missing form, or a deleted trigger. */
export const RETENTION_MS = 30 * DAY_MS;

/**
 * The number of passes in which a response or form must be missing before the trigger drops the data about
 * the response or form. One pass is not enough, because a list can be temporarily empty.
 */
const RETENTION_PASSES = 30;

export type PassCount = Readonly<z.infer<typeof passCountSchema>>;

/**
 * Adds one pass to a count. If there is no count yet, starts with one pass at `nowMs`. After 30 passes,
 * returns the same object.
 */
export function countPass(since: PassCount | undefined, nowMs: number): PassCount {
	if (since === undefined) return { atMs: nowMs, passes: 1 };
	const { atMs, passes } = since;
	return passes < RETENTION_PASSES ? { atMs, passes: passes + 1 } : since;
}

/** Whether at least 30 days and 30 passes have gone by since `since.atMs`. */
export function isRetentionOver(since: PassCount | undefined, nowMs: number): boolean {
	if (since === undefined) return false;
	return since.passes >= RETENTION_PASSES && nowMs - since.atMs >= RETENTION_MS;
}
