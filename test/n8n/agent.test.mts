import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillIn, readExample } from '../../scripts/lib/n8n/examples.mts';
import { installN8n } from '../../scripts/lib/n8n/install.mts';
import { itemsOf, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { demoForms, type Service } from '../service/index.mts';
import { startScriptedModel } from './agent/scriptedModel.mts';
import { until } from './delivery/submissions.mts';
import { ended, type Instance, startInstance, startUnlimited } from './instance.mts';

const FORM = { id: demoForms.contact, name: 'Contact' };
const MCP_PATH = 'form-service-tools';

let service: Service;
let instance: Instance;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	service = await startUnlimited(cleanup);
	instance = await startInstance(service, {}, cleanup);
}, 900_000);
afterAll(async () => await cleanup.disposeAsync());

/** The example with an agent and its tools, with the credentials and the form chosen. */
async function fillInExample(modelUrl = 'http://127.0.0.1:1') {
	const { rest } = instance.n8n;
	const data = { apiKey: 'none', url: modelUrl };
	const id = await rest.saveCredential({ name: 'Model', type: 'openAiApi', data });
	return await fillIn(rest, await readExample('let-an-agent-use-a-form.json'), {
		credential: instance.credential,
		form: FORM,
		answers: { Name: '', Email: '', Message: '' },
		identifiedBy: [],
		settings: {},
		model: { id, name: 'Model' },
	});
}

describe('an AI Agent with a chat model', () => {
	it('finds a response, adds one and closes the form', async () => {
		const { rest } = instance.n8n;
		service.store.addResponse(FORM.id, { answers: { Message: 'Where is my delivery?' } });
		const answers = { Name: 'Ada', Email: 'ada@example.com', Message: 'Added by the agent' };
		const { url, told } = await startScriptedModel(
			[
				{ tool: 'Find_Responses', args: { text: 'delivery', limit: 5, skip: 0 } },
				{ tool: 'Add_Response', args: answers },
				{ tool: 'Open_or_Close_Form', args: { is_closed: true } },
				{ answer: 'Done' },
			],
			cleanup,
		);
		const id = await rest.createWorkflow(await fillInExample(url));
		const execution = await ended(instance, await rest.run(id, 'Start'));

		expect(execution.data.resultData.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'AI Agent')[0].json.output).toBe('Done');
		for (const { description } of told.tools) expect(description).toMatch(/\w{3}/);
		expect(told.results[0]).toContain('Where is my delivery?');
		const texts = service.store.responses(FORM.id).map((one) => Object.values(one.answers));
		expect(texts.filter((list) => list.includes(answers.Message))).toHaveLength(1);
		expect(Boolean(service.store.form(FORM.id)?.settings.is_closed)).toBe(true);
	});
});

type McpClient = {
	connect(transport: unknown): Promise<void>;
	listTools(): Promise<{ tools: Array<{ name: string }> }>;
	callTool(call: { name: string; arguments: object }): Promise<{ content: unknown }>;
	close(): Promise<void>;
};

/** A client of the Model Context Protocol, from the package that n8n itself uses. */
async function connectMcp(url: string): Promise<McpClient> {
	const folder = join(await installN8n(), 'node_modules/@n8n/n8n-nodes-langchain/package.json');
	const load = createRequire(folder);
	const { Client } = load('@modelcontextprotocol/sdk/client/index.js') as {
		Client: new (info: object) => McpClient;
	};
	const { StreamableHTTPClientTransport: Transport } = load(
		'@modelcontextprotocol/sdk/client/streamableHttp.js',
	) as { StreamableHTTPClientTransport: new (url: URL) => unknown };
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(new Transport(new URL(url)));
	return client;
}

describe('n8n’s MCP Server Trigger', () => {
	it('offers the node as a tool to an MCP client', async () => {
		const { rest, url } = instance.n8n;
		service.store.addResponse(FORM.id, { answers: { Message: 'Asked for by the client' } });
		const { nodes } = await fillInExample();
		const find = nodes.find(({ name }) => name === 'Find Responses')!;
		const server = workflowNode('Server', '@n8n/n8n-nodes-langchain.mcpTrigger', {
			typeVersion: 2,
			webhookId: MCP_PATH,
			parameters: { authentication: 'none', path: MCP_PATH },
		});
		const connections = {
			[find.name]: { ai_tool: [[{ node: server.name, type: 'ai_tool' as const, index: 0 }]] },
		};
		const workflow = { name: 'MCP', nodes: [server, find], connections };
		await rest.activate(await rest.createWorkflow(workflow));
		let client: McpClient | undefined;
		const connected = await until(async () => {
			client = await connectMcp(`${url}/mcp/${MCP_PATH}`).catch(() => undefined);
			return client !== undefined;
		}, 30_000);
		expect(connected).toBe(true);
		cleanup.defer(async () => await client!.close());

		const { tools } = await client!.listTools();
		expect(tools.map(({ name }) => name)).toContain('Find_Responses');
		const call = { name: 'Find_Responses', arguments: { text: 'client', limit: 5, skip: 0 } };
		const reply = await client!.callTool(call);
		expect(JSON.stringify(reply.content)).toContain('Asked for by the client');
	});
});
