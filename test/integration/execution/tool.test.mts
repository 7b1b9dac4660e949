import { NodeHelpers, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../nodes/FormService/settings/settings.ts';
import { demoForms, status, type Fault, type FaultName } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { nodeOf } from '../n8n/package.mts';
import { operationCases } from '../resources/operations.mts';
import { running } from '../world.mts';
import { agents, runAgent } from './agent.mts';

const { service } = await running();
const { contact } = demoForms;

type Agent = (typeof agents)[number];

const run = async (
	agent: Agent,
	parameters: INodeParameters,
	rows: IDataObject[] = [{}],
	tool: Partial<INode> = {},
) => {
	const account = { accessToken: service.token, baseUrl: service.url };
	return await runAgent(account, agent, parameters, itemsOf(...rows), tool);
};

/** What an agent reads of a failed tool: an agent of n8n 2 gets the error as the tool's result. */
const messageOf = ({ error, results }: { error?: Error; results: unknown[] }) =>
	error?.message ?? (results as [IDataObject[]])[0][0].error;

describe.each(agents)('A tool that %s runs for an agent', (agent) => {
	const update = {
		resource: 'setting',
		operation: 'update',
		formId: locator(contact),
		settings: { seo_title: "={{ $fromAI('title', 'The title', 'string') }}" },
	};

	it('does what is asked for each item of the agent', async () => {
		const rows = ['One', 'Two', 'Three'].map((title) => ({ title }));
		const { results, error } = await run(agent, update, rows);
		expect(error).toBeUndefined();
		const bodies = rows.map(({ title }) => ({ body: { seo_title: title } }));
		expect(service.requests).toMatchObject(bodies);
		expect(results).toEqual(Array(3).fill([expect.objectContaining({ id: contact })]));
	});

	it('returns the page of a listing as one result', async () => {
		const page = { resource: 'form', operation: 'getAll', limit: 2, skip: 1 };
		const [result] = (await run(agent, page)).results as [IDataObject[]];
		expect(result).toHaveLength(3);
		expect(result[2].notice).toMatch(/^2 of 5 results, after skipping 1\. Set 'Skip' to 3 /);
	});

	it('sends nothing that is invalid, and says why', async () => {
		const settings = { ...update.settings, captcha: 'none of them' };
		const done = await run(agent, { ...update, settings }, [{ title: 'x'.repeat(256) }]);
		expect(service.requests).toEqual([]);
		const problems = /^2 settings can't be updated\. Nothing was sent\. '.*\. '.*255 characters/;
		expect(messageOf(done)).toMatch(problems);
		const goesOn = { onError: 'continueRegularOutput' } as const;
		const { results } = await run(agent, { ...update, settings }, [{ title: 'x' }], goesOn);
		expect(results).toEqual([[{ error: expect.stringMatching(/^'CAPTCHA' must be one of /) }]]);
	});

	/** Lets an agent add a response for each text, with Retry On Fail. */
	async function add(...texts: string[]) {
		const [{ uuid }] = service.store.fields(contact);
		const before = service.store.responses(contact).length;
		const answersJson = `={{ { "${uuid}": $fromAI('text', 'The text', 'string') } }}`;
		const parameters = { ...addTo(contact), answersJson };
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
		const rows = texts.map((text) => ({ text }));
		const done = await run(agent, parameters, rows, retry);
		const added = service.store.responses(contact).slice(before);
		return { ...done, added: added.map(({ answers }) => answers[uuid]) };
	}

	it.each<[string, number, Fault | FaultName]>([
		['no reply', 1, 'dropAfter'],
		['an error that quotes a system error', 0, status(502, 'upstream: read ECONNRESET')],
	])('never adds a response again, and says that it may be added, after %s', async (...given) => {
		const [, count, fault] = given;
		service.faults.set({ fault, match: { method: 'POST' } });
		const done = await add('Ada');
		expect(done.added).toHaveLength(count);
		expect(messageOf(done)).toMatch(/The response may or may not have been added/);
	});

	it('adds a response again that was refused, and the same response for a second call', async () => {
		service.faults.set({ fault: status(403, 'Not yet.'), match: { method: 'POST' }, times: 1 });
		const { error, added } = await add('Ada', 'Ada');
		expect(error).toBeUndefined();
		expect(added).toEqual(['Ada', 'Ada']);
	});
});

describe('A model', () => {
	const resultOf = async (parameters: INodeParameters) => {
		const { results, error } = await run('itself', parameters);
		expect(error).toBeUndefined();
		return results[0] as IDataObject[];
	};

	it('gets a simplified result, a raw one, or its ID and the selected fields', async () => {
		const get = { resource: 'form', operation: 'get', formId: locator(contact) };
		expect(await resultOf(get)).toEqual([expect.not.objectContaining({ cta_label: null })]);
		expect((await resultOf({ ...get, output: 'raw' }))[0]).toHaveProperty('cta_label');
		const selected = { ...get, output: 'selectedFields', outputFields: 'name, absent' };
		expect(await resultOf(selected)).toEqual([{ id: contact, name: 'Contact' }]);
		const outputFields = ['Name', 'number'];
		const list = { resource: 'response', operation: 'getAll', formId: locator(contact), limit: 1 };
		const [response] = await resultOf({ ...list, output: 'selectedFields', outputFields });
		expect(Object.keys(response)).toEqual(['uuid', ...outputFields]);
	});

	it.each([
		[{ skip: -1 }, "'Skip' must be a whole number of at least 0"],
		[{ output: 'selectedFields', outputFields: 'id, ' }, "'Fields' has an empty entry"],
	])('is told what is wrong with %j', async (parameters, problem) => {
		const getAll = { resource: 'form', operation: 'getAll' };
		expect(messageOf(await run('itself', { ...getAll, ...parameters }))).toContain(problem);
		expect(service.requests).toEqual([]);
	});

	it.each([null, '', 'null'])('leaves a filter out by giving %j for it', async (value) => {
		const condition = { field: 'Name', operator: 'is', value };
		const conditions = { conditions: [condition, { ...condition, field: value }] };
		const filters = { text: value, after: value, before: value, conditions };
		const getAll = { resource: 'response', operation: 'getAll', formId: locator(contact) };
		const given = { ...getAll, filters } as unknown as INodeParameters;
		expect(await resultOf(given)).toEqual(await resultOf(getAll));
	});

	it('gets no files, even if the options ask for them', async () => {
		const given = { formId: locator(demoForms.application), options: { downloadFiles: true } };
		const responses = await resultOf({ ...given, resource: 'response', operation: 'getAll' });
		expect(JSON.stringify(responses)).toContain('cv.txt');
		const [{ uuid }] = service.store.responses(contact);
		const pdf = { resource: 'response', operation: 'getPdf', responseId: uuid };
		const [result] = await resultOf({ ...pdf, download: true });
		expect(result).toEqual({ uuid, pdf_url: expect.stringMatching(/pdf$/) });
		expect(service.visits).toEqual([]);
	});

	it('reads a description of its own of each operation, with all settings', () => {
		const all = operationCases.flatMap(({ properties }) => properties);
		const texts = all.filter(({ name }) => name === 'toolDescription').map((one) => one.default);
		expect(new Set(texts).size).toBe(operationCases.length);
		for (const text of texts) expect(text).toMatch(/^[A-Z][^{}]{60,}\.$/);
		// longer ones are refused by OpenAI and Azure, and with them the whole agent
		for (const text of texts) expect(String(text).length).toBeLessThanOrEqual(1_024);
		for (const { name } of settings) expect(texts.join(' ')).toContain(name);
	});

	it('is shown this description, and not the one of n8n', () => {
		const { description } = nodeOf('formService');
		const type = { ...description, name: 'formServiceTool' };
		const node = { type: 'formServiceTool', typeVersion: 1 } as INode;
		const { properties } = description;
		const parameters = NodeHelpers.getNodeParameters(properties, {}, true, false, node, type)!;
		const text = NodeHelpers.getToolDescriptionForNode(
			{ parameters } as INode,
			nodeOf('formService'),
		);
		expect(text).toBe(parameters.toolDescription);
	});

	it('changes no setting by null, "" or "null"', async () => {
		const update = { resource: 'setting', operation: 'update', formId: locator(contact) };
		const fields = { seo_title: 'null', closed_message: null, cta_label: ' ', is_closed: true };
		const asFields = { settings: { ...fields, is_closed: 'true' } } as unknown as INodeParameters;
		await run('itself', { ...update, ...asFields });
		const asJson = { inputMode: 'json', settingsJson: "={{ $fromAI('settings', '', 'string') }}" };
		await run('itself', { ...update, ...asJson }, [{ settings: JSON.stringify(fields) }]);
		const expected = { is_closed: true };
		expect(service.requests.map(({ body }) => body)).toEqual([expected, expected]);
		const none = await run('itself', { ...update, ...asJson }, [{ settings: '{"slogan": null}' }]);
		expect(messageOf(none)).toContain('Add at least one setting');
	});
});
