import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
	type Execution,
	itemsOf,
	type N8nRest,
	workflowNode,
} from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { listen, selfSigned } from '../integration/servers.mts';
import { demoForms, status } from '../service/index.mts';
import { saveAccount, startInstance, startUnlimited } from './instance.mts';

vi.setConfig({ testTimeout: 900_000 });

const formId = { __rl: true, mode: 'id', value: demoForms.contact };
const TOKEN = 'token-that-nobody-may-read-5f2c9e';

const cleanup = new AsyncDisposableStack();
afterAll(async () => await cleanup.disposeAsync(), 120_000);

/** Runs operations of the node by hand, each on its own, with a new credential for this account. */
async function runOperations(
	rest: N8nRest,
	account: { token: string; baseUrl: string },
	operations: Record<string, INodeParameters>,
): Promise<Execution> {
	const formServiceApi = await saveAccount(rest, account);
	const names = Object.keys(operations);
	const nodes = names.map((name) =>
		workflowNode(name, 'n8n-nodes-formservice.formService', {
			credentials: { formServiceApi },
			onError: 'continueRegularOutput',
			parameters: operations[name],
		}),
	);
	const workflowId = await rest.createWorkflow({
		name: names.join(', '),
		nodes: [workflowNode('Start', 'n8n-nodes-base.manualTrigger'), ...nodes],
		connections: { Start: { main: [names.map((node) => ({ node, type: 'main', index: 0 }))] } },
		settings: { executionOrder: 'v1' },
	});
	return await rest.run(workflowId);
}

/** The files below a folder that have this text, whatever their kind. */
async function findFiles(text: string, folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const paths = files.map(({ parentPath, name }) => join(parentPath, name));
	const contents = await Promise.all(paths.map(async (path) => await readFile(path)));
	return paths.filter((_, index) => contents[index].includes(text));
}

it('neither n8n’s database nor its log has the token or the workspace’s secrets', async () => {
	const service = await startUnlimited(cleanup, { token: TOKEN });
	const { n8n, rest, folder } = await startInstance(cleanup, { env: { N8N_LOG_LEVEL: 'debug' } });
	// a service that quotes the token in its message, and one that breaks
	const quoting = status(403, `The token ${TOKEN} has no access.`);
	service.faults.set({ fault: quoting, match: { path: /settings/ } });
	service.faults.set({ fault: 'dropAfter', match: { method: 'POST', path: /\/response$/ } });
	const [{ uuid }] = service.store.responses(demoForms.contact);
	const [field] = service.store.fields(demoForms.contact);
	const json = { formId, inputMode: 'json' };
	const execution = await runOperations(rest, service, {
		Workspace: { resource: 'workspace', operation: 'get' },
		Forms: { resource: 'form', operation: 'getAll', returnAll: true },
		Responses: { resource: 'response', operation: 'getAll', formId, simplify: false },
		PDF: { resource: 'response', operation: 'getPdf', responseId: uuid, download: true },
		Refused: {
			...{ ...json, resource: 'settings', operation: 'update' },
			settingsJson: '{"is_closed": true}',
		},
		Broken: {
			...{ ...json, resource: 'response', operation: 'create' },
			answersJson: `{"${field.uuid}": "Ada"}`,
		},
	});
	expect(itemsOf(execution, 'PDF')[0].binary).toHaveProperty('data');
	expect(itemsOf(execution, 'Refused')[0].json.error).toContain('has no access');
	expect(itemsOf(execution, 'Broken')[0].json).toHaveProperty('error');
	await n8n.stop();

	// what was asked for is found, so what is not found is not there
	expect(await findFiles('Customer Survey', folder)).not.toEqual([]);
	const { workspace } = service.store.firstAccount()!;
	const names = ['webhook_secret', 'slack_webhook_url', 'discord_webhook_url'];
	for (const secret of [TOKEN, ...names.map((name) => String(workspace[name]))]) {
		expect(secret.length).toBeGreaterThan(10);
		expect(await findFiles(secret, folder)).toEqual([]);
	}
});

describe('the node reaches a service', () => {
	/** Hands every request on to a service, whatever host it asks for. */
	const forwardTo =
		(service: string, hosts = new Set<string>()): RequestListener =>
		(incoming, reply) => {
			const { pathname, search, hostname } = new URL(incoming.url!, service);
			hosts.add(hostname);
			const { method, headers } = incoming;
			const onward = request(service + pathname + search, { method, headers }, (answer) => {
				reply.writeHead(answer.statusCode!, answer.headers);
				answer.pipe(reply);
			});
			onward.on('error', () => reply.destroy());
			incoming.pipe(onward);
		};

	it('that only the proxy of n8n’s environment knows, or whose certificate is of an authority in NODE_EXTRA_CA_CERTS', async () => {
		const { token, url } = await startUnlimited(cleanup);
		const hosts = new Set<string>();
		const proxy = await listen(createServer(forwardTo(url, hosts)));
		const secure = await listen(createHttpsServer(selfSigned, forwardTo(url)));
		const authority = join(await temporaryFolder('certificate', cleanup), 'authority.pem');
		await writeFile(authority, selfSigned.cert);
		const env = { HTTP_PROXY: `http://127.0.0.1:${proxy}`, NO_PROXY: '127.0.0.1' };
		const { rest } = await startInstance(cleanup, {
			env: { ...env, NODE_EXTRA_CA_CERTS: authority },
		});
		for (const address of ['http://forms.internal.example', `https://127.0.0.1:${secure}`]) {
			const Fields = { resource: 'field', operation: 'getAll', formId };
			const account = { token, baseUrl: `${address}/api/v1` };
			const execution = await runOperations(rest, account, { Fields });
			expect(itemsOf(execution, 'Fields')[0].json, address).toHaveProperty('uuid');
		}
		expect([...hosts]).toEqual(['forms.internal.example']);
	});
});
