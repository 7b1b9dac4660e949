import { expect, it } from 'vitest';
import { demoForms, status, success } from '../../service/index.mts';
import { itemsOf, locator, n8nFor } from '../harness.mts';
import { createWorld } from '../world.mts';

const getWorkspace = { resource: 'workspace', operation: 'get' };

it('The token and the address may be pasted with blanks, and no reply that is quoted gives the token away', async () => {
	const { service } = await createWorld();
	const n8n = n8nFor({ accessToken: ` ${service.token}\n`, baseUrl: ` ${service.url}/ ` });
	expect((await n8n.runNode(getWorkspace)).error).toBeUndefined();
	expect(await n8n.testCredential()).toMatchObject({ status: 'OK' });
	service.faults.set({ fault: status(422, `No:\n${service.token}.`), times: 1 });
	expect((await n8n.testCredential()).message).toContain('"No: [access token]." Check');
	service.faults.set({ fault: success({ name: `${service.token} ${'x'.repeat(400)}` }) });
	expect((await n8n.testCredential()).message).toMatch(/"\[access token\] x{280,300}…"$/);
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

it.each([
	['={{ new URL($json.url).hostname }}', /^n8n does not allow/, false],
	['127.0.0.1, localhost', /^Demo/, true],
])(
	'Items send to their own service, if the domains of the first item allow it: %s',
	async (...given) => {
		const [allowedDomains, outcome, sent] = given;
		const [{ service }, { service: other }] = [await createWorld(), await createWorld()];
		const credential = { accessToken: '={{ $json.token }}', baseUrl: '={{ $json.url }}' };
		const domains = { allowedHttpRequestDomains: 'domains', allowedDomains };
		const url = other.url.replace('127.0.0.1', 'localhost');
		const input = itemsOf({ token: service.token, url: service.url }, { token: other.token, url });
		const { items } = await n8nFor({ ...credential, ...domains }).runNode(getWorkspace, input, {
			onError: 'continueRegularOutput',
		});
		const outcomes = items.map(({ json }) => json.error ?? json.name);
		expect(outcomes).toEqual([/^Demo/, outcome].map((text) => expect.stringMatching(text)));
		expect(other.requests.map(({ token }) => token)).toEqual(sent ? [other.token] : []);
	},
);
