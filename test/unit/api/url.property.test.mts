import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints, createTarget } from '../../../nodes/FormService/api/endpoints.ts';
import { isId } from '../../../nodes/FormService/api/records.ts';
import { checkLink } from '../../../nodes/FormService/api/url.ts';

const BASE = 'https://forms.example.com/api/v1';

describe('the target of an endpoint', () => {
	it('never leads anywhere but to its own path, whatever the id', () => {
		const property = fc.property(fc.string({ maxLength: 40 }), (formId) => {
			const build = () => createTarget({ baseUrl: BASE }, endpoints.listFields, { formId }).url;
			if (isId(formId)) expect(build()).toBe(`${BASE}/forms/${formId}/fields`);
			else expect(build).toThrow('not a valid ID');
		});
		fc.assert(property);
	});

	it.each(['.', '..', 'a.b', 'a/b', 'a%2Fb', 'a?b', 'a#b', ''])('takes %j for no id', (formId) => {
		expect(isId(formId)).toBe(false);
	});
});

const PUBLIC = 'https://forms.example.com';
const LOCAL = 'http://127.0.0.1:4010';

const byte = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(byte, byte, byte, byte);

/** Ways to write an IPv4 address that a browser, and so Node, understands. */
const spellings: Record<string, (bytes: number[]) => string> = {
	dotted: (bytes) => bytes.join('.'),
	hexadecimal: (bytes) => bytes.map((one) => `0x${one.toString(16)}`).join('.'),
	'one number': ([a, b, c, d]) => String(((a * 256 + b) * 256 + c) * 256 + d),
	'with a dot at the end': (bytes) => `${bytes.join('.')}.`,
	'mapped to IPv6': (bytes) => `[::ffff:${bytes.join('.')}]`,
};

const check = (link: string, origin = PUBLIC) => checkLink(link, origin, origin, 'upload');

const TO_ADDRESS = 'it leads to an IP address or a private host name';
const TO_PORT = "it leads to another port of Form Service's host";
const NOT_ENCRYPTED = 'it is not encrypted (http instead of https)';
const NO_WEB_ADDRESS = 'it is not a web address';

describe("a respondent's link", () => {
	it.each(Object.entries(spellings))('never leads to another IP address: %s', (_name, spell) => {
		const property = fc.property(ipv4, fc.constantFrom('https', 'http'), (bytes, scheme) => {
			const link = `${scheme}://${spell(bytes)}/file.pdf`;
			for (const origin of [PUBLIC, LOCAL, 'http://10.0.0.5', 'https://169.254.169.254']) {
				if (new URL(link).origin === origin) expect(check(link, origin)).toHaveProperty('url');
				else expect(check(link, origin)).toEqual({ reason: TO_ADDRESS });
			}
		});
		fc.assert(property, { numRuns: 200 });
	});

	it.each([
		...['localhost', 'LOCALHOST.', 'files.localhost', '[::1]', '[fc00::1]', '[fe80::1]', 'db'],
		...['[2606:4700::1111]', '127。0。0。1', '１２７.0.0.1', '%31%32%37.0.0.1', 'files.internal'],
		...['printer.local', 'nas.home.arpa'],
	])('never leads to %s', (host) => {
		expect(check(`https://${host}/file.pdf`)).toEqual({ reason: TO_ADDRESS });
		expect(check(`https://${host}:4010/file.pdf`, LOCAL)).toEqual({ reason: TO_ADDRESS });
	});

	it.each([
		['http://forms:6379/x', TO_ADDRESS, 'http://forms:3000'],
		['http://forms.example.com:6379/a.pdf', TO_PORT, 'http://forms.example.com:3000'],
		['https://forms.example.com:8443/a.pdf', TO_PORT],
		['http://files.example.com/a', NOT_ENCRYPTED],
		['http://files.example.com/a', NOT_ENCRYPTED, LOCAL],
		['https://a@files.example.com/a', 'it contains a user name or a password'],
		['https://:b@files.example.com/a', 'it contains a user name or a password'],
		['file:///etc/passwd', NO_WEB_ADDRESS],
		['javascript:alert(1)', NO_WEB_ADDRESS],
		['http://[', NO_WEB_ADDRESS],
	])('is not followed: %s, since %s', (link, reason, origin = PUBLIC) => {
		expect(check(link, origin)).toEqual({ reason });
	});

	it.each([
		['https://my-localhost.com/', 'https://my-localhost.com/', false],
		['https://1.2.3.4.example.com/', 'https://1.2.3.4.example.com/', false],
		['https://files.example.com/a.pdf#page=2', 'https://files.example.com/a.pdf', false],
		['https://forms.example.com.evil.example/', 'https://forms.example.com.evil.example/', false],
		['/files/a.pdf', 'https://forms.example.com/files/a.pdf', true],
		// behind a proxy that ends TLS, the service takes itself for http
		['http://forms.example.com/a.pdf', 'https://forms.example.com/a.pdf', true],
	])('%s is followed to %s, on the origin of the account: %s', (link, url, isOwn) => {
		expect(check(link)).toEqual({ url, isOwn });
	});
});

it.each([
	['http://127.0.0.1:5000/file.pdf', LOCAL],
	['http://localhost:4010/file.pdf', LOCAL],
	['http://10.0.0.7/file.pdf', PUBLIC],
	['http://forms.example.com:6379/file.pdf', PUBLIC],
])("the service's own link to a PDF may lead to %s", (url, origin) => {
	expect(checkLink(url, origin, origin, 'pdf')).toEqual({ url, isOwn: false });
});
