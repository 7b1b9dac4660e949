import fc from 'fast-check';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { itemsOf, n8nFor } from '../harness.mts';
import { operationCases, operationNamed } from '../tables/operations.mts';
import { startTestService } from '../world.mts';

/** Accounts of one service. Their forms differ in name and number of fields, and in who may read them. */
const service = await startTestService({ perMinute: 100_000, perDay: 1_000_000 });
afterAll(async () => await service.close());

const names = ['Ada', 'Bob', 'Cleo'];
const accounts = names.map((name) => {
	const token = `token-of-${name}-${service.token}`;
	const { id: accountId } = service.store.addAccount({ name, tokens: [token] });
	const { id } = service.store.addForm({
		name,
		accountId,
		fields: [{ label: name, uuid: crypto.randomUUID() }],
	});
	const [{ uuid: fieldId }] = service.store.fields(id);
	const { uuid } = service.store.addResponse(id, { answers: { [fieldId]: name } });
	const settings = { seo_title: 'A title' };
	return { name, token, formId: id, responseId: uuid, settings };
});

const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: service.url });
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

/** An update depends on the updates before it: of its result, only what says whose form it is. */
const resultOf = ({ json }: INodeExecutionData) =>
	'changes' in json ? { id: json.id, name: json.name } : json;

const itemsAt = (items: readonly INodeExecutionData[], index: number) =>
	items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index);

describe.each(operations)('%s', (_name, parameters) => {
	it("gives each item its own account's data, in whatever order the accounts come", async () => {
		const alone = new Map(
			await Promise.all(
				accounts.map(async (account) => {
					const { items } = await n8n.runNode(parameters, itemsOf(account));
					return [account, items.map(resultOf)] as const;
				}),
			),
		);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom(...accounts), { minLength: 2, maxLength: 6 }),
				async (chosen) => {
					const { items, error } = await n8n.runNode(parameters, itemsOf(...chosen));
					expect(error).toBeUndefined();
					const found = chosen.map((_, index) => itemsAt(items, index).map(resultOf));
					expect(found).toEqual(chosen.map((account) => alone.get(account)));
				},
			),
			{ numRuns: 5 },
		);
	});
});

it.each(operations.filter(([, { formId }]) => formId !== undefined))(
	"%s refuses an item of an account that has no access, although another item's has",
	async (_name, parameters) => {
		const [ada, bob] = accounts;
		const input = itemsOf(ada, { ...ada, token: bob.token }, ada);
		const { items } = await n8n.runNode(parameters, input, { continueOnFail: true });
		expect(itemsAt(items, 1).map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/access|no form/i),
		]);
	},
);

describe('a token that is refused', () => {
	it('stops the items of its account in a node that continues, and no item of another', async () => {
		const [ada, bob] = accounts;
		const refused = { ...bob, token: 'no-such-token' };
		// the updates of a form follow one another, so most of them come after the refusal
		const input = itemsOf(...Array.from({ length: 16 }, (_, index) => (index % 2 ? ada : refused)));
		const { items } = await n8n.runNode(update, input, { continueOnFail: true });
		const errors = items.map(({ json }) => json.error);
		expect(errors.filter((_, index) => index % 2)).toEqual(Array(8).fill(undefined));
		expect(errors[0]).toMatch(/token/);
		expect(errors[14]).toBe(errors[0]);
	});
});

describe('items whose accounts are on different services', () => {
	it('are sent each to its own service, with its own token', async () => {
		const other = await startTestService();
		try {
			const both = n8nFor({
				accessToken: '={{ $json.token }}',
				baseUrl: '={{ $json.baseUrl }}',
			});
			const rows = [service, other, service].map(({ url, token }) => ({ token, baseUrl: url }));
			service.requests.length = 0;
			const { items, error } = await both.runNode(
				{ resource: 'workspace', operation: 'get' },
				itemsOf(...rows),
			);
			expect(error).toBeUndefined();
			expect(items).toHaveLength(3);
			expect([service, other].map(({ requests }) => requests.map(({ token }) => token))).toEqual([
				[service.token],
				[other.token],
			]);
		} finally {
			await other.close();
		}
	});
});
