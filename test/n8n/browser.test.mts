import type { IDataObject } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
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
let editor: Editor;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	const folder = await temporaryFolder('n8n-browser', cleanup);
	browser = await openBrowser(cleanup);
	world = await startWorld(folder, cleanup);
	editor = new Editor(await browser.newPage(), world.n8n.url);
	await editor.signIn(owner);
}, START_TIMEOUT_MS);

afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	console.log(`What the browser showed: ${(await browser.takePictures(task.name)).join(', ')}`);
});

afterAll(async () => await cleanup.disposeAsync());

/** Starts a workflow on both events of the newsletter form; returns what lists the items that it has got. */
async function watchNewsletter(): Promise<() => Promise<IDataObject[]>> {
	const { rest } = world.n8n;
	const credential = await saveAccount(rest, world.service);
	const workflow = triggerWorkflow(credential, demoForms.newsletter);
	workflow.nodes[0].parameters.events = ['responseStarted', 'responseCompleted'];
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
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
	it('starts a workflow when a person saves answers, and again when the person submits', async () => {
		const { service } = world;
		const listDelivered = await watchNewsletter();
		const page = await browser.newPage();
		await page.goto(`${service.url}/f/${demoForms.newsletter}`);
		await page.getByLabel('Name').fill('Katherine Johnson');
		await page.getByRole('button', { name: 'Save for later' }).click();
		const started = { event: 'responseStarted', is_incomplete: true };
		await expect.poll(listDelivered, soon).toMatchObject([started]);

		await page.getByLabel('Email').fill('katherine@example.com');
		await page.getByLabel('Tips').check();
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByRole('heading', { name: 'Thank you' }).waitFor();
		const answers = {
			...{ Name: 'Katherine Johnson', Email: 'katherine@example.com', Topics: ['Tips'] },
		};
		const completed = { event: 'responseCompleted', is_incomplete: false, answers };
		await expect.poll(listDelivered, soon).toMatchObject([completed, started]);
		await page.close();
	});
});

describe('n8n’s editor', () => {
	const open = async (example: string, node: string) =>
		await editor.openNode(world.workflows[example], node);

	it('finds a form as a person types, asks for its fields once, and adds a response', async () => {
		const name = 'Unused account';
		const data = { accessToken: 'unused', baseUrl: world.service.baseUrl };
		world.service.store.addToken(1, data.accessToken);
		const id = await world.n8n.rest.saveCredential({ name, type: 'formServiceApi', data });
		const example = await readExample('add-a-response.json');
		const nodes = example.nodes.map((node) =>
			node.name === 'Add Response'
				? { ...node, credentials: { formServiceApi: { id, name } } }
				: node,
		);
		const imported = { ...example, nodes, pinData: { Webhook: [{ json: { body: {} } }] } };
		await editor.openNode(await world.n8n.rest.createWorkflow(imported), 'Add Response');
		const offered = await editor.searchForms('job');
		await expect.poll(async () => await offered.allInnerTexts(), soon).toEqual(['Job Application']);
		await offered.click();
		await expect
			.poll(async () => await editor.mappedFields(), soon)
			.toMatchObject([
				{ label: 'Name', isMissing: true },
				{ label: 'Email', isMissing: true },
				{ label: 'Earliest start', isMissing: false },
				{ label: 'Portfolio', isMissing: false },
				{ label: expect.stringContaining('CV') as string, isMissing: false },
			]);
		const asked = world.service.requests.filter(({ token }) => token === data.accessToken);
		expect(asked.map(({ path }) => path)).toEqual(['/forms']);

		await editor.mappedField('Name').fill('Katherine Johnson');
		await editor.mappedField('Email').fill('katherine@example.com');
		await editor.execute();
		await editor.output.getByText('1 item').waitFor();
		const added = world.service.store.responses(demoForms.application).at(-1);
		expect(Object.values(added?.answers ?? {})).toContain('Katherine Johnson');
	});

	it('says which setting is invalid and what the setting takes, and sends nothing', async () => {
		await open('update-many-forms.json', 'Update Settings');
		await editor.addSetting('Number: Prefix');
		await editor.parameter('number_prefix').locator('input').fill('Response No. ');
		await editor.execute();
		const { message, description } = await editor.readError();
		expect(message).toContain(`'Number: Prefix' must be text of at most 10 characters`);
		expect(description).toContain('Nothing was sent');

		await editor.parameter('number_prefix').locator('input').fill('No. ');
		await editor.execute();
		await editor.output.getByText('4 items').waitFor();
		await expect.poll(async () => await editor.output.innerText(), soon).toContain('preview');
		// the example previews as it is imported
		expect(world.service.store.form(demoForms.contact)?.settings.number_prefix).toBeFalsy();
	});

	it('fetches the newest response as a test event, and an example if there is none', async () => {
		const { store } = world.service;
		for (const { uuid } of store.responses(demoForms.survey)) store.deleteResponse(uuid);
		await open('act-on-new-responses.json', 'New Response');
		await (await editor.searchForms('survey')).filter({ hasText: 'Customer Survey' }).click();
		await editor.execute();
		const readOutput = async () => await editor.output.innerText();
		await editor.output.getByText('1 item').waitFor();
		await expect.poll(readOutput, soon).toContain('example');
		await expect.poll(readOutput, soon).toContain('How satisfied are you?');

		for (const satisfaction of ['Not at all', 'Somewhat']) {
			store.addResponse(demoForms.survey, { answers: { 'How satisfied are you?': satisfaction } });
		}
		await editor.execute();
		await expect.poll(readOutput, soon).not.toContain('example');
		await expect.poll(readOutput, soon).toContain('Somewhat');
	});

	it('tests a credential when it is saved, and says why a token is rejected', async () => {
		const name = 'Another account';
		const { token, baseUrl } = world.service;
		const data = { accessToken: token, baseUrl };
		await world.n8n.rest.saveCredential({ name, type: 'formServiceApi', data });
		await editor.openCredential(name);
		const dialog = editor.element('credential-edit-dialog');
		const readDialog = async () => await dialog.innerText();

		await editor.saveToken('mistyped-token');
		await expect.poll(readDialog, soon).toContain('Couldn’t connect with these settings');
		await dialog.getByText('More details').click();
		await expect.poll(readDialog, soon).toMatch(/rejected|did not accept/);

		await editor.saveToken(world.service.token);
		await expect.poll(readDialog, soon).toContain('Connection tested successfully');
	});

	it('shows the note of each example whole, without an empty end', async () => {
		for (const [file, id] of Object.entries(world.workflows)) {
			await editor.page.goto(`${world.n8n.url}/workflow/${id}`);
			const note = editor.element('sticky').first();
			await note.locator('h2').waitFor();
			const [room, height] = await note.evaluate((sticky) => {
				const text = sticky.querySelector('h2')!.parentElement!;
				return [sticky.clientHeight, text.scrollHeight + 16];
			});
			expect(height, file).toBeLessThanOrEqual(room);
			expect(height, file).toBeGreaterThan(room - 40);
		}
	});
});
