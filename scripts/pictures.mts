/** Takes the pictures of README.md in n8n's editor, in light and dark. They are to be looked at. */
import { join } from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';
import { Editor } from '../test/n8n/browser/editor.mts';
import { openBrowser } from '../test/n8n/browser/openBrowser.mts';
import { demoForms } from '../test/service/index.mts';
import { startWorld, type World } from './demo/world.mts';
import { step } from './lib/command.mts';
import { owner } from './lib/n8n/instance.mts';
import { workflowNode } from './lib/n8n/rest.mts';
import { root, temporaryFolder } from './lib/paths.mts';

/** Messages and hints of n8n that come and go. */
const HIDDEN = `
	.el-notification, [role=tooltip], [data-reka-popper-content-wrapper]
	{ visibility: hidden !important }`;
const WINDOW = { width: 1440, height: 860 };
const OURS = 'n8n-nodes-formservice.formService';

/** A node with what is pinned to the node before it, what is typed into it, and the text of its output. */
type Picture = { node: INode; json?: object[]; typed?: Record<string, string>; output: string };

const choose = (value: string, name: string, mode = 'list') => ({
	formId: { __rl: true, mode, value, cachedResultName: name },
});
const create = choose(demoForms.newsletter, 'Newsletter Sign-up');
const update = choose('={{ $json.form_id }}', '', 'id');

const pictures: Record<string, Picture> = {
	create: {
		node: workflowNode('Add Response', OURS, {
			parameters: { resource: 'response', operation: 'create', ...create },
		}),
		json: [{ body: { name: 'Katherine Johnson', email: 'katherine@example.com' } }],
		typed: { Name: '{{ $json.body.name }}', Email: '{{ $json.body.email }}' },
		output: 'schema',
	},
	trigger: {
		node: workflowNode('New Response', `${OURS}Trigger`, {
			parameters: choose(demoForms.contact, 'Contact'),
		}),
		output: 'schema',
	},
	settings: {
		node: workflowNode('Update Forms', OURS, {
			parameters: {
				...{ resource: 'setting', operation: 'update', inputMode: 'auto', preview: true },
				...update,
			},
		}),
		json: [
			{ form_id: demoForms.contact, is_closed: 'yes', closed_message: 'Back in January.' },
			{ form_id: demoForms.event, is_closed: 'no', closed_message: '' },
			{ form_id: demoForms.survey, is_closed: 'yes', closed_message: 'Thank you for your time.' },
		],
		output: 'json',
	},
};

async function prepare(editor: Editor, { n8n, choices }: World, picture: Picture): Promise<void> {
	const { json, typed = {}, output } = picture;
	const credentials = { formServiceApi: choices.credential };
	const node = { ...picture.node, credentials, position: [260, 0] as [number, number] };
	const source = workflowNode('Source', 'n8n-nodes-base.manualTrigger');
	const link = [[{ node: node.name, type: 'main' as const, index: 0 }]];
	const toNode: IConnections = json ? { [source.name]: { main: link } } : {};
	const workflow = {
		name: 'Form responses',
		nodes: json ? [source, node] : [node],
		connections: toNode,
		...(json && { pinData: { Source: json.map((one) => ({ json: one })) } }),
	};
	await editor.openNode(await n8n.rest.createWorkflow(workflow), node.name);
	for (const [label, text] of Object.entries(typed)) await editor.mappedField(label).fill(text);
	await editor.execute();
	await editor.output
		.getByText(/^\d items?$/)
		.first()
		.waitFor();
	await editor.output.getByTestId(`radio-button-${output}`).click();
	await editor.page.getByTestId('parameter-input-formId').scrollIntoViewIfNeeded();
	await editor.page.mouse.move(0, 0);
}

await using cleanup = new AsyncDisposableStack();
const world = await startWorld(await temporaryFolder('pictures', cleanup), cleanup);
const browser = await openBrowser(cleanup);
for (const colorScheme of ['light', 'dark'] as const) {
	const page = await browser.newPage({ colorScheme, viewport: WINDOW, deviceScaleFactor: 1.5 });
	const editor = new Editor(page, world.n8n.url);
	await editor.signIn(owner);
	for (const [name, picture] of Object.entries(pictures)) {
		await step(`${name}, ${colorScheme}`, async () => {
			await prepare(editor, world, picture);
			const path = join(root, 'docs', 'pictures', `${name}-${colorScheme}.png`);
			await page.getByTestId('ndv').screenshot({ path, style: HIDDEN });
		});
	}
	await page.close();
}
