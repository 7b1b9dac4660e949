import type { IConnections, INode } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import type { Editor } from '../../test/n8n/browser/editor.mts';
import { demoForms } from '../../test/service/index.mts';
import type { World } from '../demo/world.mts';
import { workflowNode } from '../lib/n8n/rest.mts';

/** Brings the editor to where a picture is taken; returns what the picture shows. */
type Prepare = (editor: Editor, world: World) => Promise<Locator[]>;

const OURS = 'n8n-nodes-formservice.formService';

const selectForm = (id: string, name: string) => ({
	formId: { __rl: true, mode: 'list', value: id, cachedResultName: name },
});
const contact = selectForm(demoForms.contact, 'Contact');

const connect = (node: string): IConnections[string] => ({
	main: [[{ node, type: 'main', index: 0 }]],
});

type Saved = { nodes: INode[]; connections?: IConnections; pinData?: object };

/** Saves a workflow with the demo's credential in our nodes; returns its ID. */
async function save({ n8n, choices }: World, { nodes, ...rest }: Saved): Promise<string> {
	const credentials = { formServiceApi: choices.credential };
	const workflow = {
		...{ name: 'Form responses', connections: {}, settings: { executionOrder: 'v1' } },
		nodes: nodes.map((node) => (node.type.startsWith(OURS) ? { ...node, credentials } : node)),
		...rest,
	};
	return await n8n.rest.createWorkflow(workflow);
}

/** Opens the second of two nodes, with these items pinned to the first. */
async function openSecond(editor: Editor, world: World, nodes: [INode, INode], json: object[]) {
	const [{ name: first }, { name: second }] = nodes;
	const pinData = { [first]: json.map((itemJson) => ({ json: itemJson })) };
	const connections = { [first]: connect(second) };
	await editor.openNode(await save(world, { nodes, connections, pinData }), second);
}

/** Shows the output of a run in one of n8n's views. */
async function showOutput(editor: Editor, text: string, view: 'schema' | 'table' | 'json') {
	await editor.output.getByText(text).first().waitFor();
	await editor.output.getByTestId(`radio-button-${view}`).click();
}

/** The pictures by the names of their files. */
export const pictures: Record<string, Prepare> = {
	async create(editor, world) {
		const form = selectForm(demoForms.newsletter, 'Newsletter Sign-up');
		const parameters = { resource: 'response', operation: 'create', ...form };
		const webhook = workflowNode('Webhook', 'n8n-nodes-base.webhook', { typeVersion: 2 });
		const body = { name: 'Katherine Johnson', email: 'katherine@example.com' };
		const opened = workflowNode('Add Response', OURS, { position: [260, 0], parameters });
		await openSecond(editor, world, [webhook, opened], [{ body }]);
		await editor.mappedField('Name').fill('{{ $json.body.name }}');
		await editor.mappedField('Email').fill('{{ $json.body.email }}');
		await editor.execute();
		await showOutput(editor, '1 item', 'schema');
		await editor.element('parameter-input-operation').scrollIntoViewIfNeeded();
		return [editor.element('ndv')];
	},

	async trigger(editor, world) {
		world.service.store.addResponse(demoForms.contact, {
			answers: { Name: 'Ada Lovelace', Email: 'ada@example.com', Message: 'Is it open on Sunday?' },
		});
		const nodes = [workflowNode('New Response', `${OURS}Trigger`, { parameters: contact })];
		await editor.openNode(await save(world, { nodes }), 'New Response');
		await editor.execute();
		await showOutput(editor, '1 item', 'schema');
		// the panel on the left only offers the button again
		return [editor.element('node-parameters'), editor.output];
	},

	async settings(editor, world) {
		const rows = [
			{ form_id: demoForms.contact, is_closed: 'yes', closed_message: 'Back in January.' },
			{ form_id: demoForms.event, is_closed: 'no', closed_message: '' },
			{ form_id: demoForms.survey, is_closed: 'yes', closed_message: 'Thank you for your time.' },
		];
		const parameters = {
			...{ resource: 'setting', operation: 'update', inputMode: 'auto', preview: true },
			formId: { __rl: true, mode: 'id', value: '={{ $json.form_id }}' },
		};
		const update = workflowNode('Update Forms', OURS, { position: [260, 0], parameters });
		const sheet = workflowNode('Sheet', 'n8n-nodes-base.manualTrigger');
		await openSecond(editor, world, [sheet, update], rows);
		await editor.execute();
		await showOutput(editor, `${rows.length} items`, 'json');
		return [editor.element('ndv')];
	},
};
