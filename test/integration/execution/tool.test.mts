import { NodeHelpers, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../nodes/FormService/settings/settings.ts';
import { demoForms, status, success, type Fault, type FaultName } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { nodeOf } from '../n8n/package.mts';
import { operationCases } from '../resources/operations.mts';
import { running } from '../world.mts';
import { agents, runAgent, type Agent } from './agent.mts';

const { service } = await running();
const { application, contact } = demoForms;

async function run(
	agent: Agent,
	parameters: object,
	rows: IDataObject[] = [{}],
	tool: Partial<INode> = {},
) {
	const account = { accessToken: service.token, baseUrl: service.url };
	return await runAgent(account, agent, parameters as INodeParameters, itemsOf(...rows), tool);
}

/** What an agent reads of a failed tool: an agent of n8n 2 gets the error as the tool's result. */
const messageOf = ({ error, results }: { error?: Error; results: unknown[] }) =>
	error?.message ?? (results as [IDataObject[]])[0][0].error;

const update = { resource: 'setting', operation: 'update', formId: locator(contact) };

describe.each(agents)('A tool that %s runs for an agent', (agent) => {
	const settings = { seo_title: "={{ $fromAI('title', 'The title', 'string') }}" };

	it('does what is asked for each item of the agent', async () => {
		const rows = ['One', 'Two', 'Three'].map((title) => ({ title }));
		const { results, error } = await run(agent, { ...update, settings }, rows);
		expect(error).toBeUndefined();
		const bodies = rows.map(({ title }) => ({ body: { seo_title: title } }));
		expect(service.requests).toMatchObject(bodies);
		expect(results).toEqual(Array(3).fill([expect.objectContaining({ id: contact })]));
	});

	it('sends nothing that is invalid, and says why', async () => {
		const wrong = { ...update, settings: { ...settings, captcha: 'none of them' } };
		const done = await run(agent, wrong, [{ title: 'x'.repeat(256) }]);
		expect(service.requests).toEqual([]);
		const problems = /^2 settings can't be updated\. Nothing was sent\. '.*\. '.*255 characters/;
		expect(messageOf(done)).toMatch(problems);
		const goesOn = { onError: 'continueRegularOutput' } as const;
		const { results } = await run(agent, wrong, [{ title: 'x' }], goesOn);
		expect(results).toEqual([[{ error: expect.stringMatching(/^'CAPTCHA' must be one of /) }]]);
	});

	/** Lets an agent add a response for each text, with Retry On Fail. */
	async function add(fault: Fault | FaultName, times: number, ...texts: string[]) {
		const { id } = service.store.addForm({ name: 'New', fields: [{ uuid: 'a', label: 'A' }] });
		service.faults.set({ fault, match: { method: 'POST' }, times });
		const answersJson = "={{ { a: $fromAI('text', 'The text', 'string') } }}";
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
		const rows = texts.map((text) => ({ text }));
		const done = await run(agent, { ...addTo(id), answersJson }, rows, retry);
		return { ...done, added: service.store.responses(id).map(({ answers }) => answers.a) };
	}

	it.each<[string, Fault | FaultName, string[]]>([
		['no reply', 'dropAfter', ['Ada']],
		['an error that quotes a system error', status(502, 'upstream: read ECONNRESET'), []],
	])('never adds a response again, and says that it may be added, after %s', async (...given) => {
		const [, fault, added] = given;
		const done = await add(fault, Infinity, 'Ada');
		expect(done.added).toEqual(added);
		expect(messageOf(done)).toMatch(/The response may or may not have been added/);
	});

	it('adds a response again that was refused, and the same response for a second call', async () => {
		const { error, added } = await add(status(403, 'Not yet.'), 1, 'Ada', 'Ada');
		expect(error).toBeUndefined();
		expect(added).toEqual(['Ada', 'Ada']);
	});
});

describe('A model', () => {
	const resultOf = async (parameters: object) => {
		const { results, error } = await run('itself', parameters);
		expect(error).toBeUndefined();
		return results[0] as IDataObject[];
	};

	const NEXT = " Set 'Skip' to <end> to get the next ones, or narrow the search.";
	const list = { resource: 'response', operation: 'getAll', formId: locator(contact) };

	it.each([
		[{}, 'ab', '2 of 5 results, after skipping 0.', 2],
		[{ skip: 2 }, 'cd', '2 of 5 results, after skipping 2.', 4],
		[{ skip: 1, limit: 1 }, 'b', '1 of 5 results, after skipping 1.', 2],
		[{ skip: 4, limit: 2 }, 'e', '1 of 5 results, after skipping 4.', undefined],
		[{ skip: 7 }, '', '0 of 5 results, after skipping 7.', undefined],
	])('gets with %j the responses "%s", which are not too long, and a notice', async (...given) => {
		const [parameters, uuids, counts, end] = given;
		const data = Array.from('abcde', (uuid) => ({ uuid, referrer: uuid.repeat(9_000) }));
		service.faults.set({ fault: success(data) });
		const results = await resultOf({ ...list, sort: { order: 'listed' }, ...parameters });
		const next = end === undefined ? '' : NEXT.replace('<end>', String(end));
		expect(results.pop()).toEqual({ notice: counts + next });
		expect(results.map(({ uuid }) => uuid).join('')).toBe(uuids);
	});

	it('gets the start of a result that is too long, alone', async () => {
		const forms = [1, 2].map((id) => ({ id, name: 'x'.repeat(20_001) }));
		service.faults.set({ fault: success(forms) });
		const [result, notice] = await resultOf({ resource: 'form', operation: 'getAll' });
		expect(result).toEqual({ startOfResult: `{"id":1,"name":"${'x'.repeat(9_984)}` });
		expect(notice.notice).toMatch(/^1 of 2 /);
	});

	it('gets a simplified result, a raw one, or its ID and the selected fields', async () => {
		const get = { resource: 'form', operation: 'get', formId: locator(contact) };
		expect(await resultOf(get)).toEqual([expect.not.objectContaining({ cta_label: null })]);
		expect((await resultOf({ ...get, output: 'raw' }))[0]).toHaveProperty('cta_label');
		const responses = { 'What, e.g. [a.b]?': 'That' };
		service.faults.set({ fault: success([{ uuid: 'u', owner: { email: 'ada' }, responses }]) });
		const outputFields = ['What, e.g. [a.b]?', 'absent'];
		const selected = { ...list, output: 'selectedFields', outputFields };
		expect(await resultOf(selected)).toEqual([{ uuid: 'u', 'What, e.g. [a.b]?': 'That' }]);
		const workspace = { resource: 'workspace', operation: 'get', output: 'selectedFields' };
		service.faults.clear();
		const [owner] = await resultOf({ ...workspace, outputFields: 'owner.email' });
		expect(owner).toEqual({ 'owner.email': expect.stringContaining('@') });
	});

	it.each([
		[{ skip: -1 }, "'Skip' must be a whole number of at least 0"],
		[{ output: 'selectedFields', outputFields: 'id, ' }, "'Fields' has an empty entry"],
	])('is told what is wrong with %j', async (parameters, problem) => {
		const getAll = { resource: 'form', operation: 'getAll' };
		expect(messageOf(await run('itself', { ...getAll, ...parameters }))).toContain(problem);
		expect(service.requests).toEqual([]);
	});

	it.each([null, '', 'null'])(
		'leaves a filter or a setting out by giving %j for it',
		async (value) => {
			const condition = { field: 'Name', operator: 'is', value };
			const conditions = { conditions: [condition, { ...condition, field: value }] };
			const filters = { text: value, after: value, before: value, conditions };
			expect(await resultOf({ ...list, filters })).toEqual(await resultOf(list));
			service.requests.length = 0;
			const settings = { seo_title: value, closed_message: value, is_closed: 'true' };
			await run('itself', { ...update, settings });
			const settingsJson = "={{ $fromAI('settings', '', 'string') }}";
			const asJson = { ...update, inputMode: 'json', settingsJson };
			await run('itself', asJson, [{ settings: JSON.stringify(settings) }]);
			const body = { is_closed: true };
			expect(service.requests).toMatchObject([{ body }, { body }]);
			const none = await run('itself', asJson, [{ settings: JSON.stringify({ slogan: value }) }]);
			expect(messageOf(none)).toContain('Add at least one setting');
		},
	);

	it('gets no files, even if the options ask for them', async () => {
		const given = { ...list, formId: locator(application), options: { downloadFiles: true } };
		expect(JSON.stringify(await resultOf(given))).toContain('cv.txt');
		const [{ uuid }] = service.store.responses(contact);
		const pdf = { resource: 'response', operation: 'getPdf', responseId: uuid, download: true };
		expect(await resultOf(pdf)).toEqual([{ uuid, pdf_url: expect.stringMatching(/pdf$/) }]);
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
		const formService = nodeOf('formService');
		const type = { ...formService.description, name: 'formServiceTool' };
		const node = { type: 'formServiceTool', typeVersion: 1 } as INode;
		const parameters = NodeHelpers.getNodeParameters(type.properties, {}, true, false, node, type)!;
		const shown = NodeHelpers.getToolDescriptionForNode({ parameters } as INode, formService);
		expect(texts).toContain(shown);
	});
});
