import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints, targetOf } from '../../../nodes/FormService/api/endpoints.ts';
import { isId } from '../../../nodes/FormService/api/records.ts';
import { leadsToLogin, onOwnOrigin } from '../../../nodes/FormService/api/url.ts';

const BASE = 'https://forms.example.com/api/v1';
const account = { baseUrl: BASE };

describe('an id', () => {
	it.each(['AbC123', '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0', 'a', 'x'.repeat(255)])(
		'can be %s',
		(id) => {
			expect(isId(id)).toBe(true);
		},
	);
});

describe('the target of an endpoint', () => {
	it('never leads anywhere but to its own path, whatever the id', () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 40 }), (formId) => {
				const build = () => targetOf(account, endpoints.listFields, { formId }).url;
				if (isId(formId)) expect(build()).toBe(`${BASE}/forms/${formId}/fields`);
				else expect(build).toThrow('not a valid ID');
			}),
		);
	});

	it('carries a query', () => {
		expect(
			targetOf(account, endpoints.listResponses, { formId: 'AbC123' }, { incomplete: 'true' }).url,
		).toBe(`${BASE}/responses/AbC123?incomplete=true`);
	});
});

describe('a page or redirect', () => {
	const own = (target: string) => onOwnOrigin(target, `${BASE}/forms`, 'https://forms.example.com');

	it.each([
		['/api/v1/forms?page=2', `${BASE}/forms?page=2`],
		['?page=2', `${BASE}/forms?page=2`],
		[`${BASE}/forms?page=2#top`, `${BASE}/forms?page=2`],
		['http://forms.example.com/api/v1/forms?page=2', `${BASE}/forms?page=2`],
	])('is followed on the own origin: %s', (target, url) => {
		expect(own(target)).toBe(url);
	});

	it.each([
		'https://evil.example/api/v1/forms?page=2',
		'//evil.example/forms',
		'https://forms.example.com.evil.example/',
		'https://forms.example.com@evil.example/',
		'https://forms.example.com:8443/',
		'http://forms.example.com:8080/',
		'https://user:pass@forms.example.com/',
		'javascript:alert(1)',
		'http://[',
	])('is not followed elsewhere: %s', (target) => {
		expect(own(target)).toBeUndefined();
	});
});

describe('a page on which people log in', () => {
	it.each([
		'/login',
		'/Login/',
		'/en/log-in?from=file',
		'/auth/sign-in',
		'/users/sign_in',
		'/wp-login.php',
		'/login;jsessionid=1',
	])('is seen: %s', (path) => {
		expect(leadsToLogin(path)).toBe(true);
	});

	it.each([
		'/files/signing.pdf',
		'/files/login.png',
		'/files/Designing-a-form.pdf',
		'/assigning/cv.txt',
		'/forms/xLogIn/fields',
	])('is not seen in a name that only has the word in it: %s', (path) => {
		expect(leadsToLogin(path)).toBe(false);
	});
});
