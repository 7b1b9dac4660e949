import { escapeRegExp } from 'lodash';

/*
 * Finds the access token in text from the service. The service can repeat the token in another encoding. For
 * example, URL encoding encodes each character, and base64 encodes the whole token.
 */

/**
 * The encodings of a single character. Each function returns a pattern for one encoding of the character. The
 * pattern of the unchanged character comes last, because "&" would also match the start of "&#38;". A character
 * can be encoded several times in a row. Each pattern limits the number of times, because an unlimited pattern
 * can be very slow.
 */
const CHARACTER_ENCODINGS: ReadonlyArray<(character: string, code: number) => string> = [
	// in a URL, even encoded several times: "%2F" and "%252F"
	(_, code) => `%(?:25){0,4}${toHex(code, 2)}`,
	// in JSON and JavaScript: "\u002f" and "\x2f"
	(_, code) => `\\\\{1,4}[ux](?:00)?${toHex(code, 2)}`,
	// in HTML, even encoded several times: "&#47;", "&#x2F;" and "&amp;#47;"
	(_, code) => `&(?:amp;){0,4}#(?:0{0,4}${code}|x0{0,4}${toHex(code, 1)});`,
	// unchanged, or after the backslashes of JSON and PHP: "/" and "\/"
	(character) => `\\\\{0,4}${escapeRegExp(character)}`,
];

/** The names of characters in HTML, such as `amp` in "&amp;". */
const HTML_NAMES: Readonly<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

function toHex(code: number, length: number): string {
	return code.toString(16).padStart(length, '0');
}

/** Returns a pattern that matches a character, unchanged or in any encoding. */
function toCharacterPattern(character: string): string {
	const code = character.charCodeAt(0);
	const name = HTML_NAMES[character];
	const patterns = [
		...(name === undefined ? [] : [`&(?:amp;){0,4}${name};`]),
		...CHARACTER_ENCODINGS.map((encode) => encode(character, code)),
		// a server that decodes a form reads a plus as a blank
		...(character === '+' ? [' '] : []),
	];
	return `(?:${patterns.join('|')})`;
}

/** Matches a base64 character that encodes a part of the token together with a part of the surrounding text. */
const SHARED_CHARACTER = '[\\w+/-]?';

/**
 * Returns a pattern that matches a token in base64, after `offset` bytes of other text. In base64, three bytes
 * become four characters, so the encoded token depends on the number of bytes before the token.
 */
function toBase64Pattern(token: string, offset: number): string {
	const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(token)]);
	// leave out the characters that also depend on the surrounding text
	const partStart = Math.ceil((offset * 8) / 6);
	const partEnd = Math.floor((bytes.length * 8) / 6);
	const tokenPart = bytes.toString('base64').slice(partStart, partEnd);
	const pattern = tokenPart.replace(/[+/]/g, (character) => {
		// base64url writes "-" for "+" and "_" for "/"
		return `(?:${toCharacterPattern(character)}|${character === '+' ? '-' : '_'})`;
	});
	const before = offset > 0 ? SHARED_CHARACTER : '';
	const after = bytes.length % 3 > 0 ? `${SHARED_CHARACTER}(?:=|%3D){0,2}` : '';
	return before + pattern + after;
}

/**
 * The minimum length of a token that is also searched for in hex and base64. A shorter token in hex or base64
 * can be a part of another word.
 */
const MIN_LENGTH = 4;

/** Creates a pattern that matches an access token in any case and encoding. */
export function createTokenPattern(token: string): RegExp {
	const codes = [
		Buffer.from(token).toString('hex'),
		...[0, 1, 2].map((offset) => toBase64Pattern(token, offset)),
	];
	const plain = [...token].map(toCharacterPattern).join('');
	const patterns = token.length < MIN_LENGTH ? [plain] : [plain, ...codes];
	return new RegExp(patterns.join('|'), 'gi');
}
