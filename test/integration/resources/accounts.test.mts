import { expect, it } from 'vitest';
import { itemsOf, n8nFor } from '../harness.mts';
import { createWorld } from '../world.mts';

it('Each item gets what its own account has at its own service, or the error of its own token', async () => {
	const [{ service }, { service: other }] = [await createWorld(), await createWorld()];
	const [ada, bob] = ['Ada', 'Bob'].map((name) => {
		const token = `token-of-${name}-${service.token}`;
		service.store.addAccount({ name, tokens: [token] });
		return { token, url: service.url };
	});
	const elsewhere = { token: other.token, url: other.url };
	const rows = [ada, { ...bob, token: 'no-such-token' }, elsewhere, bob, ada];
	const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: '={{ $json.url }}' });
	const get = { resource: 'workspace', operation: 'get' };
	const { items } = await n8n.runNode(get, itemsOf(...rows), { continueOnFail: true });
	const refused = expect.stringMatching(/^Form Service rejected the access token/);
	const outcomes = items.map(({ json }) => json.error ?? json.name);
	expect(outcomes).toEqual(['Ada', refused, 'Demo Workspace', 'Bob', 'Ada']);
	expect(other.requests).toMatchObject([{ token: other.token }]);
});
