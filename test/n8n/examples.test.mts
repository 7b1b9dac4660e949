import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual as isEqual } from 'node:util';
import lodash from 'lodash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET, startWorld, type World } from '../../scripts/demo/world.mts';
import { until } from '../../scripts/lib/command.mts';
import { type Choices, fillIn, readExample } from '../../scripts/lib/n8n/examples.mts';
import { type Execution, itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms, status } from '../service/index.mts';
import { startScriptedModel } from './scriptedModel.mts';

const RUN_TIMEOUT_MS = 120_000;
const { contact, survey } = demoForms;
const person = { Name: 'Ada Lovelace', Email: 'ada@example.com' };

let world: World;
let store: World['service']['store'];
let folder: string;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	folder = await temporaryFolder('n8n-examples', cleanup);
	world = await startWorld(folder, cleanup);
	({ store } = world.service);
}, 900_000);
afterAll(async () => await cleanup.disposeAsync());

/** What a node put out in an execution. */
const listJson = (run: Execution, node: string) => itemsOf(run, node).map(({ json }) => json);

/** Whether what a node put out contains a text. */
const hasText = (run: Execution, node: string, text: string) =>
	JSON.stringify(listJson(run, node)).includes(text);

/** Waits for an execution of an example's workflow that has ended and meets the condition. */
const findExecution = async (file: string, isWanted: (one: Execution) => boolean) =>
	await world.n8n.rest.waitForExecution(world.workflows[file], isWanted);

/** Runs an example by hand as the demo has imported it. */
const runExample = async (file: string) => await world.n8n.rest.run(world.workflows[file]);

const addMessage = (Message: string) =>
	store.addResponse(contact, { answers: { ...person, Message } });

/** Runs a copy of an example by hand, with other choices, or other parts of the nodes of these names. */
async function runChanged(
	file: string,
	choices: Partial<Choices>,
	changes: Record<string, object> = {},
) {
	const { rest } = world.n8n;
	const filled = fillIn(await readExample(file), { ...world.choices, ...choices });
	const nodes = filled.nodes.map((node) => lodash.merge({}, node, changes[node.name]));
	return await rest.run(await rest.createWorkflow({ ...filled, nodes }));
}

/** Adds a response to the contact form with this message; returns the execution that it started. */
async function addAndWait(file: string, message: string): Promise<Execution> {
	addMessage(message);
	return await findExecution(file, (run) => hasText(run, 'New Response', message));
}

const callWebhook = async (path: string, body: object) => {
	const headers = { 'content-type': 'application/json' };
	const init = { method: 'POST', headers, body: JSON.stringify(body) };
	return await fetch(`${world.n8n.url}/webhook/${path}`, init);
};

const countMessages = (message: string) =>
	store.responses(contact).filter(({ answers }) => Object.values(answers).includes(message)).length;

