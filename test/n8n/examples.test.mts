import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../scripts/demo/world.mts';
import { submitFormPage } from '../../scripts/lib/formPage.mts';
import { exampleFiles, fillIn, readExample } from '../../scripts/lib/n8n/examples.mts';
import { type Execution, itemsOf, type WorkflowFile } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms } from '../service/index.mts';
import { startScriptedModel } from './agent/scriptedModel.mts';
import { until } from './delivery/submissions.mts';
import { ended } from './instance.mts';

const START_TIMEOUT_MS = 900_000;
const RUN_TIMEOUT_MS = 60_000;

let world: World;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	world = await startWorld(await temporaryFolder('n8n-examples', cleanup), cleanup);
}, START_TIMEOUT_MS);

afterAll(async () => await cleanup.disposeAsync());

/** The first execution of an example's workflow that has ended and meets the condition. */
async function execution(
	file: string,
	meets: (candidate: Execution) => boolean,
): Promise<Execution> {
	const deadline = Date.now() + RUN_TIMEOUT_MS;
	while (Date.now() < deadline) {
		for (const id of await world.n8n.rest.executionIds(world.workflows[file])) {
			const candidate = await world.n8n.rest.execution(id);
			if (!['running', 'new', 'waiting'].includes(candidate.status) && meets(candidate))
				return candidate;
		}
		await sleep(500);
	}
	throw new Error(`No such execution of ${file} within ${RUN_TIMEOUT_MS / 1000} s.`);
}

/** Runs a workflow of its own by hand, and gives the execution when it has ended. */
async function runOnce(workflow: WorkflowFile): Promise<Execution> {
	const id = await world.n8n.rest.createWorkflow(workflow);
	return await ended(world, await world.n8n.rest.run(id, 'Start'));
}

const person = { Name: 'Ada Lovelace', Email: 'ada@example.com' };

/** Submits the contact form with this message and gives the execution that it started. */
async function submitAndWait(file: string, message: string): Promise<Execution> {
	await submitFormPage(world.service, demoForms.contact, {
		...person,
		Message: message,
	});
	return await execution(file, (candidate) =>
		JSON.stringify(itemsOf(candidate, 'New Response')).includes(message),
	);
}

