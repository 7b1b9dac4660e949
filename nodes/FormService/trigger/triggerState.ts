import { z } from 'zod';
import { decodeSeenResponses } from './responses/seenResponses';

/**
 * What n8n keeps of a trigger in its static data. A person who opens the static data can read it: names are
 * those of docs/glossary.md, and times are epoch milliseconds. A state never changes; a poll makes a new one.
 */

const nonNegative = z.number().nonnegative();

/** The page where a reading continues; undefined for the first page. */
const next = z
	.object({ url: z.string(), pagesBefore: nonNegative, recordsBefore: nonNegative })
	.optional();

/** Since when something is missing from its list, and in how many passes. */
const absence = z.object({ atMs: z.number(), passes: nonNegative });

export const formSchema = z.object({
	id: z.string(),
	/** The seen responses, see `encodeSeenResponses`; undefined until a page was read. */
	seen: z
		.string()
		.refine((text) => decodeSeenResponses(text) !== undefined)
		.optional(),
	/** Which responses existed before the form was watched. Without a baseline, each unseen response is new. */
	baseline: z
		.object({
			/** Responses that were created then or later are new. By the service's clock, cut to seconds. */
			sinceMs: z.number(),
			/** Existing responses that were created then or later are delivered: 0 for all, undefined for none. */
			backfillSinceMs: z.number().optional(),
			/** All pages were read once: from then on, a response without a time is new. */
			isFirstPassOver: z.boolean().optional(),
		})
		.optional(),
	/** The request debt; undefined until a request was sent. */
	debt: z.object({ atMs: z.number(), requests: nonNegative }).optional(),
	/** The full pass, which starts over at its end. */
	fullPass: z
		.object({
			next,
			/** On how many pages of the pass the times fell or rose, see `addVotes`. */
			order: z.object({ descending: nonNegative, ascending: nonNegative }).optional(),
		})
		.optional(),
	/** Where new responses appear, if the list has at least three pages and is sorted. */
	newestPages: z.object({ next, at: z.enum(['firstPage', 'lastPage']) }).optional(),
	/** When the form last delivered a response. */
	deliveredAtMs: z.number().optional(),
	/** When responses were last pruned, and in how many passes since, see `pruneSeenResponses`. */
	pruning: absence.optional(),
	/** Fingerprints of the form's attributes; undefined unless Form Updated is chosen. */
	attributes: z.record(z.string(), z.string()).optional(),
	/** Since when the form is not listed or watched any more. */
	absence: absence.optional(),
});

/** What the trigger knows of one form. */
export type FormState = Readonly<Omit<z.infer<typeof formSchema>, 'id'>>;

/** What the trigger knows. */
export type TriggerState = Readonly<{
	/** The service that the state belongs to, see `computeServiceId`. */
	service: string;
	/** The time of the poll that wrote the state. Each state has a higher one. */
	revision: number;
	/** When the list of all forms was first read, by the service's clock. */
	listedSinceMs?: number;
	/** The saved state could not be read, so existing responses start nothing in this poll. Not saved. */
	isDamaged?: boolean;
	/** By ID. */
	forms: ReadonlyMap<string, FormState>;
}>;
