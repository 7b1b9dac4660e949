import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { computeFingerprint, describeKnown, FINGERPRINT_LENGTH } from './knowledge';
import type { Absence, FormState, Knowledge, Known, KnownResponse } from './knowledge';

/** How n8n's static data has a state: JSON in which each response has 16 characters, 26 with its answers. */

/** Knowledge at one point of a trigger's life. */
export type State = Knowledge & {
	/** Counts up with each state. */
	readonly count: number;
	/** At random: two processes can count to the same number. */
	readonly mark: string;
};

const VERSION = 3;

const nonNegative = z.number().int().nonnegative();

const position = z.object({
	url: z.string(),
	pagesBefore: nonNegative,
	recordsBefore: nonNegative,
});

const schema = z.object({
	version: z.literal(VERSION),
	service: z.string(),
	count: nonNegative,
	mark: z.string(),
	listedSinceMs: z.number().optional(),
	isListed: z.boolean().optional(),
	isRepairing: z.boolean().optional(),
	check: z.string().optional(),
	forms: z.array(
		z.object({
			id: z.string(),
			known: z.string().optional(),
			/** Fingerprints of the answers of the same responses, in the same order. */
			answers: z.string().optional(),
			baseline: z
				.object({
					sinceMs: z.number(),
					emitSinceMs: z.number().optional(),
					newestMs: z.number().optional(),
					isRead: z.boolean().optional(),
				})
				.optional(),
			absence: z.object({ lastDay: nonNegative, days: nonNegative }).optional(),
			attributes: z
				.string()
				.regex(/^[3-7]/)
				.optional(),
			isPaused: z.boolean().optional(),
			position: z
				.object({
					newestEnd: z
						.object({ newest: z.enum(['first', 'last']), start: position.optional() })
						.optional(),
					next: position.optional(),
				})
				.optional(),
		}),
	),
});

/**
 * The version before: its fingerprints are those of another hash, so the responses that it knows are
 * recognized by the time at which it was saved.
 */
const schemaOfVersion2 = z.object({
	version: z.literal(2),
	service: z.string(),
	listedSince: nonNegative.optional(),
	savedAt: nonNegative,
	forms: z.array(z.object({ id: z.string(), since: nonNegative.optional() })),
});

/** The state as JSON. */
export function encodeState({ forms, ...rest }: State): IDataObject {
	const encoded = [...forms].map(([id, { known, ...form }]) => {
		return { id, ...form, ...(known && encodeKnown(known)) };
	});
	const check = computeCheck(rest.service, encoded);
	return { version: VERSION, ...rest, check, forms: encoded };
}

/**
 * Reads what `encodeState` wrote, or an older version of it.
 *
 * @param identify names the service of an older version
 * @returns undefined if it is neither
 */
export function decodeState(saved: unknown, service: string): State | undefined {
	const older = schemaOfVersion2.safeParse(saved).data;
	if (older !== undefined) return convertVersion2(older, service);
	const parsed = schema.safeParse(saved).data;
	if (parsed === undefined) return undefined;
	const { forms, check, ...rest } = omit(parsed, 'version');
	const computed = computeCheck(rest.service, (saved as { forms: EncodedForm[] }).forms);
	if (check !== undefined && check !== computed) return undefined;
	const decoded = new Map<string, FormState>();
	for (const { id, known: text, answers, ...form } of forms) {
		const known = text === undefined ? undefined : decodeKnown(text, answers);
		if (text !== undefined && known === undefined) return undefined;
		decoded.set(id, { ...form, known });
	}
	return { ...rest, forms: decoded };
}

type EncodedForm = { id: string; known?: string };

/** Shows that the service, a form, or a part of what is known of it, has been lost. */
function computeCheck(service: string, forms: readonly EncodedForm[]): string {
	const parts = forms.map(({ id, known = '-' }) => `${id} ${known}`);
	return computeFingerprint([service, ...parts].join());
}

function convertVersion2(
	{ savedAt, listedSince, forms }: z.infer<typeof schemaOfVersion2>,
	service: string,
): State {
	const begun = forms.map(({ id, since }): [string, FormState] => [
		id,
		{ baseline: { sinceMs: since ?? savedAt } },
	]);
	const listed = { listedSinceMs: listedSince, isListed: listedSince !== undefined };
	return { service, count: 0, mark: 'version 2', ...listed, forms: new Map(begun) };
}

/** Characters of a response: its fingerprint, a letter for its kind, and a number in base 36. */
const ENTRY_LENGTH = 16;
const ENTRY = /^([\w-]{10})([ciwa])([\da-z]{5})$/i;

const ANSWERS = /^([\w-]{10})?(?: {10})?$/;
const NO_ANSWERS = ' '.repeat(FINGERPRINT_LENGTH);

/** The first letter of each kind; a capital letter for a response that is missing. */
const KINDS = { c: 'complete', i: 'incomplete', w: 'waiting', a: 'abandoned' } as const;

/** An absence as one number: `REMEMBERED_DAYS` is less than this. */
const DAYS_IN_NUMBER = 32;

function encodeKnown(known: Known): { known: string; answers?: string } {
	let text = '';
	let allAnswers = '';
	for (const [fingerprint, { kind, sinceMinute, absence, answers = NO_ANSWERS }] of known) {
		const letter = absence ? kind[0].toUpperCase() : kind[0];
		const number = absence ? absence.lastDay * DAYS_IN_NUMBER + absence.days : sinceMinute;
		text += fingerprint + letter + number.toString(36).padStart(5, '0');
		allAnswers += answers;
	}
	return { known: text, answers: allAnswers.trim() === '' ? undefined : allAnswers };
}

/** Undefined if the texts are not what `encodeKnown` writes. */
function decodeKnown(text: string, allAnswers = ''): Known | undefined {
	const known = new Map<string, KnownResponse>();
	for (let start = 0; start < text.length; start += ENTRY_LENGTH) {
		const entry = ENTRY.exec(text.slice(start, start + ENTRY_LENGTH));
		const place = known.size * FINGERPRINT_LENGTH;
		const answers = ANSWERS.exec(allAnswers.slice(place, place + FINGERPRINT_LENGTH));
		if (entry === null || answers === null) return undefined;
		const [, fingerprint, letter, digits] = entry;
		const kind = KINDS[letter.toLowerCase() as keyof typeof KINDS];
		const number = parseInt(digits, 36);
		const absence = letter < 'a' ? readAbsence(number) : undefined;
		known.set(fingerprint, describeKnown(kind, absence ? 0 : number, absence, answers[1]));
	}
	return known;
}

function readAbsence(number: number): Absence {
	return { lastDay: Math.floor(number / DAYS_IN_NUMBER), days: number % DAYS_IN_NUMBER };
}
