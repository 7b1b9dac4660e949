import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { itemsOf, n8nFor } from '../harness.mts';
import { operationCases, operationNamed } from '../tables/operations.mts';
import { startTestService } from '../world.mts';

/** Accounts of one service. Their forms differ in name and number of fields, and in who may read them. */
const service = await startTestService({ perMinute: 100_000, perDay: 1_000_000 });
afterAll(async () => await service.close());

const accounts = ['Ada', 'Bob', 'Cleo'].map((name) => {
	const token = `token-of-${name}-${service.token}`;
	const { id: accountId } = service.store.addAccount({ name, tokens: [token] });
	const fields = [{ label: name, uuid: crypto.randomUUID() }];
	const { id: formId } = service.store.addForm({ name, accountId, fields });
	const answers = { [fields[0].uuid]: name };
	const { uuid: responseId } = service.store.addResponse(formId, { answers });
	return { name, token, formId, responseId, settings: { seo_title: 'A title' } };
});

const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: '={{ $json.url }}' });
const run = async (parameters: INodeParameters, rows: IDataObject[], continueOnFail = false) =>
	await n8n.runNode(parameters, itemsOf(...rows.map((row) => ({ url: service.url, ...row }))), {
		continueOnFail,
	});

const update = operationNamed('Setting: Update').parameters;

/** Operations that change nothing, or whose change leaves the result as it is. */
const operations: Array<[string, INodeParameters]> = [
	...operationCases
		.filter(({ effect }) => effect === 'safe')
		.map(({ name, parameters }) => [name, parameters] as [string, INodeParameters]),
	[
		'Response: Get Many, One Column per Field',
		{ ...operationNamed('Response: Get Many').parameters, options: { columns: true } },
	],
	['Setting: Update with Preview', { ...update, options: { preview: true } }],
	['Setting: Update with Skip Unchanged', { ...update, options: { skipUnchanged: true } }],
];

/** The results of an item. An update depends on those before it: of its result, only whose form it is. */
const resultsAt = (items: readonly INodeExecutionData[], index: number) =>
	items
		.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index)
		.map(({ json }) => ('changes' in json ? { id: json.id, name: json.name } : json));

describe.each(operations)('%s', (_name, parameters) => {
	it("always gives each item its own account's data", async () => {
		const alone = new Map(
			await Promise.all(
				accounts.map(async (account) => {
					const { items } = await run(parameters, [account]);
					return [account, resultsAt(items, 0)] as const;
				}),
			),
		);
		const rows = fc.array(fc.constantFrom(...accounts), { minLength: 2, maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(rows, async (chosen) => {
				const { items } = await run(parameters, chosen);
				expect(chosen.map((_, index) => resultsAt(items, index))).toEqual(
					chosen.map((account) => alone.get(account)),
				);
			}),
			{ numRuns: 5 },
		);
	});
});

it.each(operations.filter(([, { formId }]) => formId !== undefined))(
	"%s refuses an item of an account that has no access, although another item's has",
	async (_name, parameters) => {
		const [ada, bob] = accounts;
		const { items } = await run(parameters, [ada, { ...ada, token: bob.token }, ada], true);
		expect(resultsAt(items, 1).map(({ error }) => error)).toEqual([
			expect.stringMatching(/access|no form/i),
		]);
	},
);

it('A refused token stops the other items of its account in a run that continues, and no item of another', async () => {
	const [ada, bob] = accounts;
	const refused = { ...bob, token: 'no-such-token' };
	// the updates of a form follow one another, so most of them come after the refusal
	const rows = Array.from({ length: 16 }, (_, index) => (index % 2 ? ada : refused));
	service.requests.length = 0;
	const { items } = await run(update, rows, true);
	const errors = items.map(({ json }) => json.error);
	const said = expect.stringMatching(/^This item was not sent: Form Service rejected the access/);
	expect(errors[0]).toMatch(/^Form Service rejected the access token/);
	expect(errors.slice(2)).toEqual(rows.slice(2).map((row) => (row === ada ? undefined : said)));
	expect(service.requests.map(({ token }) => token).sort()).toEqual(
		[refused.token, ...Array<string>(8).fill(ada.token)].sort(),
	);
});

it('Items of accounts on different services are sent each to its own service, with its own token', async () => {
	const other = await startTestService();
	service.requests.length = 0;
	const rows = [service, other, service].map(({ url, token }) => ({ token, url }));
	const { items } = await run({ resource: 'workspace', operation: 'get' }, rows);
	await other.close();
	expect(items.map(({ json }) => json.error)).toEqual([undefined, undefined, undefined]);
	expect([service, other].map(({ requests }) => requests.map(({ token }) => token))).toEqual([
		[service.token],
		[other.token],
	]);
});
