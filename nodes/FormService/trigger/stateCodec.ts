import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { KnownResponses, status } from './knownResponses';

/** What is known of one form. */
export type FormState = {
	/** Undefined until the first reading of the form. */
	known?: KnownResponses;
	/**
	 * On the form's first reading, responses that were created then or later are new. Epoch milliseconds of the
	 * service; undefined if all responses of that reading are known.
	 */
	since?: number;
	/** The day, counted from 1970, since which the list of all forms has been without it. */
	missingSince?: number;
};

/** What a trigger knows. */
export type State = {
	/** The base URL as a short name, see `shortNameOf`; the token is not part of it. */
	service: string;
	/**
	 * When the list of all forms was first read, in epoch milliseconds of the service; for a trigger on
	 * all forms.
	 */
	listedSince?: number;
	/** By ID. */
	forms: ReadonlyMap<string, FormState>;
	/** When it was saved, in epoch milliseconds, and always later than the state before it. */
	savedAt: number;
};

/** What n8n's static data contains: a state, nothing yet, or something that cannot be trusted. */
export type Restored =
	| { kind: 'state'; state: State }
	| { kind: 'none' }
	| { kind: 'damaged'; reason: string };

const VERSION = 1;

const nonNegative = z.number().int().nonnegative();

const schema = z.object({
	version: z.literal(VERSION),
	service: z.string(),
	listedSince: nonNegative.optional(),
	savedAt: nonNegative,
	forms: z.array(
		z.object({
			id: z.string(),
			since: nonNegative.optional(),
			missingSince: nonNegative.optional(),
			known: z.object({ from: nonNegative, responses: z.string(), waiting: z.string() }).optional(),
		}),
	),
	/** A wrong bit would deliver a response again. */
	checksum: z.string(),
});

type Saved = z.infer<typeof schema>;

/** The state as JSON, as n8n keeps it. */
export function toSaved({ service, listedSince, savedAt, forms }: State): IDataObject {
	const content = {
		version: VERSION as typeof VERSION,
		service,
		listedSince,
		savedAt,
		forms: [...forms].map(([id, { known, since, missingSince }]) => {
			return { id, since, missingSince, known: known && encode(known) };
		}),
	};
	return { ...content, checksum: checksumOf(content) };
}

/** Reads a saved state. Throws nothing. */
export function fromSaved(saved: unknown): Restored {
	if (saved === undefined || saved === null) return { kind: 'none' };
	const parsed = schema.safeParse(saved);
	if (!parsed.success) return { kind: 'damaged', reason: reasonOf(saved) };
	const { checksum, ...content } = parsed.data;
	if (checksum !== checksumOf(content)) {
		return { kind: 'damaged', reason: 'its checksum does not match its content' };
	}
	const { service, listedSince, savedAt } = content;
	const forms = content.forms.map(({ id, known, ...rest }): [string, FormState] => {
		return [id, { ...rest, known: known && decode(known) }];
	});
	return { kind: 'state', state: { service, listedSince, savedAt, forms: new Map(forms) } };
}

const stamp = z.object({ savedAt: nonNegative, checksum: z.string() });

/** Identifies a saved state: its time and checksum, or undefined if it has none. It may be damaged. */
export function stampOf(saved: unknown): { savedAt: number; checksum: string } | undefined {
	return stamp.safeParse(saved).data;
}

function checksumOf({ version, service, listedSince, savedAt, forms }: Omit<Saved, 'checksum'>) {
	const hash = createHash('sha256');
	hash.update(JSON.stringify([version, service, listedSince ?? null, savedAt]));
	for (const { id, since, missingSince, known } of forms) {
		hash.update(JSON.stringify([id, since ?? null, missingSince ?? null, known?.from ?? null]));
		hash.update(`${known?.responses ?? ''} ${known?.waiting ?? ''}`);
	}
	return hash.digest('hex').slice(0, 16);
}

function reasonOf(saved: unknown): string {
	const version = z.object({ version: z.number() }).safeParse(saved);
	return version.success && version.data.version > VERSION
		? `a newer version of this node wrote it (${version.data.version})`
		: 'it is not a saved state';
}

/**
 * As JSON. Each response takes nine bytes, which are twelve characters in base64: the fingerprint, two
 * bits of status, and six bits that are 0 for a listed response or else count the days from `from` on,
 * starting at 1. `waiting` has three more bytes for each response that waits.
 */
type EncodedResponses = { from: number; responses: string; waiting: string };

const RECORD_BYTES = 9;
const WAITING_BYTES = 3;

/** The range of six bits: more than twice as many days as are remembered. */
const DAYS = 63;

function encode(known: KnownResponses): EncodedResponses {
	const { size, fingerprints, statuses, missingSince, waitingSince } = known;
	const from = Math.max(0, missingSince.reduce((last, day) => Math.max(last, day), 0) - DAYS + 1);
	const records = Buffer.alloc(size * RECORD_BYTES);
	const waiting: number[] = [];
	for (let index = 0, at = 0; index < size; index++, at += RECORD_BYTES) {
		records.writeUInt32BE(fingerprints[2 * index], at);
		records.writeUInt32BE(fingerprints[2 * index + 1], at + 4);
		// after months of cut listings, a day before the range becomes its first: remembered for longer
		const day = missingSince[index] === 0 ? 0 : Math.max(missingSince[index] - from, 0) + 1;
		records[at + 8] = statuses[index] + 4 * day;
		if (statuses[index] === status.waiting) waiting.push(waitingSince[index]);
	}
	const minutes = Buffer.alloc(waiting.length * WAITING_BYTES);
	waiting.forEach((since, index) => minutes.writeUIntBE(since, index * 3, WAITING_BYTES));
	return { from, responses: records.toString('base64'), waiting: minutes.toString('base64') };
}

function decode({ from, responses, waiting }: EncodedResponses): KnownResponses {
	const records = Buffer.from(responses, 'base64');
	const minutes = Buffer.from(waiting, 'base64');
	const known = new KnownResponses(records.length / RECORD_BYTES);
	let waits = 0;
	for (let index = 0, at = 0; index < known.size; index++, at += RECORD_BYTES) {
		known.fingerprints[2 * index] = records.readUInt32BE(at);
		known.fingerprints[2 * index + 1] = records.readUInt32BE(at + 4);
		known.statuses[index] = records[at + 8] % 4;
		const day = Math.floor(records[at + 8] / 4);
		if (day > 0) known.missingSince[index] = from + day - 1;
		if (known.statuses[index] === status.waiting) {
			known.waitingSince[index] = minutes.readUIntBE(waits++ * WAITING_BYTES, WAITING_BYTES);
		}
	}
	return known;
}
