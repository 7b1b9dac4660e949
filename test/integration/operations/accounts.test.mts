import fc from 'fast-check';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { itemsOf, locator, n8nFor } from '../harness.mts';
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
	return { name, token, form: id, response: uuid };
});

const n8n = n8nFor({ accessToken: '={{ $json.token }}', baseUrl: service.url });
const form = locator('={{ $json.form }}');
const getForm = { resource: 'form', operation: 'get', formId: form };
const getResponse = {
	resource: 'response',
	operation: 'get',
	formId: form,
	responseId: '={{ $json.response }}',
};
const preview = {
	resource: 'settings',
	operation: 'update',
	formId: form,
	settings: { is_closed: true },
	options: { preview: true },
};

/** Operations that read, each with what its result says of the account. */
const reads: Record<string, INodeParameters> = {
	'Workspace: Get': { resource: 'workspace', operation: 'get' },
	'Form: Get': getForm,
	'Form: Get Many': { resource: 'form', operation: 'getAll' },
	'Field: Get Many': { resource: 'field', operation: 'getAll', formId: form },
	'Response: Get': getResponse,
	'Response: Get Many': { resource: 'response', operation: 'getAll', formId: form },
	'Response: Get Many, One Column per Field': {
		resource: 'response',
		operation: 'getAll',
		formId: form,
		options: { answersAs: 'columns' },
	},
	'Response: Get PDF': {
		resource: 'response',
		operation: 'getPdf',
		responseId: '={{ $json.response }}',
	},
	'Setting: Update with Preview': preview,
	'Setting: Update with Skip Unchanged': {
		...preview,
		settings: { seo_title: 'T' },
		options: { skipUnchanged: true },
	},
};

/** An update depends on the updates before it: of its result, only what says whose form it is. */
const resultOf = ({ json }: INodeExecutionData) =>
	'changes' in json ? { id: json.id, name: json.name } : json;

/** The results of an operation for an item that is alone in its run. */
async function alone(parameters: INodeParameters, account: (typeof accounts)[number]) {
	return (await n8n.runNode(parameters, itemsOf(account))).items.map(resultOf);
}

describe.each(Object.entries(reads))('%s', (_name, parameters) => {
	it("gives each item its own account's data, in whatever order the accounts come", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom(...accounts), { minLength: 2, maxLength: 6 }),
				async (chosen) => {
					const expected = await Promise.all(
						accounts.map(async (account) => [account, await alone(parameters, account)] as const),
					);
					const { items, error } = await n8n.runNode(parameters, itemsOf(...chosen));
					expect(error).toBeUndefined();
					const found = chosen.map((_, index) =>
						items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === index),
					);
					expect(found.map((group) => group.map(resultOf))).toEqual(
						chosen.map((account) => new Map(expected).get(account)),
					);
				},
			),
			{ numRuns: 8 },
		);
	});

	it("refuses an item of an account that has no access, although another item's has", async () => {
		if (parameters.formId === undefined) return;
		const [ada, bob] = accounts;
		const { items } = await n8n.runNode(
			parameters,
			itemsOf(ada, { ...ada, token: bob.token }, ada),
			{ continueOnFail: true },
		);
		expect(
			items.find(({ pairedItem }) => (pairedItem as { item: number }).item === 1)?.json.error,
		).toEqual(expect.stringMatching(/access|no form/i));
	});
});

describe('a token that is refused', () => {
	it('stops no item of another account in a node that continues', async () => {
		const [ada, bob] = accounts;
		const refused = { ...bob, token: 'no-such-token' };
		const { items } = await n8n.runNode(getForm, itemsOf(refused, ada, refused, ada), {
			continueOnFail: true,
		});
		expect(items.map(({ json }) => json.id)).toEqual(
			[undefined, ada.form, undefined, ada.form].map((id, index) => id ?? items[index].json.id),
		);
		expect([items[1].json.error, items[3].json.error]).toEqual([undefined, undefined]);
		expect([items[0].json.error, items[2].json.error]).toEqual([
			expect.any(String),
			expect.any(String),
		]);
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
