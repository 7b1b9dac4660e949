import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../scripts/demo/world.mts';
import { fillIn } from '../../../scripts/lib/n8n/examples.mts';
import { owner } from '../../../scripts/lib/n8n/instance.mts';
import type { WorkflowFile } from '../../../scripts/lib/n8n/rest.mts';
import { root, temporaryFolder } from '../../../scripts/lib/paths.mts';
import { demoForms, status } from '../../service/index.mts';
import { settingRules } from '../../service/specification/settingsRules.mts';
import { Editor } from './editor.mts';
import { type Browser, openBrowser } from './openBrowser.mts';

const START_TIMEOUT_MS = 900_000;
const soon = { timeout: 60_000, interval: 250 };

const OURS = 'n8n-nodes-formservice.formService';
const application = { __rl: true, mode: 'id', value: demoForms.application };
const survey = { __rl: true, mode: 'list', value: demoForms.survey, cachedResultName: 'Survey' };

let world: World;
let browser: Browser;
let editor: Editor;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	const folder = await temporaryFolder('n8n-look', cleanup);
	browser = await openBrowser(cleanup);
	world = await startWorld(folder, cleanup);
	editor = new Editor(await browser.newPage(), world.n8n.url);
	await editor.signIn(owner);
	// what is counted below is not what the demo's triggers do
	for (const id of Object.values(world.workflows)) await world.n8n.rest.deactivate(id);
}, START_TIMEOUT_MS);

afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	console.log(`What the browser showed: ${(await browser.takePictures(task.name)).join(', ')}`);
});

afterAll(async () => await cleanup.disposeAsync());

let accounts = 0;

/** A credential that n8n has not used, so that it remembers nothing of its account. */
async function newCredential() {
	const { n8n, service } = world;
	accounts += 1;
	const [name, token] = [`Account ${accounts}`, `token-${accounts}`];
	service.store.addToken(service.store.firstAccount()!.id, token);
	const data = { accessToken: token, baseUrl: service.baseUrl };
	return { id: await n8n.rest.saveCredential({ name, type: 'formServiceApi', data }), name };
}

/** A workflow of one node. */
async function workflowWith(
	name: string,
	type: string,
	parameters: INodeParameters,
): Promise<WorkflowFile> {
	const credentials = { formServiceApi: await newCredential() };
	const node = { id: name, name, type, typeVersion: 1, parameters, credentials };
	return { name, nodes: [{ ...node, position: [0, 0] }], connections: {} };
}

const save = async (workflow: WorkflowFile) => await world.n8n.rest.createWorkflow(workflow);

/** Opens a new node. */
async function open(name: string, type: string, parameters: INodeParameters): Promise<void> {
	await editor.openNode(await save(await workflowWith(name, type, parameters)), name);
}

/** Lets the service answer nothing about forms for the rest of a test. */
function fail() {
	world.service.faults.set({ fault: status(500, 'Out of order'), match: { path: /forms/ } });
}
afterEach(() => world.service.faults.clear());

const create = { resource: 'response', operation: 'create' };

describe('Create, in n8n’s editor', () => {
	it('asks the service once while a person opens it, types eight letters and chooses a form', async () => {
		await open('Create', OURS, create);
		expect(await editor.element('mapping-fields-container').isVisible()).toBe(false);
		expect(await editor.element('node-parameters').innerText()).not.toContain('no fields');

		const before = world.service.requests.length;
		await editor.element('rlc-input').click();
		await editor.element('rlc-search').pressSequentially('Customer', { delay: 150 });
		const offered = editor.element('rlc-item');
		await expect.poll(async () => await offered.allInnerTexts(), soon).toEqual(['Customer Survey']);
		await offered.click();
		await expect.poll(async () => (await editor.mappedFields()).length, soon).toBe(6);
		expect(world.service.requests.slice(before).map(({ path }) => path)).toEqual(['/forms']);
	});

	it('says beside a field what to enter, and tells fields of one label apart', async () => {
		await open('Create', OURS, { ...create, formId: survey });
		const labels = async () => (await editor.mappedFields()).map(({ label }) => label);
		await expect
			.poll(labels, soon)
			.toEqual([
				'How did you hear about us?',
				'How satisfied are you?',
				'One or more: What do you use?',
				'Score from 0 to 10',
				'Comment: What is good?',
				'Comment (2): What could be better?',
			]);
		await open('Create', OURS, { ...create, formId: application });
		await expect.poll(labels, soon).toContain('File URL: CV');
	});

	it('says why the fields of a form could not be loaded', async () => {
		fail();
		await open('Create', OURS, { ...create, formId: survey });
		const shown = async () => await editor.element('node-parameters').innerText();
		await expect.poll(shown, soon).toContain('The fields of the form could not be loaded');
		expect(await shown()).toContain('status 500');
		expect(await shown()).not.toContain('has no fields');
	});

	it('keeps what was mapped when the fields cannot be loaded again', async () => {
		const workflow = await workflowWith('Create', OURS, { ...create, formId: survey });
		const { nodes } = await fillIn(world.n8n.rest, workflow, {
			credential: await newCredential(),
			form: { id: demoForms.survey, name: 'Survey' },
			answers: { 'Score from 0 to 10': '7' },
			identifiedBy: [],
			settings: {},
		});
		const credentials = { formServiceApi: await newCredential() };
		fail();
		const before = world.service.requests.length;
		const mapped = { ...workflow, nodes: [{ ...nodes[0], credentials }] };
		await editor.openNode(await save(mapped), 'Create');
		await expect.poll(() => world.service.requests.length, soon).toBeGreaterThan(before);
		await editor.mappedField('Score').waitFor();
		expect(await editor.mappedField('Score').inputValue()).toBe('7');
	});
});

