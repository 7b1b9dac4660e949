import { omit } from 'lodash';
import { z } from 'zod';
import { DAY_MS } from './requestBudget';
import type { TriggerParameters } from './triggerParameters';

/**
 * The state of a trigger, which forms it watches, and how long it remembers what has disappeared. A user can read
 * the state in n8n's static data: names are those of docs/glossary.md, and times are epoch milliseconds. A state
 * never changes. Each poll creates a new one.
 */

const nonNegative = z.number().nonnegative();

/** The page where the reading continues; undefined for the first page. */
const next = z
	.object({ url: z.string(), pagesBefore: nonNegative, recordsBefore: nonNegative })
	.optional();

/** A time, and how many passes there were since then: at most 30, because more do not matter. */
const passesSince = z.object({ atMs: z.number(), passes: nonNegative });

/** Existing responses: all, or those that were created at a time or later. */
const backfill = z.union([z.literal('all'), z.object({ sinceMs: z.number() })]);

export const formSchema = z.object({
	id: z.string(),
	/** The seen responses, see `encodeSeenResponses`; undefined until a page was read. */
	seen: z.string().optional(),
	/** The boundary between existing and new responses. Without a baseline, each unseen response is new. */
	baseline: z
		.object({
			/** Responses created at this time or later are new. In the service's time, cut to seconds. */
			sinceMs: z.number(),
			/** Which existing responses are delivered; undefined for none. */
			backfill: backfill.optional(),
			/** Whether all pages were read once. After the first pass, a response without a time is new. */
			isFirstPassOver: z.boolean().optional(),
		})
		.optional(),
	/** The request debt, see `RequestDebt`; undefined until a request was sent. */
	debt: z.object({ atMs: z.number(), requests: nonNegative }).optional(),
	/** When the first page was last read. A response of this second can have come after the page was sent. */
	firstPageReadAtMs: z.number().optional(),
	/** The full pass, which starts over at its end. */
	fullPass: z
		.object({
			next,
			/** The number of pages with falling times, and with rising times, see `addVotes`. */
			order: z.object({ descending: nonNegative, ascending: nonNegative }).optional(),
			/** Whether the pass started over because a page failed for too long, see `isFirstPass`. */
			hasStartedOver: z.boolean().optional(),
		})
		.optional(),
	/**
	 * The end of the list where new responses appear. Undefined if the list is unsorted or has fewer than three
	 * pages.
	 */
	newestPages: z.object({ next, at: z.enum(['firstPage', 'lastPage']) }).optional(),
	/** When the form last delivered a response. */
	deliveredAtMs: z.number().optional(),
	/** The time of the last pruning, and the full passes since then, see `pruneSeenResponses`. */
	pruning: passesSince.optional(),
	/** Fingerprints of the form's attributes; undefined unless Form Updated is chosen. */
	attributes: z.record(z.string(), z.string()).optional(),
	/** When the form disappeared from the list of all forms or was no longer watched, and the passes without it. */
	absence: passesSince.optional(),
});

/** The state of one form. A poll that changes nothing of a form keeps its object, see `rememberState`. */
export type FormState = Readonly<Omit<z.infer<typeof formSchema>, 'id'>>;

/** The state of a form that was created while the trigger runs: no response is seen, and none is existing. */
export const NEW_FORM: FormState = { seen: '' };

/** The states of forms by their IDs. */
export type FormStates = ReadonlyMap<string, FormState>;

/** The state of a trigger, which n8n keeps in its static data. */
export type TriggerState = Readonly<{
	/** The service that the state belongs to, see `computeServiceId`. */
	service: string;
	/** The number of the state: the time of the poll that wrote it, or 1 more than before if that is higher. */
	revision: number;
	/** The time when the list of all forms was first read, in the service's time. */
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
 * Returns the states after changes of the parameters: forms that are not watched any more are absent,
 * and attributes are kept only for Form Updated.
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
	// forms that exist when all forms are chosen again are not new
	return { forms, listedSinceMs: isAll ? state.listedSinceMs : undefined };
}

/**
 * Returns the states without forms that have been absent for 30 days and 30 passes. If a form comes back earlier,
 * the trigger continues where it was.
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
			const counted = addPass(absence, nowMs);
			updated.set(id, counted === absence ? form : { ...form, absence: counted });
		}
	}
	return updated;
}

/** How long a missing response or form, or a deleted trigger, is remembered. */
export const RETENTION_MS = 30 * DAY_MS;

/**
 * A response or form is forgotten only after this many passes without it, because a list can be empty for a while.
 */
const RETENTION_PASSES = 30;

export type PassesSince = Readonly<z.infer<typeof passesSince>>;

/** Returns the time and the passes after one more pass. Returns the same object after 30 passes. */
export function addPass(since: PassesSince | undefined, nowMs: number): PassesSince {
	if (since === undefined) return { atMs: nowMs, passes: 1 };
	const { atMs, passes } = since;
	return passes < RETENTION_PASSES ? { atMs, passes: passes + 1 } : since;
}

/** Whether 30 days and 30 passes are over. */
export function isRetentionOver(since: PassesSince | undefined, nowMs: number): boolean {
	if (since === undefined) return false;
	return since.passes >= RETENTION_PASSES && nowMs - since.atMs >= RETENTION_MS;
}