describe('the examples', () => {
	it('need no nodes but these and n8n’s own', async () => {
		for (const file of await exampleFiles()) {
			for (const { type } of (await readExample(file)).nodes) {
				expect(type).toMatch(/^(n8n-nodes-base|@n8n\/n8n-nodes-langchain|n8n-nodes-formservice)\./);
			}
		}
	});

	it('say in numbered steps what to choose, and begin with the credential', async () => {
		for (const file of await exampleFiles()) {
			const notes = (await readExample(file)).nodes.filter(({ type }) =>
				type.endsWith('.stickyNote'),
			);
			expect(notes, file).toHaveLength(1);
			const steps = String(notes[0].parameters.content).match(/^\d\. .*$/gm) ?? [];
			expect(steps.length, file).toBeGreaterThan(1);
			expect(steps[0], file).toContain('credential');
		}
	});

	it('put the responses of all forms into one table, with the same columns', async () => {
		const file = 'all-forms-into-one-table.json';
		const { survey } = demoForms;
		const [{ uuid: field }] = world.service.store.fields(survey);
		const { uuid } = world.service.store.addResponse(survey, { answers: { [field]: 'Good' } });
		const message = 'For the table';
		await submitFormPage(world.service, demoForms.contact, { ...person, Message: message });
		const rows = await Promise.all(
			[uuid, message].map(async (text) => {
				const run = await execution(file, (one) =>
					JSON.stringify(itemsOf(one, 'Row')).includes(text),
				);
				expect(itemsOf(run, 'Convert to File')[0].binary?.data).toMatchObject({
					mimeType: 'text/csv',
				});
				return itemsOf(run, 'Row').find(({ json }) => JSON.stringify(json).includes(text))!.json;
			}),
		);
		expect(rows.map(({ form }) => form)).toEqual([
			world.service.store.form(survey)?.settings.name,
			'Contact',
		]);
		expect(Object.keys(rows[0])).toEqual(Object.keys(rows[1]));
	});

	it('remind of an abandoned response', async () => {
		const { store } = world.service;
		store.trackIncomplete(demoForms.contact, true);
		const email = store.fields(demoForms.contact).find(({ type }) => type === 'email')!.uuid;
		store.addResponse(demoForms.contact, {
			incomplete: true,
			createdAt: new Date(Date.now() - 25 * 3_600_000).toISOString(),
			answers: { [email]: 'left@example.com' },
		});
		const run = await execution(
			'send-reminders-for-abandoned-responses.json',
			(one) => itemsOf(one, 'Reminder').length > 0,
		);
		expect(itemsOf(run, 'Reminder').map(({ json }) => json)).toMatchObject([
			{ to: 'left@example.com', subject: 'Your answers to Contact' },
		]);
		store.trackIncomplete(demoForms.contact, false);
	});

	it('act on a new response', async () => {
		const { status, ...run } = await submitAndWait(
			'act-on-new-responses.json',
			'Is it open on Sunday?',
		);
		expect(status).toBe('success');
		const [{ json }] = itemsOf({ status, ...run }, 'Summary');
		expect(json.summary).toBe(
			'Name: Ada Lovelace\nEmail: ada@example.com\nMessage: Is it open on Sunday?',
		);
	});

	it('get the PDF of a new response', async () => {
		const run = await submitAndWait('get-pdfs-of-new-responses.json', 'Please print this.');
		expect(run.status).toBe('success');
		const [{ json, binary }] = itemsOf(run, 'Store the File');
		expect(json.uuid).toBe(itemsOf(run, 'New Response')[0].json.uuid);
		expect(binary?.data).toMatchObject({ mimeType: 'application/pdf', fileExtension: 'pdf' });
	});

	it('add a response for each call of a webhook', async () => {
		const before = world.service.store.responses(demoForms.contact).length;
		const reply = await fetch(`${world.n8n.url}/webhook/form-service-add-response`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ name: 'Grace', email: 'grace@example.com', message: 'By webhook' }),
		});
		expect(reply.status).toBe(200);
		const responses = world.service.store.responses(demoForms.contact);
		expect(responses).toHaveLength(before + 1);
		const added = responses.filter(({ answers }) => Object.values(answers).includes('By webhook'));
		expect(added).toHaveLength(1);
		expect(Object.values(added[0].answers)).toEqual(
			expect.arrayContaining(['Grace', 'grace@example.com']),
		);
	});

	it('add an order that comes twice once', async () => {
		const order = { name: 'Grace', email: 'grace@example.com', message: 'Order 4711' };
		const call = async () => {
			const reply = await fetch(`${world.n8n.url}/webhook/form-service-add-order`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(order),
			});
			return ((await reply.json()) as { status: string }).status;
		};
		expect([await call(), await call()]).toEqual(['created', 'skipped']);
		const added = world.service.store
			.responses(demoForms.contact)
			.filter(({ answers }) => Object.values(answers).includes(order.message));
		expect(added).toHaveLength(1);
	});

	it('show what a sheet would change in forms, and change it when that is wanted', async () => {
		const file = 'close-and-open-forms-from-a-sheet.json';
		const example = await fillIn(world.n8n.rest, await readExample(file), world.choices);
		const rows = [
			{ form_id: demoForms.newsletter, owner: 'Ada', is_closed: true },
			{ form_id: demoForms.event, owner: 'Grace', is_closed: true },
		];
		const workflow = (update: boolean) => ({
			...example,
			nodes: example.nodes.map((node) => {
				if (node.name === 'Sheet') {
					return {
						...node,
						parameters: { ...node.parameters, jsonOutput: JSON.stringify({ rows }) },
					};
				}
				return node.name === 'Update Forms' ? { ...node, disabled: !update } : node;
			}),
		});
		const isClosed = () =>
			rows.map(({ form_id }) => Boolean(world.service.store.form(form_id)?.settings.is_closed));
		const before = isClosed();
		expect(before).toEqual([false, true]);
		const preview = await runOnce(workflow(false));
		expect(itemsOf(preview, 'Preview Changes').map(({ json }) => json.changes)).toEqual([
			{ is_closed: { from: expect.toBeOneOf([false, 0]), to: true } },
			{},
		]);
		expect(isClosed()).toEqual(before);

		const updated = await runOnce(workflow(true));
		expect(itemsOf(updated, 'Update Forms').map(({ json }) => json.status)).toEqual([
			'updated',
			'skipped',
		]);
		expect(isClosed()).toEqual([true, true]);
	});

	it('give a model the newest responses about a topic', async () => {
		const file = 'ask-a-model-about-responses.json';
		const { store } = world.service;
		const { uuid } = store.fields(demoForms.contact).find(({ type }) => type === 'textarea')!;
		store.addResponse(demoForms.contact, { answers: { [uuid]: 'When is the delivery?' } });
		store.addResponse(demoForms.contact, { answers: { [uuid]: 'Something else' } });
		const { url, told } = await startScriptedModel([() => ({ answer: 'About delivery' })], cleanup);
		const model = { name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url } };
		const id = await world.n8n.rest.saveCredential(model);
		const choices = { ...world.choices, model: { id, name: model.name } };
		const run = await runOnce(await fillIn(world.n8n.rest, await readExample(file), choices));
		expect(run.status).toBe('success');
		expect(itemsOf(run, 'Basic LLM Chain')[0].json.text).toBe('About delivery');
		expect(told.prompt).toContain('When is the delivery?');
		expect(told.prompt).not.toContain('Something else');
	});

	it('export all responses of a form into a table, each once however often it runs', async () => {
		const file = 'export-responses-into-a-table.json';
		const wanted = world.service.store
			.responses(demoForms.contact)
			.filter(({ isIncomplete }) => !isIncomplete)
			.map(({ uuid }) => uuid);
		for (let times = 0; times < 2; times++) {
			const run = await ended(world, await world.n8n.rest.run(world.workflows[file], 'Start'));
			expect(run.status).toBe('success');
		}
		const rows = await world.n8n.rest.rowsOf(world.table);
		expect(rows.map(({ response }) => response).sort()).toEqual(wanted.sort());
		expect(JSON.parse(String(rows[0].answers))).toHaveProperty('Email');
	});

	it('hand each new response to a workflow of its own, and those of a period again', async () => {
		const { rest } = world.n8n;
		const messages = ['First by itself', 'Second by itself'];
		const handler = world.choices.subWorkflow!.id;
		const handled = async () => {
			const runs = await Promise.all(
				(await rest.executionIds(handler)).map(async (id) => await rest.execution(id)),
			);
			return runs.map((run) => itemsOf(run, 'Handle').map(({ json }) => JSON.stringify(json)));
		};
		for (const Message of messages) {
			await submitFormPage(world.service, demoForms.contact, { ...person, Message });
		}
		const timesOf = async (message: string) =>
			(await handled()).filter((items) => items.length === 1 && items[0].includes(message)).length;
		const bothCame = async (times: number) =>
			(await Promise.all(messages.map(timesOf))).every((count) => count === times);
		expect(await until(async () => await bothCame(1), RUN_TIMEOUT_MS)).toBe(true);

		const again = world.workflows['deliver-responses-again.json'];
		const run = await ended(world, await rest.run(again, 'Start'));
		expect(run.status).toBe('success');
		expect(await until(async () => await bothCame(2), RUN_TIMEOUT_MS)).toBe(true);
	});

	it('let an agent find responses, add one and close the form', async () => {
		const file = 'let-an-agent-use-a-form.json';
		const { store } = world.service;
		const { uuid } = store.fields(demoForms.contact).find(({ type }) => type === 'textarea')!;
		store.addResponse(demoForms.contact, { answers: { [uuid]: 'Where is my delivery?' } });
		const answers = { ...person, Message: 'Added by the agent' };
		const { url, told } = await startScriptedModel(
			[
				() => ({ tool: 'Find_Responses', args: { text: 'delivery', limit: 5, skip: 0 } }),
				() => ({ tool: 'Add_Response', args: answers }),
				() => ({ tool: 'Open_or_Close_Form', args: { is_closed: true } }),
				() => ({ answer: 'Done' }),
			],
			cleanup,
		);
		const model = { name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url } };
		const id = await world.n8n.rest.saveCredential(model);
		const choices = { ...world.choices, model: { id, name: model.name } };
		const run = await runOnce(await fillIn(world.n8n.rest, await readExample(file), choices));
		expect(run.data.resultData.error?.message).toBeUndefined();
		expect(run.status).toBe('success');
		expect(itemsOf(run, 'AI Agent')[0].json.output).toBe('Done');
		expect(told.results[0]).toContain('Where is my delivery?');
		const added = store
			.responses(demoForms.contact)
			.filter(({ answers: given }) => Object.values(given).includes(answers.Message));
		expect(added).toHaveLength(1);
		expect(Boolean(store.form(demoForms.contact)?.settings.is_closed)).toBe(true);
		store.editSettings(demoForms.contact, { is_closed: false });
	});

	it('stop and say so where no settings have been chosen to update forms', async () => {
		const file = 'update-many-forms.json';
		const choices = { ...world.choices, settings: {} };
		const run = await runOnce(await fillIn(world.n8n.rest, await readExample(file), choices));
		expect(run.status).toBe('error');
		expect(run.data.resultData.error?.message).toContain('There is no setting to update');
	});

	it('preview what would change in all open forms as imported, and update them without Preview', async () => {
		const file = 'update-many-forms.json';
		const captchaOf = (form: string) => world.service.store.form(form)?.settings.captcha;
		const before = captchaOf(demoForms.contact);
		const preview = await ended(world, await world.n8n.rest.run(world.workflows[file], 'Start'));
		const items = itemsOf(preview, 'Update Settings').map(({ json }) => json);
		expect(items.map(({ status }) => status)).toContain('preview');
		expect(captchaOf(demoForms.contact)).toBe(before);

		const example = await fillIn(world.n8n.rest, await readExample(file), world.choices);
		const nodes = example.nodes.map((node) =>
			node.name === 'Update Settings'
				? { ...node, parameters: { ...node.parameters, options: { skipUnchanged: true } } }
				: node,
		);
		const { status } = await runOnce({ ...example, nodes });
		expect(status).toBe('success');
		expect(captchaOf(demoForms.contact)).toBe('altcha');
		expect(captchaOf(demoForms.survey)).toBe('altcha');
		expect(captchaOf(demoForms.event)).not.toBe('altcha');
	});
});
