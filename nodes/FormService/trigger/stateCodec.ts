import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { decode, encode } from './knownResponses';
import type { EncodedResponses, KnownResponses } from './knownResponses';

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

/** Encoding takes time, and most forms do not change. */
const encoded = new WeakMap<KnownResponses, EncodedResponses>();

function encodedOnce(known: KnownResponses): EncodedResponses {
	const before = encoded.get(known);
	if (before !== undefined) return before;
	const now = encode(known);
	encoded.set(known, now);
	return now;
}

/** The state as JSON, as n8n keeps it. */
export function toSaved({ service, listedSince, savedAt, forms }: State): IDataObject {
	const content = {
		version: VERSION as typeof VERSION,
		service,
		...(listedSince !== undefined && { listedSince }),
		savedAt,
		forms: [...forms].map(([id, { known, since, missingSince }]) => ({
			id,
			...(since !== undefined && { since }),
			...(missingSince !== undefined && { missingSince }),
			...(known !== undefined && { known: encodedOnce(known) }),
		})),
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
	try {
		return { kind: 'state', state: stateOf(content) };
	} catch {
		return { kind: 'damaged', reason: 'its content cannot be read' };
	}
}

function stateOf({ service, listedSince, savedAt, forms }: Omit<Saved, 'checksum'>): State {
	const entries = forms.map(({ id, known, ...rest }): [string, FormState] => {
		if (known === undefined) return [id, rest];
		const responses = decode(known);
		encoded.set(responses, known);
		return [id, { ...rest, known: responses }];
	});
	return { service, listedSince, savedAt, forms: new Map(entries) };
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
