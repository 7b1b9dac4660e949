import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../nodes/FormService/api/settings/settings.ts';
import { demoForms, status } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { operationCases, operationNamed, type OperationCase } from '../tables/operations.mts';
import { running } from '../world.mts';
import { agents, runAgent } from './agent.mts';

const { service, n8n } = await running();
const account = { accessToken: service.token, baseUrl: service.url };
const titles = ['One', 'Two', 'Three'];
const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator(demoForms.contact),
	settings: { seo_title: "={{ $fromAI('title', 'The title', 'string') }}" },
};

describe.each(agents)(
	'as a tool that %s runs for an agent with several items, the node',
	(agent) => {
		it('does what is asked for each of them, and gives back what came of it', async () => {
			const { results, error } = await runAgent(
				account,
				agent,
				update,
				itemsOf(...titles.map((title) => ({ title }))),
			);
			expect(error).toBeUndefined();
			expect(service.requests.map(({ body }) => body)).toEqual(
				titles.map((title) => ({ seo_title: title })),
			);
			expect(results).toHaveLength(3);
			for (const result of results) expect(result).toMatchObject([{ id: demoForms.contact }]);
		});

		it('gives a listing as one result', async () => {
			const list = { resource: 'form', operation: 'getAll', returnAll: true };
			const { results } = await runAgent(account, agent, list, itemsOf({}, {}));
			const ids = Object.values(demoForms).map((id) => expect.objectContaining({ id }));
			expect(results).toEqual([expect.arrayContaining(ids), expect.arrayContaining(ids)]);
		});

		it('sends nothing that is not valid, and says why', async () => {
			const { results, error } = await runAgent(
				account,
				agent,
				update,
				itemsOf({ title: 'x'.repeat(256) }, { title: 'y'.repeat(256) }),
			);
			expect(service.requests).toEqual([]);
			expect(error?.message ?? JSON.stringify(results)).toMatch(/255 characters/);
		});
	},
);

describe.each(agents)('a tool with Retry On Fail that %s runs for an agent', (agent) => {
	/** Lets an agent add a response for each text. */
	async function add(...texts: string[]) {
		const [{ uuid }] = service.store.fields(demoForms.contact);
		const before = service.store.responses(demoForms.contact).length;
		const parameters = {
			resource: 'response',
			operation: 'create',
			formId: locator(demoForms.contact),
			inputMode: 'json',
			answersJson: `={{ { "${uuid}": $fromAI('text', 'The text', 'string') } }}`,
		};
		const items = itemsOf(...texts.map((text) => ({ text })));
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
		const { results, error } = await runAgent(account, agent, parameters, items, retry);
		const added = service.store.responses(demoForms.contact).slice(before);
		return { results, error, added: added.map(({ answers }) => answers[uuid]) };
	}

	it('adds no response twice where the service may have taken it', async () => {
		service.faults.set({ fault: 'dropAfter' });
		const { results, error, added } = await add('Ada');
		expect(added).toEqual(['Ada']);
		expect(error?.message ?? JSON.stringify(results)).toMatch(/may or may not have been added/);
	});

	it('tries again what was certainly not taken', async () => {
		service.faults.set({ fault: status(403, 'Not yet.'), times: 1 });
		const { error, added } = await add('Ada');
		expect(error).toBeUndefined();
		expect(added).toEqual(['Ada']);
	});

	it('adds what two calls of the model ask for, even if they ask for the same', async () => {
		const { error, added } = await add('Ada', 'Ada');
		expect(error).toBeUndefined();
		expect(added).toEqual(['Ada', 'Ada']);
	});
});

