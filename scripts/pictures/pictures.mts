import type {
	IConnections,
	INode,
	INodeConnections,
	INodeParameters,
	NodeConnectionType,
} from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import type { Editor } from '../../test/n8n/browser/editor.mts';
import { demoForms } from '../../test/service/index.mts';
import type { World } from '../demo/world.mts';
import { type WorkflowFile, workflowNode } from '../lib/n8n/rest.mts';

/** Brings the editor to where a picture is taken, and gives what is in the picture. */
type Prepare = (editor: Editor, world: World) => Promise<Locator>;

const form = (id: string, name: string) => ({
	formId: { __rl: true, mode: 'list', value: id, cachedResultName: name },
});
const contact = form(demoForms.contact, 'Contact');
const application = form(demoForms.application, 'Job Application');

const node = (
	name: string,
	type: string,
	position: [number, number],
	parameters: INodeParameters = {},
	typeVersion = 1,
): INode => workflowNode(name, type, { typeVersion, position, parameters });

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const OURS = 'n8n-nodes-formservice.formService';

/** Saves a workflow with the demo's credential in our nodes, and gives its id. */
async function save(world: World, workflow: WorkflowFile): Promise<string> {
	const { credential } = world.choices;
	const nodes = workflow.nodes.map((entry) =>
		entry.type.startsWith(OURS) ? { ...entry, credentials: { formServiceApi: credential } } : entry,
	);
	return await world.n8n.rest.createWorkflow({
		settings: { executionOrder: 'v1' },
		...workflow,
		nodes,
	});
}

/** Opens a node that a person has begun to fill in; its input is what a webhook got. */
async function openAfterWebhook(editor: Editor, world: World, opened: INode): Promise<void> {
	const webhook = node('Webhook', 'n8n-nodes-base.webhook', [0, 0], {}, 2);
	const pinData = {
		Webhook: [{ json: { name: 'Katherine Johnson', email: 'katherine@example.com' } }],
	};
	const connections: IConnections = {
		Webhook: { main: [[{ node: opened.name, type: 'main', index: 0 }]] },
	};
	const workflow = {
		name: opened.name,
		nodes: [webhook, opened],
		connections,
		pinData,
	};
	await editor.openNode(await save(world, workflow), opened.name);
}

/** Shows the output as a schema, which names nested fields too. */
async function showSchema(editor: Editor): Promise<void> {
	await editor.output.getByText('1 item').first().waitFor();
	await editor.output.getByTestId('radio-button-schema').click();
}

/** Shows the output as a table, with a row for each item. */
async function showTable(editor: Editor, items: number): Promise<void> {
	await editor.output.getByText(`${items} items`).first().waitFor();
	await editor.output.getByTestId('radio-button-table').click();
}

/** Opens a workflow in a window that is as high as its nodes need. */
async function openCanvas(
	editor: Editor,
	world: World,
	id: string,
	height: number,
): Promise<Locator> {
	const { width } = editor.page.viewportSize()!;
	await editor.page.setViewportSize({ width, height });
	await editor.page.goto(`${world.n8n.url}/workflow/${id}`);
	await editor.element('canvas-node').first().waitFor();
	return editor.element('canvas-wrapper');
}

