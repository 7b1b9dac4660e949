import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installN8n } from '../../scripts/lib/n8n/install.mts';
import { itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { demoForms, type Service } from '../service/index.mts';
import { startScriptedModel } from './agent/scriptedModel.mts';
import { agentWorkflow, MCP_PATH, mcpWorkflow } from './agent/workflows.mts';
import { until } from './delivery/submissions.mts';
import { ended, type Instance, startInstance, startUnlimited } from './instance.mts';

const START_TIMEOUT_MS = 900_000;
const FORM = demoForms.contact;

let service: Service;
let instance: Instance;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
	service = await startUnlimited(cleanup);
	instance = await startInstance(service, {}, cleanup);
}, START_TIMEOUT_MS);
afterAll(async () => await cleanup.disposeAsync());

const answersWith = (text: string) => ({ [service.store.fields(FORM)[0].uuid]: text });
const countOf = (text: string) =>
	service.store.responses(FORM).filter(({ answers }) => Object.values(answers).includes(text))
		.length;

describe('an AI Agent with a chat model', () => {
	it('finds a response, adds one and closes the form', async () => {
		service.store.addResponse(FORM, { answers: answersWith('Asked for by the agent') });
		const model = await startScriptedModel(
			[
				() => ({ tool: 'Find_Responses', args: { form: FORM } }),
				() => ({
					tool: 'Add_Response',
					args: { form: FORM, answers: answersWith('Added by the agent') },
				}),
				() => ({ tool: 'Update_Form', args: { form: FORM, settings: { is_closed: true } } }),
				({ results }) => ({ answer: `Done after ${results.length} tools` }),
			],
			cleanup,
		);
		const { rest } = instance.n8n;
		const data = { apiKey: 'none', url: model.url };
		const id = await rest.saveCredential({ name: 'Model', type: 'openAiApi', data });
		const workflow = agentWorkflow(instance.credential, { id, name: 'Model' });
		const execution = await ended(
			instance,
			await rest.run(await rest.createWorkflow(workflow), 'Start'),
		);

		expect(execution.status).toBe('success');
		expect(itemsOf(execution, 'AI Agent')[0].json.output).toBe('Done after 3 tools');
		expect(model.told.tools.map(({ name }) => name).sort()).toEqual([
			'Add_Response',
			'Find_Responses',
			'Update_Form',
		]);
		for (const { description } of model.told.tools) expect(description).toMatch(/\w{3}/);
		expect(model.told.results[0]).toContain('Asked for by the agent');
		expect(countOf('Added by the agent')).toBe(1);
		expect(service.store.form(FORM)?.settings.is_closed).toBe(true);
	});
});

type McpClient = {
	connect(transport: unknown): Promise<void>;
	listTools(): Promise<{ tools: Array<{ name: string }> }>;
	callTool(call: { name: string; arguments: object }): Promise<{ content: unknown }>;
	close(): Promise<void>;
};

/** A client of the Model Context Protocol: that of the package that n8n itself uses. */
async function connectMcp(url: string): Promise<McpClient> {
	const load = createRequire(
		join(await installN8n(), 'node_modules/@n8n/n8n-nodes-langchain/package.json'),
	);
	const { Client } = load('@modelcontextprotocol/sdk/client/index.js') as {
		Client: new (info: object) => McpClient;
	};
	const { StreamableHTTPClientTransport } = load(
		'@modelcontextprotocol/sdk/client/streamableHttp.js',
	) as { StreamableHTTPClientTransport: new (url: URL) => unknown };
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(new StreamableHTTPClientTransport(new URL(url)));
	return client;
}

describe('n8n’s MCP Server Trigger', () => {
	it('serves the node as a tool to an MCP client', async () => {
		const { rest, url } = instance.n8n;
		await rest.activate(await rest.createWorkflow(mcpWorkflow(instance.credential)));
		service.store.addResponse(FORM, { answers: answersWith('Asked for by the client') });
		let client: McpClient | undefined;
		const connected = await until(async () => {
			client = await connectMcp(`${url}/mcp/${MCP_PATH}`).catch(() => undefined);
			return client !== undefined;
		}, 30_000);
		expect(connected).toBe(true);
		cleanup.defer(async () => await client!.close());

		const { tools } = await client!.listTools();
		expect(tools.map(({ name }) => name)).toContain('Find_Responses');
		const reply = await client!.callTool({ name: 'Find_Responses', arguments: { form: FORM } });
		expect(JSON.stringify(reply.content)).toContain('Asked for by the client');
	});
});
