import type { INode, INodeParameters, NodeConnectionType } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import type { Editor } from '../../test/n8n/browser/editor.mts';
import { demoForms } from '../../test/service/index.mts';
import type { World } from '../demo/world.mts';
import { type WorkflowFile, workflowNode } from '../lib/n8n/rest.mts';

/** Brings the editor to where a picture is taken; returns what the picture shows. */
type Prepare = (editor: Editor, world: World) => Promise<Locator[]>;

const OURS = 'n8n-nodes-formservice.formService';
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

const selectForm = (id: string, name: string) => ({
	formId: { __rl: true, mode: 'list', value: id, cachedResultName: name },
});
const contact = selectForm(demoForms.contact, 'Contact');

type Position = [number, number];
const createNode = (
	name: string,
	type: string,
	position: Position,
	parameters: INodeParameters = {},
	typeVersion = 1,
): INode => workflowNode(name, type, { typeVersion, position, parameters });

const connect = (node: string, type: NodeConnectionType = 'main') => ({
	[type]: [[{ node, type, index: 0 }]],
});

type Saved = Partial<WorkflowFile> & { nodes: INode[]; pinData?: object };

/** Saves a workflow with the demo's credential in our nodes; returns its ID. */
async function save(world: World, workflow: Saved): Promise<string> {
	const credentials = { formServiceApi: world.choices.credential };
	const nodes = workflow.nodes.map((node) =>
		node.type.startsWith(OURS) ? { ...node, credentials } : node,
	);
	const defaults = { name: 'Form responses', connections: {}, settings: { executionOrder: 'v1' } };
	return await world.n8n.rest.createWorkflow({ ...defaults, ...workflow, nodes });
}

/** Opens a node whose input is pinned to the node before it. */
async function openAfter(
	editor: Editor,
	world: World,
	before: INode,
	json: object[],
	opened: INode,
) {
	const id = await save(world, {
		nodes: [before, opened],
		connections: { [before.name]: connect(opened.name) },
		pinData: { [before.name]: json.map((one) => ({ json: one })) },
	});
	await editor.openNode(id, opened.name);
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
		const webhook = createNode('Webhook', 'n8n-nodes-base.webhook', [0, 0], {}, 2);
		const body = { name: 'Katherine Johnson', email: 'katherine@example.com' };
		const opened = createNode('Add Response', OURS, [260, 0], parameters);
		await openAfter(editor, world, webhook, [{ body }], opened);
		await editor.mappedField('Name').fill('{{ $json.body.name }}');
		await editor.mappedField('Email').fill('{{ $json.body.email }}');
		await editor.execute();
		await showOutput(editor, '1 item', 'schema');
		await editor.parameter('operation').scrollIntoViewIfNeeded();
		return [editor.element('ndv')];
	},

	async trigger(editor, world) {
		world.service.store.addResponse(demoForms.contact, {
			answers: { Name: 'Ada Lovelace', Email: 'ada@example.com', Message: 'Is it open on Sunday?' },
		});
		const nodes = [createNode('New Response', `${OURS}Trigger`, [0, 0], contact)];
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
		const update = createNode('Update Forms', OURS, [260, 0], {
			...{ resource: 'setting', operation: 'update', inputMode: 'auto' },
			formId: { __rl: true, mode: 'id', value: '={{ $json.form_id }}' },
			preview: true,
		});
		const sheet = createNode('Sheet', 'n8n-nodes-base.manualTrigger', [0, 0]);
		await openAfter(editor, world, sheet, rows, update);
		await editor.execute();
		await showOutput(editor, `${rows.length} items`, 'json');
		return [editor.element('ndv')];
	},

	async canvas(editor, world) {
		const mail = { fromEmail: 'forms@example.com', toEmail: 'team@example.com' };
		const email = createNode('Send a Message', 'n8n-nodes-base.emailSend', [260, 0], mail, 2.1);
		const smtp = { name: 'SMTP account', type: 'smtp', data: { host: 'localhost' } };
		const id = await world.n8n.rest.saveCredential(smtp);
		email.credentials = { smtp: { id, name: smtp.name } };
		return await openCanvas(editor, world, {
			nodes: [createNode('New Response', `${OURS}Trigger`, [0, 0], contact), email],
			connections: { 'New Response': connect(email.name) },
		});
	},

	async agent(editor, world) {
		const openAi = { name: 'OpenAI account', type: 'openAiApi', data: { apiKey: 'none' } };
		const id = await world.n8n.rest.saveCredential(openAi);
		const model = createNode('OpenAI Chat Model', `${LANGCHAIN}.lmChatOpenAi`, [60, 260], {}, 1.2);
		model.credentials = { openAiApi: { id, name: openAi.name } };
		const tools: Record<string, INodeParameters> = {
			'Find Responses': { resource: 'response', operation: 'getAll' },
			'Add Response': { resource: 'response', operation: 'create' },
			'Close Form': { resource: 'setting', operation: 'update' },
		};
		const toolNodes = Object.entries(tools).map(([name, parameters], index) =>
			createNode(name, `${OURS}Tool`, [300 + 260 * index, 260], { ...parameters, ...contact }),
		);
		return await openCanvas(editor, world, {
			nodes: [
				createNode('Chat', `${LANGCHAIN}.chatTrigger`, [0, 0], {}, 1.4),
				createNode('AI Agent', `${LANGCHAIN}.agent`, [260, 0], {}, 3),
				...[model, ...toolNodes],
			],
			connections: {
				Chat: connect('AI Agent'),
				[model.name]: connect('AI Agent', 'ai_languageModel'),
				...Object.fromEntries(toolNodes.map(({ name }) => [name, connect('AI Agent', 'ai_tool')])),
			},
		});
	},
};
