import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { isRecord } from '../api/records';
import { decode, encode } from './knownResponses';
import type { EncodedResponses, KnownResponses } from './knownResponses';

/** What is known of one form. */
export type FormState = {
	/**
	 * Undefined when the trigger knows that there is such a form and has yet to begin with it: its
	 * first poll takes all responses that are there for known.
	 */
	known?: KnownResponses;
	/** The day, counted from 1970, since which the list of all forms has been without it. */
	missingSince?: number;
};

/** What a trigger knows. */
export type State = {
	/** The service that it belongs to, see `shortNameOf`; the token is no part of it. */
	service: string;
	/** When the list of all forms was first read, in epoch milliseconds; for a trigger on all forms. */
	listedSince?: number;
	/** By ID. */
	forms: ReadonlyMap<string, FormState>;
	/** Counts changes, so that a state is never taken for an earlier one with the same content. */
	revision: number;
};

/** What is in n8n's static data: a state, nothing yet, or something that cannot be trusted. */
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
	revision: nonNegative,
	forms: z.array(
		z.object({
			id: z.string(),
			missingSince: nonNegative.optional(),
			known: z.object({ from: nonNegative, responses: z.string(), waiting: z.string() }).optional(),
		}),
	),
	/** A wrong bit would make a delivered response fire again. */
	checksum: z.string(),
});

type Saved = z.infer<typeof schema>;

/** Encoding takes time, and most forms stay as they are. */
const encoded = new WeakMap<KnownResponses, EncodedResponses>();

function encodedOnce(known: KnownResponses): EncodedResponses {
	const before = encoded.get(known);
	if (before !== undefined) return before;
	const now = encode(known);
	encoded.set(known, now);
	return now;
}

/** The state as n8n keeps it: JSON. Equal states give equal objects. */
export function toSaved({ service, listedSince, revision, forms }: State): IDataObject {
	const content = {
		version: VERSION as typeof VERSION,
		service,
		...(listedSince !== undefined && { listedSince }),
		revision,
		forms: [...forms].map(([id, { known, missingSince }]) => ({
			id,
			...(missingSince !== undefined && { missingSince }),
			...(known !== undefined && { known: encodedOnce(known) }),
		})),
	};
	return { ...content, checksum: checksumOf(content) };
}

/** Reads what n8n kept. Throws nothing. */
export function fromSaved(saved: unknown): Restored {
	if (saved === undefined || saved === null) return { kind: 'none' };
	const parsed = schema.safeParse(saved);
	if (!parsed.success) return { kind: 'damaged', reason: reasonOf(saved) };
	const { checksum, ...content } = parsed.data;
	if (checksum !== checksumOf(content)) {
		return { kind: 'damaged', reason: 'its checksum does not fit its content' };
	}
	try {
		return { kind: 'state', state: stateOf(content) };
	} catch {
		return { kind: 'damaged', reason: 'its content cannot be read' };
	}
}

function stateOf({ service, listedSince, revision, forms }: Omit<Saved, 'checksum'>): State {
	const entries = forms.map(({ id, missingSince, known }): [string, FormState] => {
		if (known === undefined) return [id, { missingSince }];
		const responses = decode(known);
		encoded.set(responses, known);
		return [id, { known: responses, missingSince }];
	});
	return { service, listedSince, revision, forms: new Map(entries) };
}

/** What tells saved states apart. */
const identity = z.object({ checksum: z.string(), revision: z.number() });

/** The same for the same state, wherever it has been; some databases reorder the keys of an object. */
export function digestOf(saved: unknown): string {
	if (saved === undefined || saved === null) return '';
	const known = identity.safeParse(saved);
	if (known.success) return `${known.data.revision} ${known.data.checksum}`;
	const keys = isRecord(saved) ? Object.keys(saved).sort() : undefined;
	return createHash('sha256').update(JSON.stringify(saved, keys)).digest('base64');
}

function checksumOf({ version, service, listedSince, revision, forms }: Omit<Saved, 'checksum'>) {
	const hash = createHash('sha256');
	hash.update(JSON.stringify([version, service, listedSince ?? null, revision]));
	for (const { id, missingSince, known } of forms) {
		hash.update(JSON.stringify([id, missingSince ?? null, known?.from ?? null]));
		hash.update(`${known?.responses ?? ''} ${known?.waiting ?? ''}`);
	}
	return hash.digest('hex').slice(0, 16);
}

function reasonOf(saved: unknown): string {
	const version = z.object({ version: z.number() }).safeParse(saved);
	return version.success && version.data.version > VERSION
		? `it is of version ${version.data.version}, which a newer version of this node wrote`
		: 'it does not have the form of one';
}
