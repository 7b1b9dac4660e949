import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLink, leadsIntoApi } from '../../../../nodes/FormService/api/files/links.ts';
import { addressKindOf } from '../../../../nodes/FormService/api/files/addresses.ts';

const PUBLIC = 'https://forms.example.com';
const LOCAL = 'http://127.0.0.1:4010';

const byte = fc.integer({ min: 0, max: 255 });
const privateIpv4 = fc.oneof(
	fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
	fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
	fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
	fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
	fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
	fc.tuple(fc.constant(192), fc.constant(0), fc.constant(0), byte),
	fc.tuple(fc.constant(198), fc.constantFrom(18, 19), byte, byte),
	fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
);

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

const check = (link: string, origin: string) => checkLink(link, origin, origin, false);
const checkOfService = (link: string, origin: string) => checkLink(link, origin, origin, true);

describe('a link that came with a reply', () => {
	it.each(Object.entries(spellings))(
		'never leads from a public service to a private address written %s',
		(_name, spell) => {
			fc.assert(
				fc.property(privateIpv4, (bytes) => {
					const link = `https://${spell(bytes)}/file.pdf`;
					expect(check(link, PUBLIC)).toEqual({
						allowed: false,
						reason: expect.stringMatching(/^it leads to a (private|link-local) address$/),
					});
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
		'[::]',
		'[fc00::1]',
		'[fd12:3456::1]',
		'[fe80::1]',
		'[fec0::1]',
		'[ff02::1]',
		'[2001::1]',
		'[64:ff9b:1::1]',
		'127。0。0。1',
		'１２７.0.0.1',
		'%31%32%37.0.0.1',
	])('never leads from a public service to %s', (host) => {
		expect(check(`https://${host}/file.pdf`, PUBLIC).allowed).toBe(false);
	});

	it.each([
		'1.1.1.1',
		'172.15.0.1',
		'172.32.0.1',
		'100.63.0.1',
		'100.128.0.1',
		'[2606:4700::1111]',
	])('may lead to the public address %s', (host) => {
		expect(addressKindOf(new URL(`https://${host}`).hostname)).toBe('public');
	});

	it('may lead to a private address when the service itself is on one', () => {
		expect(check('http://10.0.0.7:5000/file.pdf', LOCAL)).toEqual({
			allowed: true,
			url: 'http://10.0.0.7:5000/file.pdf',
			own: false,
		});
	});

	it.each([
		'http://169.254.169.254/latest/meta-data/',
		'http://[::ffff:169.254.169.254]/',
		'http://[fe80::1]/',
		'https://169.254.1.1/a',
	])('never leads to the link-local address %s, wherever the service is', (link) => {
		for (const origin of [PUBLIC, LOCAL, 'http://10.0.0.5', 'http://169.254.169.254']) {
			expect(check(link, origin).allowed).toBe(false);
		}
		expect(checkOfService(link, LOCAL).allowed).toBe(false);
	});

	it.each([
		'http://127.0.0.1:5678/rest/settings',
		'http://127.0.0.1/',
		'http://127.0.0.2:4010/',
		'http://localhost:4010/',
		'http://[::1]:4010/',
		'http://[::ffff:127.0.0.1]:5678/',
		'http://0.0.0.0:5678/',
		'https://127.0.0.1:4010/',
	])('leads to this machine only at the service’s own host and port, not %s', (link) => {
		expect(check(link, LOCAL)).toEqual({
			allowed: false,
			reason: 'it leads to the machine of n8n itself',
		});
		expect(check(link, 'http://10.0.0.5').allowed).toBe(false);
		expect(check('http://127.0.0.1:4010/files/a.pdf', LOCAL).allowed).toBe(true);
	});

	it('may lead to another port of this machine where the service on it made the link', () => {
		expect(checkOfService('http://127.0.0.1:5000/file.pdf', LOCAL).allowed).toBe(true);
		expect(checkOfService('http://127.0.0.1:5000/file.pdf', PUBLIC).allowed).toBe(false);
	});

	it.each([
		'ftp://files.example.com/a',
		'file:///etc/passwd',
		'javascript:alert(1)',
		'data:text/plain,a',
		'http://[',
	])('is no web address: %s', (link) => {
		expect(check(link, PUBLIC)).toEqual({
			allowed: false,
			reason: 'it is not a web address',
		});
	});

	it('is asked over https where the service takes itself for http, behind a proxy that ends TLS', () => {
		expect(check('http://forms.example.com/a.pdf', PUBLIC)).toEqual({
			allowed: true,
			url: 'https://forms.example.com/a.pdf',
			own: true,
		});
		expect(check('http://forms.example.com:8080/a.pdf', PUBLIC).allowed).toBe(false);
	});

	it('must be encrypted when it leads to another host', () => {
		expect(check('http://files.example.com/a', PUBLIC).allowed).toBe(false);
		expect(check('http://files.example.com/a', LOCAL).allowed).toBe(false);
	});

	it('is taken for the account’s own only on its origin', () => {
		const own = (link: string) => {
			const checked = check(link, PUBLIC);
			return checked.allowed && checked.own;
		};
		expect(own('/files/a.pdf')).toBe(true);
		expect(own('https://forms.example.com:8443/a.pdf')).toBe(false);
		expect(own('https://files.example.com/a.pdf')).toBe(false);
		expect(own('https://forms.example.com.evil.example/a.pdf')).toBe(false);
	});

	it('may not hold a user name or a password', () => {
		expect(check('https://a:b@files.example.com/a', PUBLIC).allowed).toBe(false);
	});
});

describe('a link into an API', () => {
	/** A path of which the first letter, an "a", is percent-encoded so many times. */
	const encoded = (times: number, rest: string) => `${PUBLIC}/%${'25'.repeat(times - 1)}61${rest}`;

	it.each([1, 2, 3, 5])('is seen as one when it is percent-encoded %i times', (times) => {
		expect(leadsIntoApi(encoded(times, 'pi/v1/workspace'))).toBe(true);
	});

	it('is not seen where there is none', () => {
		expect(leadsIntoApi(encoded(2, 'bout.pdf'))).toBe(false);
		expect(leadsIntoApi(`${PUBLIC}/files/api-guide.pdf`)).toBe(false);
	});

	it('is decided at once, however long the link that a respondent chose', () => {
		const begun = performance.now();
		expect(leadsIntoApi(encoded(100_000, 'bout.pdf'))).toBe(true);
		expect(performance.now() - begun).toBeLessThan(500);
	});
});
