import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	createAccount,
	normalizeBaseUrl,
	findTokenProblem,
} from '../../../nodes/FormService/api/account.ts';

describe('the base URL', () => {
	it.each([
		'https://forms.example.com',
		'https://forms.example.com/',
		'https://forms.example.com/api/v1',
		'https://forms.example.com/api/v1/',
		'  https://FORMS.example.com/api/v1//  ',
		'https://forms.example.com:443',
	])('means the same as %s', (entered) => {
		expect(normalizeBaseUrl(entered)).toBe('https://forms.example.com/api/v1');
	});

	it('keeps a port and a path before /api/v1', () => {
		expect(normalizeBaseUrl('http://127.0.0.1:4010/forms/')).toBe(
			'http://127.0.0.1:4010/forms/api/v1',
		);
	});

	it('is the same after it was normalized once more', () => {
		fc.assert(
			fc.property(fc.webUrl(), (url) => {
				const once = normalizeBaseUrl(url);
				expect(normalizeBaseUrl(once)).toBe(once);
			}),
		);
	});
});

describe('the access token', () => {
	it('never appears in what is wrong with it', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 12 }), (secret) => {
				expect(findTokenProblem(`${secret}\n`)).not.toContain(secret);
			}),
		);
	});

	it('may hold every visible ASCII character', () => {
		expect(findTokenProblem('1|aB3-._~+/=')).toBeUndefined();
	});
});

describe('the key of an account', () => {
	const key = (accessToken: string, baseUrl: string) => createAccount({ accessToken, baseUrl }).key;

	it('is the same however the base URL is written', () => {
		expect(key('t', 'https://a.example/')).toBe(key('t', 'https://a.example/api/v1'));
	});

	it('differs by token and by service, and shows neither', () => {
		expect(key('secret-token', 'https://a.example')).not.toBe(
			key('other-token', 'https://a.example'),
		);
		expect(key('secret-token', 'https://a.example')).not.toBe(
			key('secret-token', 'https://b.example'),
		);
		expect(key('secret-token', 'https://a.example')).toMatch(/^[0-9a-f]{64}$/);
	});
});
