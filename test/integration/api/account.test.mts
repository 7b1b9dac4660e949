import { expect, it } from 'vitest';
import { demoForms, status, success } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { createWorld } from '../world.mts';

const getWorkspace = { resource: 'workspace', operation: 'get' };

it('The token is not in what the credential test quotes of a reply', async () => {
	const { service, n8n } = await createWorld();
	service.faults.set({ fault: status(422, `No:\n${service.token}.`), times: 1 });
	expect((await n8n.testCredential()).message).toContain('"No: [access token]." Check');
	service.faults.set({ fault: success({ name: `${service.token} ${'x'.repeat(400)}` }) });
	expect((await n8n.testCredential()).message).toMatch(/"\[access token\] x{280,300}…"$/);
});

it('The token and the address may be pasted with blanks around them', async () => {
	const { service } = await createWorld();
	const pasted = { accessToken: ` ${service.token}\n`, baseUrl: ` ${service.url}/ ` };
	expect(await n8nFor(pasted).testCredential()).toMatchObject({ status: 'OK' });
	expect((await n8nFor(pasted).runNode(getWorkspace)).error).toBeUndefined();
	expect(service.requests.map((one) => one.token)).toEqual([service.token, service.token]);
});

it('A credential that cannot be used is an error in the node, the trigger, a list and the test', async () => {
	const unusable = n8nFor({ accessToken: 'my token', baseUrl: 'https://forms.example.com' });
	const message = "'Access Token' is empty or contains a space";
	const { error } = await unusable.runNode(getWorkspace);
	expect(error?.message).toContain(message);
	expect(error?.description).toMatch(/^Open the .* to correct it\.$/);
	await expect(unusable.searchForms()).rejects.toThrow(message);
	const parameters = { formId: locator(demoForms.contact) };
	await expect(unusable.runPoll(parameters)).rejects.toThrow(message);
	const tested = await unusable.testCredential();
	expect(tested).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
});

/** Gets the workspace for items with their tokens and addresses, and says its name or the error. */
async function runForEach(rows: Array<{ token: string; url: string }>, more = {}) {
	const given = { accessToken: '={{ $json.token }}', baseUrl: '={{ $json.url }}', ...more };
	const input = itemsOf(...rows.map(({ token, url }) => ({ token, url })));
	const { items } = await n8nFor(given).runNode(getWorkspace, input, {
		onError: 'continueRegularOutput',
	});
	return items.map(({ json }) => json.error ?? json.name);
}

it('Each item gets what its own account has at its own service, or the error of its own token', async () => {
	const [{ service }, { service: other }] = [await createWorld(), await createWorld()];
	const [ada, bob] = ['Ada', 'Bob'].map((name) => {
		const token = `token-of-${name}-${service.token}`;
		service.store.addAccount({ name, tokens: [token] });
		return { token, url: service.url };
	});
	const outcomes = await runForEach([ada, { ...bob, token: 'no-such-token' }, other, bob, ada]);
	const refused = expect.stringMatching(/^Form Service rejected the access token/);
	expect(outcomes).toEqual(['Ada', refused, 'Demo Workspace', 'Bob', 'Ada']);
	expect(other.requests).toMatchObject([{ token: other.token }]);
});

it.each([
	['={{ new URL($json.url).hostname }}', /^n8n does not allow/, 0],
	['127.0.0.1, localhost', /^Demo/, 1],
])('All items may send only to the domains of the first item: %s', async (...given) => {
	const [allowedDomains, outcome, sent] = given;
	const [{ service }, { service: other }] = [await createWorld(), await createWorld()];
	const url = other.url.replace('127.0.0.1', 'localhost');
	const domains = { allowedHttpRequestDomains: 'domains', allowedDomains };
	const outcomes = await runForEach([service, { token: other.token, url }], domains);
	expect(outcomes).toEqual([/^Demo/, outcome].map((text) => expect.stringMatching(text)));
	expect(other.requests).toHaveLength(sent);
});
