import type { IDataObject } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { startWorld, type World } from '../../scripts/demo/world.mts';
import { readExample } from '../../scripts/lib/n8n/examples.mts';
import { owner } from '../../scripts/lib/n8n/instance.mts';
import { itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms } from '../service/index.mts';
import { Editor } from './browser/editor.mts';
import { type Browser, openBrowser } from './browser/openBrowser.mts';
import { TRIGGER, triggerWorkflow } from './delivery/submissions.mts';
import { saveAccount } from './instance.mts';

const START_TIMEOUT_MS = 900_000;
const soon = { timeout: 180_000, interval: 250 };

let world: World;
let browser: Browser;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	const folder = await temporaryFolder('n8n-browser', cleanup);
	browser = await openBrowser(cleanup);
	world = await startWorld(folder, cleanup);
}, START_TIMEOUT_MS);

afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	console.log(`What the browser showed: ${(await browser.takePictures(task.name)).join(', ')}`);
});

afterAll(async () => await cleanup.disposeAsync());

/**
 * Switches on a workflow that starts when a response of the newsletter form is started, and when it is
 * completed. Gives a function that tells what the workflow has run on so far.
 */
async function watchNewsletter(): Promise<() => Promise<IDataObject[]>> {
	const { rest } = world.n8n;
	const credential = await saveAccount(rest, world.service);
	const workflow = triggerWorkflow(credential, demoForms.newsletter);
	workflow.nodes[0].parameters.events = ['responseStarted', 'responseCompleted'];
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
	// what is there until then is the baseline; requests tell nothing, as other workflows poll the form too
	await rest.published(id);
	return async () => {
		const items = [];
		for (const execution of await rest.executionIds(id)) {
			const run = await rest.execution(execution);
			if (run.status === 'success') items.push(...itemsOf(run, TRIGGER).map(({ json }) => json));
		}
		return items;
	};
}

describe('the page of a form', () => {
	let page: Page;
	beforeEach(async () => {
		page = await browser.newPage();
		return async () => await page.close();
	});

	it('starts a workflow while a person types into it, and once more when it is submitted', async () => {
		const { service } = world;
		const delivered = await watchNewsletter();
		const typed = () =>
			service.store
				.responses(demoForms.newsletter)
				.find(({ answers }) => Object.values(answers).includes('Katherine Johnson'));

		await page.goto(`${service.url}/f/${demoForms.newsletter}`);
		await page.getByLabel('Name').pressSequentially('Katherine Johnson', { delay: 20 });
		await expect.poll(() => typed()?.isIncomplete, soon).toBe(true);
		const uuid = typed()?.uuid;
		const started = { event: 'responseStarted', uuid, is_incomplete: true };
		await expect.poll(delivered, soon).toMatchObject([started]);

		await page.getByLabel('Email').fill('katherine@example.com');
		await page.getByLabel('Tips').check();
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByRole('heading', { name: 'Thank you' }).waitFor();
		await expect.poll(delivered, soon).toMatchObject([
			{
				event: 'responseCompleted',
				uuid,
				is_incomplete: false,
				answers: { Name: 'Katherine Johnson', Email: 'katherine@example.com', Topics: ['Tips'] },
			},
			started,
		]);
	});

	it('keeps a person at a required field that is empty, and says which one is blank', async () => {
		const before = world.service.store.responses(demoForms.contact).length;
		await page.goto(`${world.service.url}/f/${demoForms.contact}`);
		await page.getByLabel('Name').fill('Ada');
		await page.getByLabel('Email').fill('ada@example.com');
		const send = page.getByRole('button', { name: 'Send message' });
		await send.click();
		const message = page.getByLabel('Message');
		expect(await message.evaluate((field) => field === document.activeElement)).toBe(true);

		await message.fill('  ');
		await send.click();
		await page.getByRole('alert').waitFor();
		const field = page.locator('.field', { has: message });
		expect(await field.innerText()).toContain('Please fill in this field.');
		expect(await page.getByText('Please fill in this field.').count()).toBe(1);
		expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
		expect(world.service.store.responses(demoForms.contact)).toHaveLength(before);
	});
});

