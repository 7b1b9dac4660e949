import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../scripts/demo/world.mts';
import { submitFormPage } from '../service/submitForm.mts';
import { exampleFiles, fillIn, readExample } from '../../scripts/lib/n8n/examples.mts';
import { type Execution, itemsOf, type WorkflowFile } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms } from '../service/index.mts';
import { startScriptedModel } from './agent/scriptedModel.mts';
import { until } from './delivery/submissions.mts';
import { ended } from './instance.mts';

const RUN_TIMEOUT_MS = 60_000;
const { contact, survey, event } = demoForms;
const person = { Name: 'Ada Lovelace', Email: 'ada@example.com' };

let world: World;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	world = await startWorld(await temporaryFolder('n8n-examples', cleanup), cleanup);
}, 900_000);
afterAll(async () => await cleanup.disposeAsync());

/** The first execution of an example's workflow that has ended and meets the condition. */
async function findExecution(
	file: string,
	meets: (candidate: Execution) => boolean,
): Promise<Execution> {
	const { rest } = world.n8n;
	const deadline = Date.now() + RUN_TIMEOUT_MS;
	while (Date.now() < deadline) {
		for (const id of await rest.executionIds(world.workflows[file])) {
			const candidate = await rest.execution(id);
			if (!['running', 'new', 'waiting'].includes(candidate.status) && meets(candidate))
				return candidate;
		}
		await sleep(500);
	}
	throw new Error(`No such execution of ${file} within ${RUN_TIMEOUT_MS / 1000} s.`);
}

/** Runs an example by hand as the demo has imported it. */
async function runExample(file: string): Promise<Execution> {
	return await ended(world, await world.n8n.rest.run(world.workflows[file], 'Start'));
}

type Change = (workflow: WorkflowFile) => WorkflowFile;

/** Runs a changed copy of an example by hand. */
async function runChanged(file: string, change: Change, more = {}, start = 'Start') {
	const { rest } = world.n8n;
	const choices = { ...world.choices, ...more };
	const filled = await fillIn(rest, await readExample(file), choices);
	const id = await rest.createWorkflow(change(filled));
	return await ended(world, await rest.run(id, start));
}

const changeNothing: Change = (workflow) => workflow;
const changeNode =
	(name: string, change: object): Change =>
	(workflow) => ({
		...workflow,
		nodes: workflow.nodes.map((node) => (node.name === name ? { ...node, ...change } : node)),
	});

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

describe('each example', () => {
	it('has a title, a file name that matches, and numbered steps that begin with the credential', async () => {
		for (const file of await exampleFiles()) {
			const { name, nodes } = await readExample(file);
			for (const { type } of nodes) {
				expect(type).toMatch(/^(n8n-nodes-base|@n8n\/n8n-nodes-langchain|n8n-nodes-formservice)\./);
			}
			const [note] = nodes.filter(({ type }) => type.endsWith('.stickyNote'));
			const text = String(note.parameters.content);
			const title = /^## (.*)$/m.exec(text)?.[1];
			expect(name).toBe(`Form Service: ${title}`);
			expect(file).toBe(`${title?.toLowerCase().replaceAll(' ', '-')}.json`);
			const steps = text.match(/^\d\. .*$/gm) ?? [];
			expect(steps.length, file).toBeGreaterThan(1);
			expect(steps[0], file).toContain('credential');
		}
	});
});

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
		const more = { form: { id, name: 'Files' } };
		const test = await runChanged(file, changeNothing, more, 'New Response');
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

	it('Ask a Model about Responses gives a model the newest responses about a topic', async () => {
		const { store } = world.service;
		store.addResponse(contact, { answers: { Message: 'When is the delivery?' } });
		store.addResponse(contact, { answers: { Message: 'Something else' } });
		const { url, told } = await startScriptedModel([{ answer: 'About delivery' }], cleanup);
		const data = { apiKey: 'none', url };
		const id = await world.n8n.rest.saveCredential({ name: 'Model', type: 'openAiApi', data });
		const more = { model: { id, name: 'Model' } };
		const file = 'ask-a-model-about-responses.json';
		const run = await runChanged(file, changeNothing, more);
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
		const updated = await runChanged(file, changeNode('Update Forms', { disabled: false }));
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
		const rows = await world.n8n.rest.rowsOf(world.table);
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
			const ids = await rest.executionIds(world.choices.subWorkflow!.id);
			const runs = await Promise.all(ids.map(async (id) => await rest.execution(id)));
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

		const stopped = await runChanged(file, changeNothing, { settings: {} });
		expect(stopped.status).toBe('error');

		const name = 'Update Settings';
		const update: Change = (workflow) => {
			const { parameters } = workflow.nodes.find((node) => node.name === name)!;
			const options = { skipUnchanged: true };
			return changeNode(name, { parameters: { ...parameters, options } })(workflow);
		};
		expect((await runChanged(file, update)).status).toBe('success');
		expect([contact, survey, event].map(readCaptcha)).toEqual(['altcha', 'altcha', null]);
	});
});
