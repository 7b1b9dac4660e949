import { createHash } from 'crypto';

/** Bits of a fingerprint: two of a million responses share one with a chance of 1 to 37 million. */
export const FINGERPRINT_BITS = 64;

/**
 * The first 64 bits of the SHA-256 of a text, as an unsigned number: a response in the trigger's
 * memory, whatever its identity looks like.
 */
export function fingerprint(text: string): bigint {
	return createHash('sha256').update(text).digest().readBigUInt64BE();
}
