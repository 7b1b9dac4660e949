import { hash } from 'crypto';

/** A short hash of a text: `"aB3dE6gH9k"` for the UUID of a response. */
export type Fingerprint = string;

/** Characters of a fingerprint, of 6 bits each. */
export const FINGERPRINT_LENGTH = 10;

/**
 * Computes a fingerprint: 60 bits of a hash. Two of n texts share a fingerprint with a probability of
 * n² / 2^61: one in 230 million for 100,000 texts.
 */
export function computeFingerprint(text: string): Fingerprint {
	return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}
