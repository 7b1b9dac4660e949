import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../scripts/demo/world.mts';
import { submitFormPage } from '../../scripts/lib/formPage.mts';
import { exampleFiles, readExample } from '../../scripts/lib/n8n/examples.mts';
import { type Execution, itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { demoForms } from '../service/index.mts';

const START_TIMEOUT_MS = 900_000;
const RUN_TIMEOUT_MS = 60_000;

let folder: string;
let world: World;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'n8n-examples-'));
	world = await startWorld(folder, cleanup);
}, START_TIMEOUT_MS);

afterAll(async () => {
	await cleanup.disposeAsync();
	await rm(folder, { recursive: true, force: true });
});

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

/** Submits the contact form with this message and gives the execution that it started. */
async function submitAndWait(file: string, message: string): Promise<Execution> {
	await submitFormPage(world.service, demoForms.contact, {
		Name: 'Ada Lovelace',
		Email: 'ada@example.com',
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
				expect(type).toMatch(/^(n8n-nodes-base|n8n-nodes-formservice)\./);
			}
		}
	});

	it('act on a new response', async () => {
		const { status, ...run } = await submitAndWait('new-response.json', 'Is it open on Sunday?');
		expect(status).toBe('success');
		const [{ json }] = itemsOf({ status, ...run }, 'Summary');
		expect(json.summary).toBe(
			'Name: Ada Lovelace\nEmail: ada@example.com\nMessage: Is it open on Sunday?',
		);
	});

	it('get the PDF of a new response', async () => {
		const run = await submitAndWait('pdf-of-new-responses.json', 'Please print this.');
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

	it('update the settings of all open forms, and of no closed one', async () => {
		const id = await world.n8n.rest.run(world.workflows['update-many-forms.json'], 'Start');
		const { status } = await execution(
			'update-many-forms.json',
			(candidate) => candidate.id === id,
		);
		expect(status).toBe('success');
		const captchaOf = (form: string) => world.service.store.form(form)?.settings.captcha;
		expect(captchaOf(demoForms.contact)).toBe('altcha');
		expect(captchaOf(demoForms.survey)).toBe('altcha');
		expect(captchaOf(demoForms.event)).not.toBe('altcha');
	});
});
