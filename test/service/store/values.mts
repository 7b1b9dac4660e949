import { randomBytes } from 'node:crypto';

/** A name in an address that nobody can guess: 192 bits. */
export function newUnguessableName(): string {
	return randomBytes(24).toString('base64url');
}

/**
 * A timestamp as the service writes it: ISO 8601 UTC with microseconds and a trailing Z (section 2.1). Whole
 * seconds, as such databases keep them, so that many records share one. `epoch` in milliseconds.
 */
export function timestamp(epoch: number): string {
	return new Date(epoch).toISOString().replace(/\.\d+Z$/, '.000000Z');
}
