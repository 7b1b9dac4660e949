import { expect, it } from 'vitest';
import { checkLink } from '../../../../nodes/FormService/api/files/checkLink.ts';

const PUBLIC = 'https://forms.example.com';
const LOCAL = 'http://127.0.0.1:4010';

const check = (link: string, origin = PUBLIC) => checkLink(link, origin, origin, 'upload');

const TO_ADDRESS = 'its link leads to an IP address or a private host name';
const TO_PORT = "its link leads to another port of Form Service's host";
const NOT_ENCRYPTED = 'its link is not encrypted (http, not https)';
const NO_WEB_ADDRESS = 'its link is not a web address';
const WITH_USER = 'its link contains a password';

it.each([
	...['localhost', 'LOCALHOST.', 'files.localhost', '[::1]', '[fe80::1]', '[::ffff:8.8.8.8]'],
	...['db', 'files.internal', 'printer.local.', 'nas.home.arpa', '8.8.8.8', '10.0.0.7'],
	// other ways to write 127.0.0.1
	...['127。0。0。1', '１２７.0.0.1', '%31%32%37.0.0.1', '127.0.0.1.', '127.1', '0x7f.0.0.0x1'],
	...['2130706433', '0177.0.0.1'],
])("A respondent's link never leads to %s", (host) => {
	for (const origin of [PUBLIC, LOCAL, 'http://10.0.0.5', 'https://192.168.1.9']) {
		expect(() => check(`https://${host}/file.pdf`, origin)).toThrow(TO_ADDRESS);
		expect(() => check(`http://${host}:4011/file.pdf`, origin)).toThrow(TO_ADDRESS);
	}
});

it.each([
	['http://forms:6379/x', TO_ADDRESS, 'http://forms:3000'],
	['https://forms.example.com:8443/a.pdf', TO_PORT],
	['http://files.example.com/a', NOT_ENCRYPTED],
	['http://files.example.com/a', NOT_ENCRYPTED, LOCAL],
	['https://a@files.example.com/a', WITH_USER],
	['https://:b@files.example.com/a', WITH_USER],
	['file:///etc/passwd', NO_WEB_ADDRESS],
	['javascript:alert(1)', NO_WEB_ADDRESS],
	['http://[', NO_WEB_ADDRESS],
])("A respondent's link is not followed: %s, since %s", (link, reason, origin = PUBLIC) => {
	expect(() => check(link, origin)).toThrow(reason);
});

it.each<[string, string, boolean, string?]>([
	['https://my-localhost.com/', 'https://my-localhost.com/', false],
	['https://1.2.3.4.example.com/', 'https://1.2.3.4.example.com/', false],
	['https://files.example.com/a.pdf#page=2', 'https://files.example.com/a.pdf', false],
	['https://forms.example.com.evil.example/', 'https://forms.example.com.evil.example/', false],
	['/files/a.pdf', 'https://forms.example.com/files/a.pdf', true],
	// behind a proxy that ends TLS, the service takes itself for http
	['http://forms.example.com/a.pdf', 'https://forms.example.com/a.pdf', true],
	['http://2130706433:4010/a', 'http://127.0.0.1:4010/a', true, LOCAL],
])("A respondent's link %s leads to %s, with the token: %s", (...row) => {
	const [link, url, hasAccountOrigin, origin] = row;
	expect(check(link, origin)).toEqual({ url, hasAccountOrigin });
});
