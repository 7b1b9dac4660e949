import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';

const redactWith = (accessToken: string) =>
	createAccount({ accessToken, baseUrl: 'https://a.example' }).redact;

type Encode = (text: string) => string;

const each =
	(encode: (code: number) => string): Encode =>
	(text) =>
		[...text].map((character) => encode(character.charCodeAt(0))).join('');
const hexOf = (code: number) => code.toString(16).padStart(2, '0');

const toJson: Encode = (text) => JSON.stringify(text).slice(1, -1);
const toUrl = encodeURIComponent;
const toForm: Encode = (text) => new URLSearchParams({ text }).toString().slice('text='.length);
const toHtml: Encode = (text) =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&#039;');
const toBase64: Encode = (text) => Buffer.from(text).toString('base64');

/** The encodings in which a service can repeat a token. */
const encodings: Record<string, Encode> = {
	plain: (text) => text,
	uppercase: (text) => text.toUpperCase(),
	JSON: toJson,
	'JSON in JSON': (text) => toJson(toJson(text)),
	"PHP's JSON": (text) => toJson(text).replaceAll('/', '\\/'),
	'JSON without special characters': each((code) => `\\u00${hexOf(code)}`),
	'JavaScript without special characters': each((code) => `\\x${hexOf(code)}`),
	'a URL': toUrl,
	'a URL in lowercase': (text) => toUrl(text).replace(/%../g, (part) => part.toLowerCase()),
	'a URL in a URL': (text) => toUrl(toUrl(text)),
	'a URL in a URL in a URL': (text) => toUrl(toUrl(toUrl(text))),
	'a URL that encodes all characters': each((code) => `%${hexOf(code)}`),
	'a form': toForm,
	'a form that was decoded': (text) => text.replaceAll('+', ' '),
	HTML: toHtml,
	'HTML in HTML': (text) => toHtml(toHtml(text)),
	'HTML with numbers': each((code) => `&#${code};`),
	'HTML with hex numbers': each((code) => `&#x${hexOf(code)};`),
	hex: (text) => Buffer.from(text).toString('hex'),
	'hex in uppercase': (text) => Buffer.from(text).toString('hex').toUpperCase(),
	base64: toBase64,
	'base64 in a URL': (text) => toUrl(toBase64(text)),
	base64url: (text) => Buffer.from(text).toString('base64url'),
};

const anyToken = fc
	.array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 4, maxLength: 80 })
	.map((codes) => String.fromCharCode(...codes));

describe('a text of the service never has the token', () => {
	it.each(Object.entries(encodings))('in the encoding %s', (_, encode) => {
		const property = fc.property(anyToken, (token) => {
			const redacted = redactWith(token)(`<${encode(token)}>`);
			expect(redacted.replace('[access token]', '')).toBe('<>');
		});
		fc.assert(property, { numRuns: 300 });
	});

	it('in base64 together with the text around the token', () => {
		const around = fc.string({ maxLength: 5 });
		const property = fc.property(around, anyToken, around, (before, token, after) => {
			for (const encoding of ['base64', 'base64url'] as const) {
				const encoded = Buffer.from(before + token + after).toString(encoding);
				const rest = redactWith(token)(encoded).split('[access token]');
				expect(rest).toHaveLength(2);
				const decoded = rest.map((part) => Buffer.from(part, encoding).toString('latin1'));
				expect(Buffer.byteLength(before)).toBeGreaterThanOrEqual(decoded[0].length);
			}
		});
		fc.assert(property, { numRuns: 300 });
	});

	it('while all other texts stay unchanged', () => {
		const text = 'Token 61, &amp; 100% of a/b in YWJj, "\\u0061" (deadbeef) +';
		expect(redactWith('1|aB3dE6gH9k')(text)).toBe(text);
		expect(redactWith('q')(text)).toBe(text);
	});

	it('and a long text is searched fast', () => {
		const redact = redactWith('%&\\+/0'.repeat(100));
		const started = performance.now();
		for (const part of ['%25', '&amp;', '\\', '0', '%&\\+/0', 'JSYrLzAl', ' ']) {
			redact(part.repeat(100_000));
		}
		expect(performance.now() - started).toBeLessThan(2_000);
	});
});
