import { afterAll, expect, it } from 'vitest';
import { startWorld } from '../../scripts/demo/world.mts';
import { readExample } from '../../scripts/lib/n8n/examples.mts';
import { owner } from '../../scripts/lib/n8n/instance.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { demoForms } from '../service/index.mts';
import { Editor } from './browser/editor.mts';
import { openBrowser } from './browser/openBrowser.mts';

const soon = { timeout: 180_000, interval: 250 };

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync());

it('n8n’s editor finds a form as a person types, shows its fields, and adds a response', async () => {
	const browser = await openBrowser(cleanup);
	const folder = await temporaryFolder('n8n-browser', cleanup);
	const { service, n8n, choices } = await startWorld(folder, cleanup);
	const editor = new Editor(await browser.newPage(), n8n.url);
	await editor.signIn(owner);
	const credentials = { formServiceApi: choices.credential };
	const example = await readExample('add-a-response.json');
	const nodes = example.nodes.map((node) =>
		node.name === 'Add Response' ? { ...node, credentials } : node,
	);
	const imported = { ...example, nodes, pinData: { Webhook: [{ json: { body: {} } }] } };
	await editor.openNode(await n8n.rest.createWorkflow(imported), 'Add Response');
	const offered = await editor.searchForms('job');
	await expect.poll(async () => await offered.allInnerTexts(), soon).toEqual(['Job Application']);
	await offered.click();
	const listLabels = async () =>
		(await editor.mappedLabels.allInnerTexts()).map((text) => text.split('\n')[0].trim());
	await expect
		.poll(listLabels, soon)
		.toEqual([
			'Name (required)',
			'Email (required)',
			'Earliest start',
			'Portfolio',
			expect.stringContaining('CV'),
		]);
	await editor.mappedField('Name').fill('Katherine Johnson');
	await editor.mappedField('Email').fill('katherine@example.com');
	await editor.execute();
	await editor.output.getByText('1 item').waitFor();
	const added = service.store.responses(demoForms.application).at(-1);
	expect(Object.values(added?.answers ?? {})).toContain('Katherine Johnson');
});