describe('the example', () => {
	it('Act on New Responses sums up answers', async () => {
		const run = await addAndWait('act-on-new-responses.json', 'Is it open on Sunday?');
		const summary = 'Name: Ada Lovelace\nEmail: ada@example.com\nMessage: Is it open on Sunday?';
		expect(listJson(run, 'Summary')[0].summary).toBe(summary);
	});

	it('Add a Response adds one for each call, and Add Orders Once one for an order that comes twice', async () => {
		const body = { name: 'Grace', email: 'grace@example.com', message: 'By webhook' };
		expect((await callWebhook('form-service-add-response', body)).status).toBe(200);
		expect(countMessages('By webhook')).toBe(1);
		const order = { name: 'Grace', email: 'grace@example.com', message: 'Order 4711' };
		for (const status of ['created', 'skipped']) {
			const reply = await callWebhook('form-service-add-order', order);
			expect(await reply.json()).toMatchObject({ status });
		}
		expect(countMessages(order.message)).toBe(1);
	});

	it('All Forms into One Table writes a row of a file for each response', async () => {
		addMessage('For the table');
		const run = await findExecution('all-forms-into-one-table.json', (one) =>
			hasText(one, 'Row', 'For the table'),
		);
		const [{ binary }] = itemsOf(run, 'Convert to File');
		expect(binary?.data).toMatchObject({ mimeType: 'text/csv' });
	});

	it('Announce Changed Forms prepares a message if a form is renamed or closed', async () => {
		store.editSettings(survey, { name: 'Feedback', is_closed: true });
		const run = await findExecution('announce-changed-forms.json', (one) =>
			hasText(one, 'Changed Form', 'Feedback'),
		);
		const text = 'The form Feedback was renamed and closed.';
		expect(listJson(run, 'Message')).toMatchObject([{ text }]);
		// later examples update open forms
		store.editSettings(survey, { is_closed: false });
	});

	it('Close and Open Forms from a Sheet previews changes at first, and then makes them', async () => {
		const file = 'close-and-open-forms-from-a-sheet.json';
		const isClosed = () => Boolean(store.form(contact)?.settings.is_closed);
		const [preview] = listJson(await runExample(file), 'Preview Changes');
		expect(preview).toMatchObject({ status: 'preview', changes: { is_closed: { to: true } } });
		expect(isClosed()).toBe(false);
		const updated = await runChanged(file, {}, { 'Update Forms': { disabled: false } });
		expect(listJson(updated, 'Update Forms')[0].status).toBe('updated');
		expect(isClosed()).toBe(true);
		store.editSettings(contact, { is_closed: false });
	});

	it('Export Responses into a Table writes each response once, with a column for each question', async () => {
		const complete = store.responses(contact).filter(({ isIncomplete }) => !isIncomplete);
		for (let times = 0; times < 2; times++) await runExample('export-responses-into-a-table.json');
		const rows = await world.n8n.rest.listRows(world.tables.Responses);
		const uuids = complete.map(({ uuid }) => uuid);
		expect(rows.map(({ response }) => response).sort()).toEqual(uuids.sort());
		expect(rows.map(({ email }) => email)).toContain('ada@example.com');
	});

	it('Get PDFs of New Responses downloads a PDF of each', async () => {
		const run = await addAndWait('get-pdfs-of-new-responses.json', 'Please print this.');
		const [{ json, binary }] = itemsOf(run, 'Store the File');
		expect(json.uuid).toBe(listJson(run, 'New Response')[0].uuid);
		expect(binary?.data).toMatchObject({ mimeType: 'application/pdf', fileExtension: 'pdf' });
	});

	it('Handle Responses One by One starts a workflow for each, and Deliver Responses Again repeats it', async () => {
		const { rest } = world.n8n;
		const messages = ['First by itself', 'Second by itself'];
		const hasHandledAll = async (times: number) => {
			const runs = await rest.executions(world.choices.subWorkflow!.id);
			const single = runs.filter((run) => itemsOf(run, 'Handle').length === 1);
			const count = (text: string) => single.filter((run) => hasText(run, 'Handle', text)).length;
			return messages.every((message) => count(message) === times);
		};
		for (const message of messages) addMessage(message);
		expect(await until(async () => await hasHandledAll(1), RUN_TIMEOUT_MS)).toBe(true);
		expect((await runExample('deliver-responses-again.json')).status).toBe('success');
		expect(await until(async () => await hasHandledAll(2), RUN_TIMEOUT_MS)).toBe(true);
	});

	it('Keep Rows up to Date adds a row for a response, which follows the answers', async () => {
		const { uuid, answers } = store.addResponse(contact, { answers: person });
		const field = store.fields(contact).find(({ label }) => label === 'Message')!;
		// an answer that is removed leaves an empty cell
		for (const message of ['First answer', '']) {
			answers[field.uuid] = message;
			const hasAnswer = async () => {
				const rows = await world.n8n.rest.listRows(world.tables['Latest Answers']);
				const messages = rows.filter(({ response }) => response === uuid).map((row) => row.message);
				return isEqual(messages, [message]);
			};
			expect(await until(hasAnswer, RUN_TIMEOUT_MS), message).toBe(true);
		}
	});

	it('Let an Agent Use a Form has it find a response, add one, and close the form', async () => {
		addMessage('Where is my delivery?');
		const added = { ...person, Message: 'Added by the agent' };
		const script = [
			{ tool: 'Find_Responses', args: { text: 'my delivery', limit: 5, skip: 0 } },
			{ tool: 'Add_Response', args: added },
			{ tool: 'Open_or_Close_Form', args: { is_closed: true } },
			{ answer: 'Done' },
		];
		const { url, listResults } = await startScriptedModel(script, cleanup);
		const data = { apiKey: 'none', url };
		const id = await world.n8n.rest.saveCredential('Model', 'openAiApi', data);
		const choices = { answers: added, model: { id, name: 'Model' } };
		const run = await runChanged('let-an-agent-use-a-form.json', choices);
		expect(listJson(run, 'AI Agent')[0].output).toBe('Done');
		expect(listResults()[0]).toContain('Where is my delivery?');
		expect(countMessages(added.Message)).toBe(1);
		expect(Boolean(store.form(contact)?.settings.is_closed)).toBe(true);
		store.editSettings(contact, { is_closed: false });
	});
});

/** The paths of n8n's files that have this text, whatever their kind. */
const findFiles = (text: string) =>
	spawnSync('grep', ['-rlF', text, folder], { encoding: 'utf8' }).stdout;

it('n8n has stored and logged no token and no secret of a record, also of a service that quotes the token', async () => {
	const { service, n8n } = world;
	service.faults.set({ fault: status(403, `The token ${service.token} has no access.`) });
	const run = await runExample('update-many-forms.json');
	expect(run.data.resultData.error?.message).toContain('The token [access token] has no access');
	await n8n.stop();
	// what was asked for is found, so what is not found is not there
	expect(findFiles('Please print this.')).not.toBe('');
	for (const secret of [service.token, SECRET]) expect(findFiles(secret)).toBe('');
});