describe('what a model gets of a result', () => {
	const listForms = { resource: 'form', operation: 'getAll', returnAll: true };
	const resultOf = async (parameters: INodeParameters) => {
		const { results, error } = await runAgent(account, 'itself', parameters, itemsOf({}));
		expect(error).toBeUndefined();
		return results[0] as IDataObject[];
	};

	it('is simplified, or raw, or only its ID and the fields that were selected', async () => {
		const formId = locator(demoForms.contact);
		const get = { resource: 'form', operation: 'get', formId };
		expect(await resultOf(get)).toEqual([expect.not.objectContaining({ cta_label: null })]);
		expect((await resultOf({ ...get, output: 'raw' }))[0]).toHaveProperty('cta_label');
		for (const outputFields of [['name', 'absent'], 'name, absent']) {
			const selected = { ...get, output: 'selectedFields', outputFields };
			expect(await resultOf(selected)).toEqual([{ id: demoForms.contact, name: 'Contact' }]);
		}
	});

	it('is no more of a listing than was asked for, and says how many there are and how to get more', async () => {
		const all = (await resultOf(listForms)).map(({ id }) => id);
		const two = { ...listForms, returnAll: false, limit: 2 };
		const first = await resultOf(two);
		expect(first.slice(0, 2).map(({ id }) => id)).toEqual(all.slice(0, 2));
		expect(first[2]).toEqual({
			notice: `Results 1 to 2 of ${all.length}. Set 'Skip' to 2 to get the next ones, or narrow the search.`,
		});
		const rest = await resultOf({ ...two, limit: 100, skip: 4 });
		expect(rest.slice(0, -1).map(({ id }) => id)).toEqual(all.slice(4));
		expect(rest.at(-1)).toEqual({
			notice: `Results 5 to ${all.length} of ${all.length}.`,
		});
	});

	it('is no longer than a model can use, however much there is', async () => {
		const { id } = service.store.addForm({ name: 'Many', fields: [{ label: 'Text' }] });
		const [{ uuid }] = service.store.fields(id);
		for (let index = 0; index < 60; index++) {
			service.store.addResponse(id, { answers: { [uuid]: 'x'.repeat(1_000) } });
		}
		const list = { resource: 'response', operation: 'getAll', returnAll: true };
		const result = await resultOf({ ...list, formId: locator(id) });
		expect(JSON.stringify(result).length).toBeLessThan(21_000);
		expect(result.at(-1)?.notice).toMatch(/^Results 1 to 1\d of 60\. Set 'Skip' to 1\d to get/);
	});

	it('is an error where Skip or Output make no sense', async () => {
		for (const odd of [{ skip: -1 }, { output: 'all' }]) {
			const { results, error } = await runAgent(
				account,
				'itself',
				{ ...listForms, ...odd },
				itemsOf({}),
			);
			expect(error?.message ?? JSON.stringify(results)).toMatch(/'(Skip|Output)' must be/);
		}
		expect(service.requests).toEqual([]);
	});
});

describe('what a model reads of an operation', () => {
	const textOf = ({ properties }: OperationCase) =>
		String(properties.find(({ name }) => name === 'toolDescription')?.default);

	it('says more than its action, for each of them', () => {
		const texts = operationCases.map(textOf);
		expect(new Set(texts).size).toBe(texts.length);
		for (const text of texts) expect(text).toMatch(/^=?[A-Z].{60,}[.}]$/);
	});

	it('names every setting', () => {
		const text = textOf(operationNamed('Setting: Update'));
		for (const { name } of settings) expect(text).toContain(name);
	});

	const create = { resource: 'response', operation: 'create', formId: locator(demoForms.survey) };
	const read = async (parameters: INodeParameters) => {
		const { descriptions, error } = await runAgent(
			account,
			'itself',
			{ ...create, ...parameters },
			itemsOf({}),
		);
		expect(error).toBeUndefined();
		return descriptions;
	};

	it('names the choices of the fields that are mapped, and nothing else of them', async () => {
		const { fields: schema } = await n8n.getFormFields(demoForms.survey);
		const value = { 'How satisfied are you?': 'Very' };
		const mapper = { mappingMode: 'defineBelow', matchingColumns: [], value, schema };
		const [text] = await read({ fields: mapper as never });
		expect(text).toMatch(/^Adds a response \(submission\) to a form, /);
		expect(text).toMatch(/ Choices of "How satisfied are you\?": Very, Somewhat, Not at all\./);
		expect(text).not.toMatch(/UUID|[0-9a-f]{8}-|Comment/);
	});

	it('says how answers are given as JSON', async () => {
		const answersJson = '{"Comment (2)": "x"}';
		const [text] = await read({ inputMode: 'json', answersJson });
		expect(text).toMatch(/an object by labels, custom keys or UUIDs of fields/);
	});
});
