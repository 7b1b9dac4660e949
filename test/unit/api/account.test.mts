import fc from 'fast-check';
import { escape } from 'lodash';
import { describe, expect, it } from 'vitest';
import { createAccount, normalizeBaseUrl } from '../../../nodes/FormService/api/account.ts';

describe('the base URL', () => {
	it.each([
		'  https://FORMS.example.com/api/v1//  ',
		'forms.example.com',
		'forms.example.com/api/',
	])('means the same as %s', (entered) => {
		expect(normalizeBaseUrl(entered)).toBe('https://forms.example.com/api/v1');
	});

	it.each([
		...['', 'ftp://forms.example.com', 'https://a:b@forms.example.com'],
		...['https://a.example/?token=x', 'https://a.example/#x'],
	])('is not %j', (entered) => {
		expect(() => normalizeBaseUrl(entered)).toThrow("'Base URL' is not the address of a service");
	});

	it('keeps a port and a path before /api/v1', () => {
		const url = 'http://127.0.0.1:4010/forms';
		expect(normalizeBaseUrl(`${url}/`)).toBe(`${url}/api/v1`);
	});
});

describe('the access token', () => {
	const baseUrl = 'https://a.example';

	it.each(['', 'a secret', 'secret\r\nX-Injected: 1', 'sécret', 'secret\u0000'])(
		'is no %j, which never appears in what is wrong with it',
		(accessToken) => {
			const create = () => createAccount({ accessToken, baseUrl });
			expect(create).toThrow(/^(?!.*secret).*'Access Token' is empty or contains a space/);
		},
	);
});

it('the key of an account differs by token and by service, and shows neither', () => {
	const key = (accessToken: string, baseUrl: string) => createAccount({ accessToken, baseUrl }).key;
	const own = key('secret-token', 'https://a.example');
	expect(own).toMatch(/^[0-9a-f]{64}$/);
	expect(key('secret-token', 'https://a.example/api/v1/')).toBe(own);
	expect(key('other-token', 'https://a.example')).not.toBe(own);
	expect(key('secret-token', 'https://b.example')).not.toBe(own);
});

describe('a token', () => {
	const anyToken = fc
		.array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 80 })
		.map((codes) => String.fromCharCode(...codes));

	it.each<[string, (token: string) => string]>([
		['as it is', (token) => token],
		['as a URL writes it', encodeURIComponent],
		['as HTML writes it', escape],
		['as HTML of PHP writes it', (token) => escape(token).replaceAll('&#39;', '&#039;')],
		['as JSON writes it', (token) => JSON.stringify(token).slice(1, -1)],
		[
			'as JSON of PHP writes it',
			(token) => JSON.stringify(token).slice(1, -1).replaceAll('/', '\\/'),
		],
	])('never stays in a text of the service, %s', (_name, encode) => {
		const property = fc.property(anyToken, (accessToken) => {
			const { redact } = createAccount({ accessToken, baseUrl: 'https://a.example' });
			expect(redact(`« ${encode(accessToken)} »`)).toBe('« [access token] »');
		});
		fc.assert(property);
	});
});