describe('n8n’s editor', () => {
	let editor: Editor;
	const open = async (example: string, node: string) =>
		await editor.openNode(world.workflows[example], node);

	beforeAll(async () => {
		editor = new Editor(await browser.newPage(), world.n8n.url);
		await editor.signIn(owner);
	});

	it('shows the parameters of an operation by their labels', async () => {
		await open('get-pdfs-of-new-responses.json', 'Get PDF');
		await expect
			.poll(async () => await editor.labels(), soon)
			.toEqual([
				'Credential',
				'Resource',
				'Operation',
				'Form',
				'Response',
				'Download',
				'Put Output File in Field',
			]);
	});

	it('lets a person find a form by what they type, fill in its fields and add a response', async () => {
		const example = await readExample('add-a-response.json');
		const imported = { ...example, pinData: { Webhook: [{ json: { body: {} } }] } };
		await editor.openNode(await world.n8n.rest.createWorkflow(imported), 'Add Response');
		const offered = await editor.searchForms('job');
		await expect.poll(async () => await offered.allInnerTexts(), soon).toEqual(['Job Application']);
		await offered.click();
		await expect
			.poll(async () => await editor.mappedFields(), soon)
			.toEqual([
				{ label: 'Name', isMissing: true },
				{ label: 'Email', isMissing: true },
				{ label: 'Earliest start', isMissing: false },
				{ label: 'Portfolio', isMissing: false },
				{ label: 'File URL: CV', isMissing: false },
			]);

		await editor.mappedField('Name').fill('Katherine Johnson');
		await editor.mappedField('Email').fill('katherine@example.com');
		await editor.execute();
		await editor.output.getByText('1 item').waitFor();
		const added = world.service.store.responses(demoForms.application).at(-1);
		expect(Object.values(added?.answers ?? {})).toEqual(
			expect.arrayContaining(['Katherine Johnson', 'katherine@example.com']),
		);
	});

	it('shows what a step puts out', async () => {
		await open('update-many-forms.json', 'Get Forms');
		await editor.execute();
		await editor.output.getByText('5 items').waitFor();
		await expect.poll(async () => await editor.output.innerText(), soon).toContain('Summer Event');
	});

	it('shows settings by plain labels, and says of one that is not valid which it is and what it takes', async () => {
		await open('update-many-forms.json', 'Update Settings');
		await editor.addSetting('Number: Prefix');
		await expect
			.poll(async () => await editor.labels(), soon)
			.toEqual(expect.arrayContaining(['CAPTCHA', 'Show Page Progress', 'Number: Prefix']));
		await editor.parameter('number_prefix').locator('input').fill('Response No. ');
		await editor.execute();
		expect(await editor.failure()).toEqual({
			message: expect.stringContaining(
				`'Number: Prefix' must be text of at most 10 characters (got "Response No. ")`,
			) as string,
			description: expect.stringContaining('Nothing was sent.') as string,
		});
		expect(world.service.store.form(demoForms.contact)?.settings.captcha).not.toBe('altcha');

		await editor.parameter('number_prefix').locator('input').fill('No. ');
		await editor.execute();
		await editor.output.getByText('4 items').waitFor();
		await expect.poll(async () => await editor.output.innerText(), soon).toContain('preview');
		// the example previews as it is imported
		expect(world.service.store.form(demoForms.contact)?.settings.number_prefix).toBeFalsy();
	});

	it('fetches the newest response as a test event, or an example where there is none', async () => {
		const { store } = world.service;
		for (const { uuid } of store.responses(demoForms.survey)) store.deleteResponse(uuid);
		await open('act-on-new-responses.json', 'New Response');
		await (await editor.searchForms('survey')).filter({ hasText: 'Customer Survey' }).click();
		await editor.execute();
		const shown = async () => await editor.output.innerText();
		await editor.output.getByText('1 item').waitFor();
		await expect.poll(shown, soon).toContain('example');
		await expect.poll(shown, soon).toContain('How satisfied are you?');

		for (const satisfaction of ['Not at all', 'Somewhat']) {
			store.addResponse(demoForms.survey, {
				answers: { 'How satisfied are you?': satisfaction },
			});
		}
		await editor.execute();
		await expect.poll(shown, soon).not.toContain('example');
		await expect.poll(shown, soon).toContain('responseCompleted');
		await expect.poll(shown, soon).toContain('Somewhat');
	});

	it('tests a credential when it is saved, and says what is wrong with a token that is refused', async () => {
		const name = 'Another account';
		const { token, baseUrl } = world.service;
		const data = { accessToken: token, baseUrl };
		await world.n8n.rest.saveCredential({ name, type: 'formServiceApi', data });
		await editor.openCredential(name);
		const dialog = editor.element('credential-edit-dialog');
		const shown = async () => await dialog.innerText();

		await editor.saveToken('mistyped-token');
		await expect.poll(shown, soon).toContain('Couldn’t connect with these settings');
		await dialog.getByText('More details').click();
		await expect.poll(shown, soon).toContain('The service did not accept the access token');

		await editor.saveToken(world.service.token);
		await expect.poll(shown, soon).toContain('Connection tested successfully');
	});
});
