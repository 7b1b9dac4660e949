import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterAll, expect, it } from 'vitest';
import { itemsOf, n8nFor } from '../harness.mts';
import { operationNamed } from './operations.mts';
import { startTestService } from '../world.mts';

const service = await startTestService();
afterAll(async () => await service.close());

const [ada, bob] = ['Ada', 'Bob'].map((name) => {
	const token = `token-of-${name}-${service.token}`;
	const { id: accountId } = service.store.addAccount({ name, tokens: [token] });
	const { id: formId } = service.store.addForm({ name, accountId });
	return { token, formId, settings: { seo_title: 'A title' } };
});

const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: '={{ $json.url }}' });
const run = async (parameters: INodeParameters, rows: IDataObject[]) => {
	const input = itemsOf(...rows.map((row) => ({ url: service.url, ...row })));
	return (await n8n.runNode(parameters, input, { continueOnFail: true })).items;
};

it('A refused token fails the items of its account in a run that continues, and no item of another', async () => {
	const rows = [ada, { ...bob, token: 'no-such-token' }, ada];
	const items = await run(operationNamed('Setting: Update').parameters, rows);
	const refused = expect.stringMatching(/^Form Service rejected the access token/);
	expect(items.map(({ json }) => json.error)).toEqual([undefined, refused, undefined]);
});

it('Items of accounts on different services are sent each to its own service, with its own token', async () => {
	const other = await startTestService();
	service.requests.length = 0;
	const rows = [service, other, service].map(({ url, token }) => ({ token, url }));
	const items = await run({ resource: 'workspace', operation: 'get' }, rows);
	await other.close();
	expect(items.map(({ json }) => json.error)).toEqual([undefined, undefined, undefined]);
	for (const { requests, token } of [service, other]) expect(requests).toMatchObject([{ token }]);
});

it('Items of two accounts that read a list at the same moment get each its own', async () => {
	const items = await run({ resource: 'form', operation: 'getAll' }, [ada, bob]);
	expect(items.map(({ json }) => json.name)).toEqual(['Ada', 'Bob']);
});
