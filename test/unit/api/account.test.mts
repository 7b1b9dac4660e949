import fc from 'fast-check';
import { escape } from 'lodash';
import { Workflow, type INodeTypes } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { createAccount, normalizeBaseUrl } from '../../../nodes/FormService/api/account.ts';
import { FormService } from '../../../nodes/FormService/FormService.node.ts';

const baseUrl = 'https://a.example';

const { requestDefaults } = new FormService().description;
const nodeTypes = {} as INodeTypes;
const { expression } = new Workflow({ nodes: [], connections: {}, active: false, nodeTypes });

/** The base URL that the node declares for a credential with this address. */
const declareBaseUrl = (entered: unknown): unknown =>
	expression.getParameterValue(requestDefaults?.baseURL, null, 0, 0, '', [], 'trigger', {
		$credentials: { baseUrl: entered },
	} as never);

it.each([
	[' https://forms.example.com/api/v1//\n', 'https://forms.example.com/api/v1'],
	['forms.example.com', 'https://forms.example.com/api/v1'],
	['https://forms.example.com/api//', 'https://forms.example.com/api/v1'],
	['https://forms.example.com/v1', 'https://forms.example.com/v1/api/v1'],
	['https://forms.example.com/api/v1/api/v1', 'https://forms.example.com/api/v1/api/v1'],
	['http://127.0.0.1:4010/forms/', 'http://127.0.0.1:4010/forms/api/v1'],
])('The base URL %j means %s, as the node declares it', (entered, expected) => {
	expect([normalizeBaseUrl(entered), declareBaseUrl(entered)]).toEqual([expected, expected]);
});

it('The declared base URL is a text, whatever the credential has', () => {
	for (const entered of [undefined, null, 5, {}])
		expect(declareBaseUrl(entered)).toBeTypeOf('string');
});

it.each([
	...['', 'ftp://forms.example.com', 'https://a:b@forms.example.com'],
	...['https://a.example/?token=x', 'https://a.example/#x'],
])('The base URL is not %j', (entered) => {
	expect(() => normalizeBaseUrl(entered)).toThrow("'Base URL' is not the address of a service");
});

it.each(['', 'a secret', 'secret\r\nX-Injected: 1', 'sécret', 'secret\u0000'])(
	'The token is no %j, which never appears in what is wrong with it',
	(accessToken) => {
		const create = () => createAccount({ accessToken, baseUrl });
		expect(create).toThrow(/^(?!.*secret).*'Access Token' is empty or contains a space/);
	},
);

it('The key of an account differs by token and by service, and shows neither', () => {
	const key = (accessToken: string, url: string) =>
		createAccount({ accessToken, baseUrl: url }).key;
	const own = key('secret-token', baseUrl);
	expect(own).toMatch(/^[0-9a-f]{64}$/);
	expect(key('secret-token', `${baseUrl}/api/v1/`)).toBe(own);
	expect(key('other-token', baseUrl)).not.toBe(own);
	expect(key('secret-token', 'https://b.example')).not.toBe(own);
});

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const anyToken = fc.string({ unit: visible, minLength: 1, maxLength: 80 });
const toJson = (token: string) => JSON.stringify(token).slice(1, -1);

const spellings: Array<(token: string) => string> = [
	(token) => token,
	encodeURIComponent,
	(token) => encodeURIComponent(token).replace(/%../g, (code) => code.toLowerCase()),
	escape,
	// as PHP writes HTML and JSON
	(token) => escape(token).replaceAll('&#39;', '&#039;'),
	toJson,
	(token) => toJson(token).replaceAll('/', '\\/'),
];

it('The token never stays in a text of the service, as it is, in a URL, in HTML or in JSON', () => {
	const property = fc.property(anyToken, (accessToken) => {
		const { redact } = createAccount({ accessToken, baseUrl });
		const texts = spellings.map((spell) => `« ${spell(accessToken)} »`);
		expect(redact(texts.join(' '))).toBe(texts.fill('« [access token] »').join(' '));
	});
	fc.assert(property);
});

it('A text that nearly has the token is read at once', () => {
	const { redact } = createAccount({ accessToken: `12|${'aB3/'.repeat(20)}.`, baseUrl });
	const text = `12|${'aB3/'.repeat(20)}-`.repeat(1_000);
	expect(redact(text)).toBe(text);
});