/** The pictures by the names of their files. */
export const pictures: Record<string, Prepare> = {
	async create(editor, world) {
		const parameters = { resource: 'response', operation: 'create', ...application };
		await openAfterWebhook(editor, world, node('Add Response', OURS, [260, 0], parameters));
		await editor.mappedField('Name').fill('{{ $json.name }}');
		await editor.mappedField('Email').fill('{{ $json.email }}');
		await editor.execute();
		await editor.output.getByText('1 item').first().waitFor();
		await editor.parameter('operation').scrollIntoViewIfNeeded();
		return editor.element('ndv');
	},

	async trigger(editor, world) {
		world.service.store.addResponse(demoForms.contact, {
			answers: { Name: 'Ada Lovelace', Email: 'ada@example.com', Message: 'Is it open on Sunday?' },
		});
		const id = await save(world, {
			name: 'Act on new responses',
			nodes: [node('New Response', `${OURS}Trigger`, [0, 0], contact)],
			connections: {},
		});
		await editor.openNode(id, 'New Response');
		await editor.execute();
		await showSchema(editor);
		return editor.element('ndv');
	},

	async settings(editor, world) {
		const rows = [
			{ form_id: demoForms.contact, is_closed: 'yes', closed_message: 'Back in January.' },
			{ form_id: demoForms.newsletter, is_closed: 'no', closed_message: '' },
			{ form_id: demoForms.survey, is_closed: 'yes', closed_message: 'Thank you for your time.' },
		];
		const update = node('Update Forms', OURS, [260, 0], {
			...{ resource: 'settings', operation: 'update', inputMode: 'auto' },
			formId: { __rl: true, mode: 'id', value: '={{ $json.form_id }}' },
			options: { preview: true },
		});
		const id = await save(world, {
			name: 'Update Forms',
			nodes: [node('Sheet', 'n8n-nodes-base.manualTrigger', [0, 0]), update],
			connections: { Sheet: { main: [[{ node: update.name, type: 'main', index: 0 }]] } },
			pinData: { Sheet: rows.map((json) => ({ json })) },
		} as WorkflowFile);
		await editor.openNode(id, update.name);
		await editor.execute();
		await showTable(editor, rows.length);
		return editor.element('ndv');
	},

	async canvas(editor, world) {
		const email = node(
			'Send a Message',
			'n8n-nodes-base.emailSend',
			[260, 0],
			{
				...{ fromEmail: 'forms@example.com', toEmail: 'team@example.com', emailFormat: 'text' },
				subject: '=New response to {{ $json.form.name }}',
				text: '={{ $json.answers.Message }}',
			},
			2.1,
		);
		const smtp = { name: 'SMTP account', type: 'smtp', data: { host: 'localhost' } };
		const credential = await world.n8n.rest.saveCredential(smtp);
		email.credentials = { smtp: { id: credential, name: smtp.name } };
		const id = await save(world, {
			name: 'Act on new responses',
			nodes: [node('New Response', `${OURS}Trigger`, [0, 0], contact), email],
			connections: { 'New Response': { main: [[{ node: email.name, type: 'main', index: 0 }]] } },
		});
		return await openCanvas(editor, world, id, 420);
	},

	async agent(editor, world) {
		const tool = { descriptionType: 'auto' };
		const connect = (type: NodeConnectionType): INodeConnections => ({
			[type]: [[{ node: 'AI Agent', type, index: 0 }]],
		});
		const openAi = { name: 'OpenAI account', type: 'openAiApi', data: { apiKey: 'none' } };
		const model = node('OpenAI Chat Model', `${LANGCHAIN}.lmChatOpenAi`, [60, 260], {}, 1.2);
		model.credentials = {
			openAiApi: { id: await world.n8n.rest.saveCredential(openAi), name: openAi.name },
		};
		const id = await save(world, {
			name: 'Ask about responses',
			nodes: [
				node('When chat message received', `${LANGCHAIN}.chatTrigger`, [0, 0], {}, 1.4),
				node('AI Agent', `${LANGCHAIN}.agent`, [260, 0], {}, 3),
				model,
				node('Find responses', `${OURS}Tool`, [300, 260], {
					...{ ...tool, resource: 'response', operation: 'getAll', ...contact },
				}),
				node('Add response', `${OURS}Tool`, [560, 260], {
					...{ ...tool, resource: 'response', operation: 'create', ...contact },
				}),
				node('Close form', `${OURS}Tool`, [820, 260], {
					...{ ...tool, resource: 'settings', operation: 'update', ...contact },
				}),
			],
			connections: {
				'When chat message received': connect('main'),
				'OpenAI Chat Model': connect('ai_languageModel'),
				'Find responses': connect('ai_tool'),
				'Add response': connect('ai_tool'),
				'Close form': connect('ai_tool'),
			},
		});
		return await openCanvas(editor, world, id, 720);
	},
};