describe('the trigger, in n8n’s editor', () => {
	it('says on the canvas what it triggers on and for which form', async () => {
		const id = await save(await workflowWith('New Response', `${OURS}Trigger`, { formId: survey }));
		await editor.page.goto(`${world.n8n.url}/workflow/${id}`);
		const node = editor.element('canvas-node').first();
		await expect
			.poll(async () => await node.innerText(), soon)
			.toContain('Survey: response completed');
		const subtitle = node.getByText('Survey: response completed');
		const shown = await subtitle.evaluate(
			({ clientWidth, scrollWidth }) => clientWidth / scrollWidth,
		);
		expect(shown).toBe(1);
	});

	it('says in one sentence, directly under the form, how often it polls', async () => {
		await open('New Response', `${OURS}Trigger`, { formId: survey });
		const parameters = editor.element('node-parameters');
		await expect.poll(async () => await parameters.innerText(), soon).toContain('requests a day');
		const text = await parameters.innerText();
		const between = text.slice(text.indexOf('\nForm\n'), text.indexOf('requests a day'));
		expect(between).not.toContain('Trigger On');
		expect(between).not.toContain('Simplify');
	});
});

describe('n8n’s lists', () => {
	/** Opens n8n's list of nodes and searches it. */
	async function search(text: string): Promise<string[]> {
		await editor.element('node-creator-search-bar').fill(text);
		const names = editor.element('node-creator-item-name');
		await expect.poll(async () => await names.allInnerTexts(), soon).toContain('Form Service');
		return await editor.element('node-creator-item-description').allInnerTexts();
	}

	const TRIES = ['form service', 'pdf', 'survey'];

	it('offer the nodes by what they are for, with a description that suits both', async () => {
		await editor.page.goto(`${world.n8n.url}/workflow/new`);
		await editor.element('canvas-plus-button').click();
		const [forTriggers] = await search('form service');
		const id = await save(await workflowWith('Node', OURS, {}));
		await editor.page.goto(`${world.n8n.url}/workflow/${id}`);
		await editor.element('node-creator-plus-button').first().click();
		const [forActions] = await search('form service');
		for (const description of [forTriggers, forActions]) {
			expect(description).toMatch(/add/i);
			expect(description).toMatch(/find/i);
			expect(description).toMatch(/update/i);
		}
		for (const text of TRIES) await search(text);
	});

	it('name actions without articles', async () => {
		await editor.element('node-creator-search-bar').fill('form service');
		await editor.element('node-creator-item-name').getByText('Form Service').click();
		const list = editor.element('node-creator');
		await list.getByText(/^Actions \(/).click();
		const lines = async () => (await list.innerText()).split('\n').map((line) => line.trim());
		const actions = ['Create response', 'Get many responses', 'Get response PDF'];
		await expect.poll(lines, soon).toEqual(expect.arrayContaining(actions));
		const named = (await lines()).filter((line) => /^(Create|Get|Update) /.test(line));
		expect(named).toHaveLength(9);
		expect(named.filter((name) => / (an?|the) /.test(name))).toEqual([]);
	});

	it('offer a trigger for each event, which asks for the form where it concerns one', async () => {
		await editor.page.goto(`${world.n8n.url}/workflow/new`);
		await editor.element('canvas-plus-button').click();
		await search('form service');
		await editor.element('node-creator-item-name').getByText('Form Service').click();
		const list = editor.element('node-creator');
		const lines = async () => (await list.innerText()).split('\n').map((line) => line.trim());
		const events = [
			'On form created',
			'On response abandoned',
			'On response completed',
			'On response started',
		];
		await expect
			.poll(async () => (await lines()).filter((line) => line.startsWith('On ')), soon)
			.toEqual(events);
		await list.getByText('On response completed').click();
		await expect.poll(async () => await editor.labels(), soon).toContain('Form');
	});

	it('show the names of all settings whole', async () => {
		await open('Update', OURS, { resource: 'settings', operation: 'update', formId: survey });
		await editor.element('collection-parameter-add').locator('visible=true').first().click();
		const options = editor.element('collection-parameter-option').locator('visible=true');
		await expect
			.poll(async () => await options.count(), soon)
			.toBe(Object.keys(settingRules).length);
		const cut = await options.evaluateAll((items) =>
			items
				.filter((item) =>
					[item, ...Array.from(item.querySelectorAll('*'))].some(
						(part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0,
					),
				)
				.map((item) => item.textContent),
		);
		expect(cut).toEqual([]);
	});
});

describe('the icon', () => {
	it.each(['formService.svg', 'formService.dark.svg'])('%s fills its square', async (file) => {
		const page = await browser.newPage();
		await page.setContent(await readFile(join(root, 'nodes/FormService', file), 'utf8'));
		const [width, height] = await page.locator('svg').evaluate((svg) => {
			const { width, height } = (svg as SVGSVGElement).getBBox();
			return [width, height];
		});
		expect(Math.max(width, height)).toBe(60);
		expect(Math.min(width, height)).toBeGreaterThanOrEqual(54);
		await page.close();
	});
});
