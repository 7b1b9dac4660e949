import { describe, expect, it } from 'vitest';
import { demoForms, status, success } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { createWorld } from '../world.mts';
import { tracesOf } from './traces.mts';

const { contact } = demoForms;
const getWorkspace = { resource: 'workspace', operation: 'get' };

// errorTexts.test.mts looks for the token in every error of a request
describe('the token', () => {
	it('would be found in a value, however deep it is', () => {
		const accessToken = 'a-token';
		const headers = { secret: accessToken };
		const cause = Object.assign(new Error('inner'), { config: { headers } });
		expect(tracesOf({ accessToken }, new Error('outer', { cause }))).toEqual([accessToken]);
	});

	it('is not in what the credential test quotes of a reply', async () => {
		const { service, n8n } = await createWorld();
		service.faults.set({ fault: status(422, `No:\n${service.token}.`), times: 1 });
		expect((await n8n.testCredential()).message).toContain('"No: [access token]." Check');
		service.faults.set({ fault: success({ name: `${service.token} ${'x'.repeat(400)}` }) });
		expect((await n8n.testCredential()).message).toMatch(/"\[access token\] x{280,300}…"$/);
	});

	it('may be pasted with blanks around it', async () => {
		const { service } = await createWorld();
		const pasted = { accessToken: ` ${service.token}\n`, baseUrl: ` ${service.url}/ ` };
		expect(await n8nFor(pasted).testCredential()).toMatchObject({ status: 'OK' });
		expect((await n8nFor(pasted).runNode(getWorkspace)).error).toBeUndefined();
		expect(service.requests.map((one) => one.token)).toEqual([service.token, service.token]);
	});
});

it('a credential that cannot be used is an error in the node, the trigger, a list and the test', async () => {
	const unusable = n8nFor({ accessToken: 'my token', baseUrl: 'https://forms.example.com' });
	const message = "'Access Token' is empty or contains a space";
	const { error } = await unusable.runNode(getWorkspace);
	expect(error?.message).toContain(message);
	expect(error).toMatchObject({
		description: expect.stringMatching(/^Open the .* to correct it\.$/),
		failure: { cause: 'credential-invalid' },
		context: { itemIndex: 0 },
	});
	await expect(unusable.searchForms()).rejects.toThrow(message);
	await expect(unusable.runPoll({ formId: locator(contact) })).rejects.toThrow(message);
	const tested = await unusable.testCredential();
	expect(tested).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
});

it('each item gets what its own account has at its own service, or the error of its own token', async () => {
	const [{ service }, { service: other }] = [await createWorld(), await createWorld()];
	const [ada, bob] = ['Ada', 'Bob'].map((name) => {
		const token = `token-of-${name}-${service.token}`;
		service.store.addAccount({ name, tokens: [token] });
		return { token, url: service.url };
	});
	const elsewhere = { token: other.token, url: other.url };
	const rows = [ada, { ...bob, token: 'no-such-token' }, elsewhere, bob, ada];
	const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: '={{ $json.url }}' });
	const { items } = await n8n.runNode(getWorkspace, itemsOf(...rows), { continueOnFail: true });
	const refused = expect.stringMatching(/^Form Service rejected the access token/);
	const outcomes = items.map(({ json }) => json.error ?? json.name);
	expect(outcomes).toEqual(['Ada', refused, 'Demo Workspace', 'Bob', 'Ada']);
	expect(other.requests).toMatchObject([{ token: other.token }]);
});

it.each([
	['={{ new URL($json.url).hostname }}', [/^Demo/, /^n8n does not allow/], 0],
	['127.0.0.1, localhost', [/^Demo/, /^Demo/], 1],
])('all items may send only to the domains of the first item: %s', async (...given) => {
	const [allowedDomains, outcomes, sent] = given;
	const [{ service }, { service: other }] = [await createWorld(), await createWorld()];
	const url = other.url.replace('127.0.0.1', 'localhost');
	const n8n = n8nFor({
		accessToken: '={{ $json.token }}',
		baseUrl: '={{ $json.url }}',
		allowedHttpRequestDomains: 'domains',
		allowedDomains,
	});
	const rows = [service, { url, token: other.token }].map(({ url: host, token }) => ({
		url: host,
		token,
	}));
	const { items } = await n8n.runNode(getWorkspace, itemsOf(...rows), { continueOnFail: true });
	const results = items.map(({ json }) => json.error ?? json.name);
	expect(results).toEqual(outcomes.map((pattern) => expect.stringMatching(pattern)));
	expect(other.requests).toHaveLength(sent);
});
