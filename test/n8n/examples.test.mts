import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../scripts/lib/command.mts';
import { startWorld, type World } from '../../scripts/demo/world.mts';
import { submitFormPage } from '../service/submitForm.mts';
import { type Choices, fillIn, readExample } from '../../scripts/lib/n8n/examples.mts';
import { type Execution, itemsOf, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms } from '../service/index.mts';
import { connectMcp, startScriptedModel, type Step } from './scriptedModel.mts';

const RUN_TIMEOUT_MS = 120_000;
const AGENT = 'let-an-agent-use-a-form.json';
const MCP_PATH = 'form-service-tools';
const { contact, survey, event } = demoForms;
const person = { Name: 'Ada Lovelace', Email: 'ada@example.com' };

let world: World;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	world = await startWorld(await temporaryFolder('n8n-examples', cleanup), cleanup);
}, 900_000);
afterAll(async () => await cleanup.disposeAsync());

/** Waits for an execution of an example's workflow that has ended and meets the condition. */
const findExecution = async (file: string, isWanted: (one: Execution) => boolean) =>
	await world.n8n.rest.waitForExecution(world.workflows[file], isWanted);

/** Runs an example by hand as the demo has imported it. */
const runExample = async (file: string) => await world.n8n.rest.run(world.workflows[file]);

/** Runs a copy of an example by hand, with other choices or another node of this name. */
async function runChanged(
	file: string,
	choices: Partial<Choices>,
	changes: Record<string, object> = {},
	start = 'Start',
) {
	const { rest } = world.n8n;
	const filled = await fillIn(rest, await readExample(file), { ...world.choices, ...choices });
	const nodes = filled.nodes.map((node) => ({ ...node, ...changes[node.name] }));
	return await rest.run(await rest.createWorkflow({ ...filled, nodes }), start);
}

/** A model that follows a script, as a choice for an example. */
async function provideModel(script: Step[]) {
	const { url, told } = await startScriptedModel(script, cleanup);
	const data = { apiKey: 'none', url };
	const id = await world.n8n.rest.saveCredential({ name: 'Model', type: 'openAiApi', data });
	return { told, choices: { model: { id, name: 'Model' } } };
}

/** Submits the contact form with this message; returns the execution that it started. */
async function submitAndWait(file: string, message: string): Promise<Execution> {
	await submitFormPage(world.service, contact, { ...person, Message: message });
	return await findExecution(file, (candidate) =>
		JSON.stringify(itemsOf(candidate, 'New Response')).includes(message),
	);
}

