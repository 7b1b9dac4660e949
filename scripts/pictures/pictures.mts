import type { IConnections, INode, NodeConnectionType } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import type { Editor } from '../../test/n8n/browser/editor.mts';
import { demoForms } from '../../test/service/index.mts';
import type { World } from '../demo/world.mts';
import { workflowNode } from '../lib/n8n/rest.mts';

/** Brings the editor to where a picture is taken; returns what the picture shows. */
type Prepare = (editor: Editor, world: World) => Promise<Locator[]>;

const OURS = 'n8n-nodes-formservice.formService';
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

const selectForm = (id: string, name: string) => ({
	formId: { __rl: true, mode: 'list', value: id, cachedResultName: name },
});
const contact = selectForm(demoForms.contact, 'Contact');

const connect = (node: string, type: NodeConnectionType = 'main') => ({
	[type]: [[{ node, type, index: 0 }]],
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

/** Opens a workflow and fits it into the window; returns its nodes. */
async function openCanvas(editor: Editor, world: World, workflow: Saved): Promise<Locator[]> {
	const id = await save(world, workflow);
	await editor.page.goto(`${world.n8n.url}/workflow/${id}`);
	const nodes = editor.element('canvas-node');
	await nodes.first().waitFor();
	await editor.element('zoom-to-fit').click();
	await editor.page.waitForTimeout(1_000);
	return await nodes.all();
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

	async canvas(editor, world) {
		const smtp = { name: 'SMTP account', type: 'smtp', data: { host: 'localhost' } };
		const id = await world.n8n.rest.saveCredential(smtp);
		const email = workflowNode('Send a Message', 'n8n-nodes-base.emailSend', {
			...{ typeVersion: 2.1, position: [260, 0] },
			parameters: { fromEmail: 'forms@example.com', toEmail: 'team@example.com' },
			credentials: { smtp: { id, name: smtp.name } },
		});
		return await openCanvas(editor, world, {
			nodes: [workflowNode('New Response', `${OURS}Trigger`, { parameters: contact }), email],
			connections: { 'New Response': connect(email.name) },
		});
	},

	async agent(editor, world) {
		const openAi = { name: 'OpenAI account', type: 'openAiApi', data: { apiKey: 'none' } };
		const id = await world.n8n.rest.saveCredential(openAi);
		const tools = [
			['Find Responses', { resource: 'response', operation: 'getAll' }],
			['Add Response', { resource: 'response', operation: 'create' }],
			['Close Form', { resource: 'setting', operation: 'update' }],
		] as const;
		const toolNodes = tools.map(([name, parameters], index) =>
			workflowNode(name, `${OURS}Tool`, {
				position: [300 + 260 * index, 260],
				parameters: { ...parameters, ...contact },
			}),
		);
		return await openCanvas(editor, world, {
			nodes: [
				workflowNode('Chat', `${LANGCHAIN}.chatTrigger`, { typeVersion: 1.4 }),
				workflowNode('AI Agent', `${LANGCHAIN}.agent`, { typeVersion: 3, position: [260, 0] }),
				workflowNode('OpenAI Chat Model', `${LANGCHAIN}.lmChatOpenAi`, {
					...{ typeVersion: 1.2, position: [60, 260] },
					credentials: { openAiApi: { id, name: openAi.name } },
				}),
				...toolNodes,
			],
			connections: {
				Chat: connect('AI Agent'),
				'OpenAI Chat Model': connect('AI Agent', 'ai_languageModel'),
				...Object.fromEntries(toolNodes.map(({ name }) => [name, connect('AI Agent', 'ai_tool')])),
			},
		});
	},
};
