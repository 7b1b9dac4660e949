import { randomBytes, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A form's id: six characters of mixed case and digits. */
export function newFormId(): string {
	return Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A name in an address that nobody can guess: 192 bits. */
export function newUnguessableName(): string {
	return randomBytes(24).toString('base64url');
}
