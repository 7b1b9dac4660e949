import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';
import { fingerprint } from './fingerprint';
import { pack, unpack } from './packing';
import type { Seen } from './seen';

/** What the trigger knows, and the base URL and form that it belongs to (see `sourceOf`). */
export type State = {
	source: string;
	seen: Seen;
	/** Counts changes, so that a state is never taken for an earlier one with the same content. */
	revision: number;
};

/** What is in n8n's static data: a state, nothing yet, or something that cannot be trusted. */
export type Restored =
	| { kind: 'state'; state: State }
	| { kind: 'none' }
	| { kind: 'damaged'; reason: string };

/** A name of fixed length for one form of one service. The token is no part of it. */
export function sourceOf(baseUrl: string, formId: string): string {
	return fingerprint(`${baseUrl}\n${formId}`).toString(16).padStart(16, '0');
}

/** Version 1: packed, with a checksum, since a wrong bit would make a delivered response fire again. */
const version1 = z.object({
	version: z.literal(1),
	source: z.string(),
	revision: z.number().int().nonnegative(),
	count: z.number().int().nonnegative(),
	since: z.number().int().nonnegative(),
	responses: z.string(),
	checksum: z.string(),
});

/** Version 0, of builds before the first release: the identities themselves. */
const version0 = z.object({
	version: z.literal(0),
	source: z.string(),
	delivered: z.array(z.string()),
	incomplete: z.array(z.string()),
});

/** The state as n8n keeps it. Equal states give equal objects. */
export function save({ source, revision, seen }: State): IDataObject {
	return sealed({ version: 1, source, revision, ...pack(seen) });
}

/**
 * The state as n8n keeps it, with the revision of what it had before if it says the same, or else
 * with the next.
 */
export function saveAfter(before: unknown, { source, seen }: Omit<State, 'revision'>): IDataObject {
	const { data: { revision } = { revision: 0 } } = revised.safeParse(before);
	const content = { version: 1 as const, source, ...pack(seen) };
	const same = sealed({ ...content, revision });
	return isEqual(same, before) ? same : sealed({ ...content, revision: revision + 1 });
}

const revised = z.object({ revision: z.number().int().nonnegative() });

function isEqual(saved: IDataObject, before: unknown): boolean {
	const parsed = version1.safeParse(before);
	return parsed.success && parsed.data.checksum === saved.checksum;
}

/** Reads what n8n kept, of this version or of an older one. Throws nothing. */
export function restore(saved: unknown): Restored {
	if (saved === undefined || saved === null) return { kind: 'none' };
	const old = version0.safeParse(saved);
	if (old.success) return { kind: 'state', state: migrated(old.data) };
	const current = version1.safeParse(saved);
	if (!current.success) return { kind: 'damaged', reason: reasonOf(saved) };
	const { checksum, ...content } = current.data;
	if (checksum !== checksumOf(content)) {
		return { kind: 'damaged', reason: 'its checksum does not fit its content' };
	}
	try {
		const { source, revision } = content;
		return { kind: 'state', state: { source, revision, seen: unpack(content) } };
	} catch {
		return { kind: 'damaged', reason: 'its content does not unpack' };
	}
}

function migrated({ source, delivered, incomplete }: z.infer<typeof version0>): State {
	const seen = new Map(incomplete.map((id) => [fingerprint(id), { incomplete: true }]));
	for (const id of delivered) seen.set(fingerprint(id), { incomplete: false });
	return { source, revision: 0, seen };
}

function sealed(content: Omit<z.infer<typeof version1>, 'checksum'>): IDataObject {
	return { ...content, checksum: checksumOf(content) };
}

function checksumOf(content: Omit<z.infer<typeof version1>, 'checksum'>): string {
	const { version, source, revision, count, since, responses } = content;
	const text = [version, source, revision, count, since, responses].join('\n');
	return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function reasonOf(saved: unknown): string {
	const version = z.object({ version: z.number() }).safeParse(saved);
	return version.success && version.data.version > 1
		? `it is of version ${version.data.version}, which a newer version of this node wrote`
		: 'it does not have the form of one';
}
