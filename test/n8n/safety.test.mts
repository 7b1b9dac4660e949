import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { afterAll, expect, it, vi } from 'vitest';
import { type Execution, itemsOf, workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { demoForms, status } from '../service/index.mts';
import { saveAccount, startInstance, startUnlimited } from './instance.mts';

vi.setConfig({ testTimeout: 900_000 });

const TOKEN = 'token-that-nobody-may-read-5f2c9e';
const formId = { __rl: true, mode: 'id', value: demoForms.contact };

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync(), 120_000);

/** The files below a folder that have this text, whatever their kind. */
async function findFiles(text: string, folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const paths = files.map(({ parentPath, name }) => join(parentPath, name));
	const contents = await Promise.all(paths.map(async (path) => await readFile(path)));
	return paths.filter((_, index) => contents[index].includes(text));
}

it('n8n stores and logs no token and no secret, and says of a lost reply that the response may have been added', async () => {
	const service = await startUnlimited(cleanup, { token: TOKEN });
	const { n8n, rest, folder } = await startInstance(cleanup, { env: { N8N_LOG_LEVEL: 'debug' } });
	const formServiceApi = await saveAccount(rest, service);

	/** Runs operations of the node by hand, each on its own. */
	async function runOperations(operations: Record<string, INodeParameters>): Promise<Execution> {
		const nodes = Object.entries(operations).map(([name, parameters]) =>
			workflowNode(name, 'n8n-nodes-formservice.formService', {
				...{ onError: 'continueRegularOutput', credentials: { formServiceApi } },
				parameters,
			}),
		);
		const targets = nodes.map(({ name: node }) => ({ node, type: 'main', index: 0 }) as const);
		const workflowId = await rest.createWorkflow({
			name: 'Operations',
			nodes: [workflowNode('Start', 'n8n-nodes-base.manualTrigger'), ...nodes],
			connections: { Start: { main: [targets] } },
			settings: { executionOrder: 'v1' },
		});
		return await rest.run(workflowId);
	}

	// a service that quotes the token in its message, and one that breaks
	const quoting = status(403, `The token ${TOKEN} has no access.`);
	service.faults.set({ fault: quoting, match: { path: /settings/ } });
	service.faults.set({ fault: 'dropAfter', match: { method: 'POST', path: /\/response$/ } });
	const [{ uuid }] = service.store.responses(demoForms.contact);
	const [field] = service.store.fields(demoForms.contact);
	const json = { formId, inputMode: 'json' };
	const answersJson = `{"${field.uuid}": "Ada"}`;
	const settingsJson = '{"is_closed": true}';
	const run = await runOperations({
		Workspace: { resource: 'workspace', operation: 'get' },
		Forms: { resource: 'form', operation: 'getAll', returnAll: true },
		Responses: { resource: 'response', operation: 'getAll', formId, simplify: false },
		PDF: { resource: 'response', operation: 'getPdf', responseId: uuid, download: true },
		Refused: { ...json, resource: 'setting', operation: 'update', settingsJson },
		Broken: { ...json, resource: 'response', operation: 'create', answersJson },
	});
	expect(itemsOf(run, 'PDF')[0].binary).toHaveProperty('data');
	expect(itemsOf(run, 'Refused')[0].json.error).toContain('has no access');
	expect(itemsOf(run, 'Broken')[0].json.error).toContain('may or may not have been added');
	await n8n.stop();

	// what was asked for is found, so what is not found is not there
	expect(await findFiles('Customer Survey', folder)).not.toEqual([]);
	const { workspace } = service.store.accounts[0];
	const names = ['webhook_secret', 'slack_webhook_url', 'discord_webhook_url'];
	for (const secret of [TOKEN, ...names.map((name) => String(workspace[name]))]) {
		expect(secret.length).toBeGreaterThan(10);
		expect(await findFiles(secret, folder)).toEqual([]);
	}
});
