import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints, createTarget } from '../../../nodes/FormService/api/endpoints.ts';
import { isId } from '../../../nodes/FormService/api/records.ts';
import { checkLink, isLoginLink } from '../../../nodes/FormService/api/url.ts';
import { cpuTimeOf } from '../cpuTime.mts';

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
				const build = () => createTarget(account, endpoints.listFields, { formId }).url;
				if (isId(formId)) expect(build()).toBe(`${BASE}/forms/${formId}/fields`);
				else expect(build).toThrow('not a valid ID');
			}),
		);
	});

	it('carries a query', () => {
		expect(
			createTarget(account, endpoints.listResponses, { formId: 'AbC123' }, { incomplete: 'true' })
				.url,
		).toBe(`${BASE}/responses/AbC123?incomplete=true`);
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
		expect(isLoginLink(path)).toBe(true);
	});

	it.each([
		'/files/signing.pdf',
		'/files/login.png',
		'/files/Designing-a-form.pdf',
		'/assigning/cv.txt',
		'/forms/xLogIn/fields',
	])('is not seen in a name that only has the word in it: %s', (path) => {
		expect(isLoginLink(path)).toBe(false);
	});
});

const PUBLIC = 'https://forms.example.com';
const LOCAL = 'http://127.0.0.1:4010';

const byte = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(byte, byte, byte, byte);

const hex = (value: number) => value.toString(16);

/** Ways to write an IPv4 address that a browser, and so Node, understands. */
const spellings: Record<string, (bytes: number[]) => string> = {
	dotted: (bytes) => bytes.join('.'),
	octal: (bytes) => bytes.map((one) => `0${one.toString(8)}`).join('.'),
	hexadecimal: (bytes) => bytes.map((one) => `0x${hex(one)}`).join('.'),
	'one number': ([a, b, c, d]) => String(((a * 256 + b) * 256 + c) * 256 + d),
	'one hexadecimal number': ([a, b, c, d]) => `0x${hex(((a * 256 + b) * 256 + c) * 256 + d)}`,
	'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
	'with a dot at the end': (bytes) => `${bytes.join('.')}.`,
	'mapped to IPv6': (bytes) => `[::ffff:${bytes.join('.')}]`,
	'mapped to IPv6 in hexadecimal': ([a, b, c, d]) =>
		`[0:0:0:0:0:ffff:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
	'compatible with IPv6': (bytes) => `[::${bytes.join('.')}]`,
	'translated to IPv6': (bytes) => `[64:ff9b::${bytes.join('.')}]`,
	'translated to IPv6 by the older form': (bytes) => `[::ffff:0:${bytes.join('.')}]`,
	'tunnelled in IPv6': ([a, b, c, d]) => `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
};

const check = (link: string, origin: string) => checkLink(link, origin, origin, 'upload');
const checkOfService = (link: string, origin: string) => checkLink(link, origin, origin, 'pdf');

const TO_ADDRESS = { reason: 'it leads to an IP address or a private host name' };

describe('a link that came with a reply', () => {
	it.each(Object.entries(spellings))(
		'never leads to an IP address written %s, but the service’s own',
		(_name, spell) => {
			fc.assert(
				fc.property(ipv4, fc.constantFrom('https', 'http'), (bytes, scheme) => {
					const link = `${scheme}://${spell(bytes)}/file.pdf`;
					for (const origin of [PUBLIC, LOCAL, 'http://10.0.0.5', 'https://169.254.169.254']) {
						if (new URL(link).origin === origin) expect(check(link, origin)).toHaveProperty('url');
						else expect(check(link, origin)).toEqual(TO_ADDRESS);
					}
				}),
				{ numRuns: 200 },
			);
		},
	);

	it.each([
		'localhost',
		'LOCALHOST.',
		'files.localhost',
		'[::1]',
		'[fc00::1]',
		'[fe80::1]',
		'[2606:4700::1111]',
		'127。0。0。1',
		'１２７.0.0.1',
		'%31%32%37.0.0.1',
	])('never leads to %s', (host) => {
		expect(check(`https://${host}/file.pdf`, PUBLIC)).toEqual(TO_ADDRESS);
		expect(check(`https://${host}:4010/file.pdf`, LOCAL)).toEqual(TO_ADDRESS);
	});

	it.each(['localhost.example.com', 'my-localhost.com', '1.2.3.4.example.com', '10-0-0-5.example'])(
		'may lead to the name %s',
		(host) => {
			expect(check(`https://${host}/file.pdf`, PUBLIC)).toHaveProperty('url');
		},
	);

	it.each([
		['http://127.0.0.1:5000/file.pdf', LOCAL],
		['http://localhost:4010/file.pdf', LOCAL],
		['http://10.0.0.7/file.pdf', PUBLIC],
		['http://forms.example.com:6379/file.pdf', PUBLIC],
	])('may lead to %s if the service made the link', (link, origin) => {
		expect(checkOfService(link, origin)).toEqual({ url: link, isOwn: false });
	});

	it.each([
		['http://forms:6379/x', 'http://forms:3000'],
		['https://forms.example.com:8443/a.pdf', PUBLIC],
		['http://forms.example.com:6379/a.pdf', 'http://forms.example.com:3000'],
	])('of a respondent never leads to another port of the host: %s', (link, origin) => {
		expect(check(link, origin)).toHaveProperty('reason');
	});

	it.each([
		'ftp://files.example.com/a',
		'file:///etc/passwd',
		'javascript:alert(1)',
		'data:text/plain,a',
		'http://[',
	])('is no web address: %s', (link) => {
		expect(check(link, PUBLIC)).toEqual({ reason: 'it is not a web address' });
	});

	it('is asked over https where the service takes itself for http, behind a proxy that ends TLS', () => {
		expect(check('http://forms.example.com/a.pdf', PUBLIC)).toEqual({
			url: 'https://forms.example.com/a.pdf',
			isOwn: true,
		});
		expect(check('http://forms.example.com:8080/a.pdf', PUBLIC)).toHaveProperty('reason');
	});

	it('must be encrypted when it leads to another host', () => {
		const reason = 'it is not encrypted (http instead of https)';
		expect(check('http://files.example.com/a', PUBLIC)).toEqual({ reason });
		expect(check('http://files.example.com/a', LOCAL)).toEqual({ reason });
	});

	it('is taken for the account’s own only on its origin', () => {
		const isOwn = (link: string) => {
			const checked = check(link, PUBLIC);
			return 'url' in checked && checked.isOwn;
		};
		expect(isOwn('/files/a.pdf')).toBe(true);
		expect(isOwn('https://files.example.com/a.pdf')).toBe(false);
		expect(isOwn('https://forms.example.com.evil.example/a.pdf')).toBe(false);
	});

	it('may not contain a user name or a password', () => {
		const reason = 'it contains a user name or a password';
		expect(check('https://a:b@files.example.com/a', PUBLIC)).toEqual({ reason });
	});

	it('is checked in a time linear in its length', () => {
		const part = fc.string({
			unit: fc.constantFrom('.', 'a', '%', '2', '5', '/', '?', '@', ':', '[', 'localhost', '1'),
			minLength: 1,
			maxLength: 6,
		});
		fc.assert(
			fc.property(part, (repeated) => {
				const link = `https://${repeated.repeat(100_000 / repeated.length)}b`;
				expect(cpuTimeOf(() => check(link, PUBLIC))).toBeLessThan(2_000);
			}),
			{ numRuns: 100 },
		);
	});
});