const callWebhook = async (path: string, body: object) => {
	const headers = { 'content-type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify(body) };
	return await fetch(`${world.n8n.url}/webhook/${path}`, init);
};

const countMessages = (message: string) =>
	world.service.store
		.responses(contact)
		.filter(({ answers }) => Object.values(answers).includes(message)).length;

describe('the example', () => {
	it('Act on New Responses sums up answers, files by their addresses', async () => {
		const file = 'act-on-new-responses.json';
		const run = await submitAndWait(file, 'Is it open on Sunday?');
		expect(run.status).toBe('success');
		expect(itemsOf(run, 'Summary')[0].json.summary).toBe(
			'Name: Ada Lovelace\nEmail: ada@example.com\nMessage: Is it open on Sunday?',
		);
		const { id } = world.service.store.addForm({
			name: 'Files',
			fields: [{ label: 'CV', type: 'file_upload' }],
		});
		const address = 'https://files.example/cv.pdf';
		world.service.store.addResponse(id, { answers: { CV: [`cv.pdf|${address}`] } });
		const test = await runChanged(file, { form: { id, name: 'Files' } }, {}, 'New Response');
		expect(itemsOf(test, 'Summary')[0].json.summary).toBe(`CV: ${address}`);
	});

	it('Add a Response adds a response for each call of a webhook', async () => {
		const body = { name: 'Grace', email: 'grace@example.com', message: 'By webhook' };
		expect((await callWebhook('form-service-add-response', body)).status).toBe(200);
		expect(countMessages('By webhook')).toBe(1);
	});

	it('Add Orders Once adds an order that comes twice once', async () => {
		const order = { name: 'Grace', email: 'grace@example.com', message: 'Order 4711' };
		const statuses = [];
		for (let times = 0; times < 2; times++) {
			const reply = await callWebhook('form-service-add-order', order);
			statuses.push(((await reply.json()) as { status: string }).status);
		}
		expect(statuses).toEqual(['created', 'skipped']);
		expect(countMessages(order.message)).toBe(1);
	});

	it('All Forms into One Table gives the responses of all forms the same columns', async () => {
		const file = 'all-forms-into-one-table.json';
		const [{ uuid: field }] = world.service.store.fields(survey);
		const { uuid } = world.service.store.addResponse(survey, { answers: { [field]: 'Good' } });
		const message = 'For the table';
		await submitFormPage(world.service, contact, { ...person, Message: message });
		const rows = [];
		for (const text of [uuid, message]) {
			const listRows = (run: Execution) =>
				itemsOf(run, 'Row').filter(({ json }) => JSON.stringify(json).includes(text));
			const run = await findExecution(file, (candidate) => listRows(candidate).length > 0);
			expect(itemsOf(run, 'Convert to File')[0].binary?.data).toMatchObject({
				mimeType: 'text/csv',
			});
			rows.push(listRows(run)[0].json);
		}
		expect(rows.map(({ form }) => form)).toEqual(['Customer Survey', 'Contact']);
		expect(Object.keys(rows[0])).toEqual(Object.keys(rows[1]));
	});

	it('Announce Changed Forms prepares a message if a form is renamed, closed or opened', async () => {
		const file = 'announce-changed-forms.json';
		const change = async (settings: Record<string, string | boolean>) => {
			world.service.store.editSettings(survey, settings);
			const changed = JSON.stringify(Object.keys(settings).sort());
			const meets = (run: Execution) =>
				itemsOf(run, 'Changed Form').some(({ json }) => JSON.stringify(json.changed) === changed);
			const run = await findExecution(file, meets);
			return itemsOf(run, 'Message').map(({ json }) => json.text);
		};
		expect(await change({ name: 'Feedback', is_closed: true })).toEqual([
			'The form Feedback was renamed and closed.',
		]);
		expect(await change({ name: 'Customer Survey' })).toEqual([
			'The form Customer Survey was renamed.',
		]);
		expect(await change({ is_closed: false })).toEqual(['The form Customer Survey was opened.']);
		expect(await change({ seo_title: 'Feedback' })).toEqual([]);
	});

	it('Ask a Model about Responses gives a model the newest responses about a topic', async () => {
		const { store } = world.service;
		store.addResponse(contact, { answers: { Message: 'When is the delivery?' } });
		store.addResponse(contact, { answers: { Message: 'Something else' } });
		const { choices, told } = await provideModel([{ answer: 'About delivery' }]);
		const run = await runChanged('ask-a-model-about-responses.json', choices);
		expect(itemsOf(run, 'Basic LLM Chain')[0].json.text).toBe('About delivery');
		expect(told.prompt).toContain('When is the delivery?');
		expect(told.prompt).not.toContain('Something else');
	});

	it('Close and Open Forms from a Sheet previews changes at first, and then makes them', async () => {
		const file = 'close-and-open-forms-from-a-sheet.json';
		const isClosed = () => Boolean(world.service.store.form(contact)?.settings.is_closed);
		const preview = await runExample(file);
		expect(preview.status).toBe('success');
		expect(itemsOf(preview, 'Preview Changes')[0].json).toMatchObject({
			status: 'preview',
			changes: { is_closed: { to: true } },
		});
		expect(isClosed()).toBe(false);
		const updated = await runChanged(file, {}, { 'Update Forms': { disabled: false } });
		expect(itemsOf(updated, 'Update Forms')[0].json.status).toBe('updated');
		expect(isClosed()).toBe(true);
		world.service.store.editSettings(contact, { is_closed: false });
	});

	it('Export Responses into a Table writes each response once, however often it runs', async () => {
		const wanted = world.service.store
			.responses(contact)
			.filter(({ isIncomplete }) => !isIncomplete)
			.map(({ uuid }) => uuid);
		for (let times = 0; times < 2; times++) {
			const { status } = await runExample('export-responses-into-a-table.json');
			expect(status).toBe('success');
		}
		const rows = await world.n8n.rest.rowsOf(world.tables.Responses);
		expect(rows.map(({ response }) => response).sort()).toEqual(wanted.sort());
		expect(JSON.parse(String(rows[0].answers))).toHaveProperty('Email');
	});

	it('Get PDFs of New Responses downloads a PDF of each', async () => {
		const run = await submitAndWait('get-pdfs-of-new-responses.json', 'Please print this.');
		expect(run.status).toBe('success');
		const [{ json, binary }] = itemsOf(run, 'Store the File');
		expect(json.uuid).toBe(itemsOf(run, 'New Response')[0].json.uuid);
		expect(binary?.data).toMatchObject({ mimeType: 'application/pdf', fileExtension: 'pdf' });
	});

	it('Handle Responses One by One starts a workflow for each, and Deliver Responses Again repeats it', async () => {
		const { rest } = world.n8n;
		const messages = ['First by itself', 'Second by itself'];
		const hasHandledAll = async (times: number) => {
			const runs = await rest.executions(world.choices.subWorkflow!.id);
			const items = runs.map((run) =>
				itemsOf(run, 'Handle').map(({ json }) => JSON.stringify(json)),
			);
			const count = (message: string) =>
				items.filter(([only, ...others]) => others.length === 0 && only?.includes(message)).length;
			return messages.every((message) => count(message) === times);
		};
		for (const Message of messages) {
			await submitFormPage(world.service, contact, { ...person, Message });
		}
		expect(await until(async () => await hasHandledAll(1), RUN_TIMEOUT_MS)).toBe(true);
		expect((await runExample('deliver-responses-again.json')).status).toBe('success');
		expect(await until(async () => await hasHandledAll(2), RUN_TIMEOUT_MS)).toBe(true);
	});

	it('Keep Rows up to Date adds a row for a response, which follows the answers', async () => {
		const { store } = world.service;
		const { uuid } = store.addResponse(contact, { answers: { Message: 'First answer' } });
		for (const Message of ['First answer', 'Second answer']) {
			store.changeResponse(uuid, { Message }, false);
			const hasAnswer = async () => {
				const rows = await world.n8n.rest.rowsOf(world.tables['Latest Answers']);
				const own = rows.filter(({ response }) => response === uuid);
				return own.length === 1 && String(own[0].answers).includes(Message);
			};
			expect(await until(hasAnswer, RUN_TIMEOUT_MS), Message).toBe(true);
		}
	});

	it('Let an Agent Use a Form has it find a response, add one and close the form', async () => {
		const { store } = world.service;
		store.addResponse(contact, { answers: { Message: 'Where is my delivery?' } });
		const added = { ...person, Message: 'Added by the agent' };
		const { choices, told } = await provideModel([
			{ tool: 'Find_Responses', args: { text: 'my delivery', limit: 5, skip: 0 } },
			{ tool: 'Add_Response', args: added },
			{ tool: 'Open_or_Close_Form', args: { is_closed: true } },
			{ answer: 'Done' },
		]);
		const run = await runChanged(AGENT, { ...choices, answers: added });
		expect(itemsOf(run, 'AI Agent')[0].json.output).toBe('Done');
		for (const description of told.toolDescriptions) expect(description).toMatch(/\w{3}/);
		expect(told.results[0]).toContain('Where is my delivery?');
		expect(countMessages(added.Message)).toBe(1);
		expect(Boolean(store.form(contact)?.settings.is_closed)).toBe(true);
		store.editSettings(contact, { is_closed: false });
	});

	it('Send Reminders for Abandoned Responses prepares one for each', async () => {
		const { store } = world.service;
		store.trackIncomplete(contact, true);
		const createdAt = new Date(Date.now() - 25 * 3_600_000).toISOString();
		const answers = { Email: 'left@example.com' };
		store.addResponse(contact, { incomplete: true, createdAt, answers });
		const file = 'send-reminders-for-abandoned-responses.json';
		const run = await findExecution(file, (one) => itemsOf(one, 'Reminder').length > 0);
		expect(itemsOf(run, 'Reminder').map(({ json }) => json)).toMatchObject([
			{ to: 'left@example.com', subject: 'Your answers to Contact' },
		]);
		store.trackIncomplete(contact, false);
	});

	it('Update Many Forms previews open forms, then updates them, and stops without settings', async () => {
		const file = 'update-many-forms.json';
		const readCaptcha = (form: string) => world.service.store.form(form)?.settings.captcha;
		const preview = itemsOf(await runExample(file), 'Update Settings');
		expect(preview.map(({ json }) => json.status)).toContain('preview');
		expect(readCaptcha(contact)).toBeNull();
		expect((await runChanged(file, { settings: {} })).status).toBe('error');
		const { nodes } = await fillIn(world.n8n.rest, await readExample(file), world.choices);
		const { parameters } = nodes.find(({ name }) => name === 'Update Settings')!;
		const options = { skipUnchanged: true };
		const updating = { 'Update Settings': { parameters: { ...parameters, options } } };
		expect((await runChanged(file, {}, updating)).status).toBe('success');
		expect([contact, survey, event].map(readCaptcha)).toEqual(['altcha', 'altcha', null]);
	});
});

it('n8n’s MCP Server Trigger offers the node as a tool to an MCP client', async () => {
	const { rest, url } = world.n8n;
	world.service.store.addResponse(contact, { answers: { Message: 'Asked for by the client' } });
	const { nodes } = await fillIn(rest, await readExample(AGENT), world.choices);
	const find = nodes.find(({ name }) => name === 'Find Responses')!;
	const server = workflowNode('Server', '@n8n/n8n-nodes-langchain.mcpTrigger', {
		typeVersion: 2,
		webhookId: MCP_PATH,
		parameters: { authentication: 'none', path: MCP_PATH },
	});
	const connections = {
		[find.name]: { ai_tool: [[{ node: server.name, type: 'ai_tool' as const, index: 0 }]] },
	};
	const workflow = { name: 'MCP', nodes: [server, find], connections };
	await rest.activate(await rest.createWorkflow(workflow));
	const address = `${url}/mcp/${MCP_PATH}`;
	const client = await vi.waitFor(async () => await connectMcp(address), { timeout: 30_000 });
	cleanup.defer(async () => await client.close());
	const call = { name: 'Find_Responses', arguments: { text: 'client', limit: 5, skip: 0 } };
	const reply = await client.callTool(call);
	expect(JSON.stringify(reply.content)).toContain('Asked for by the client');
});
