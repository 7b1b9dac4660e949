import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { selfSigned } from '../integration/servers.mts';
import { answer, demoForms, status } from '../service/index.mts';
import { runOperations, startInstance, startUnlimited } from './instance.mts';

vi.setConfig({ testTimeout: 900_000 });

const formId = { __rl: true, mode: 'id', value: demoForms.contact };
const getFields: INodeParameters = { resource: 'field', operation: 'getAll', formId };
const TOKEN = 'token-that-nobody-may-read-5f2c9e';

let cleanup = new AsyncDisposableStack();
afterEach(async () => {
	await cleanup.disposeAsync();
	cleanup = new AsyncDisposableStack();
}, 120_000);

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
	const instance = await startInstance(service, { N8N_LOG_LEVEL: 'debug' }, cleanup);
	// a service that quotes the token in its message, and one that breaks
	const quoting = status(403, `The token ${TOKEN} has no access.`);
	service.faults.set({ fault: quoting, match: { path: /settings/ } });
	service.faults.set({ fault: 'dropAfter', match: { method: 'POST', path: /\/response$/ } });
	const [{ uuid }] = service.store.responses(demoForms.contact);
	const [field] = service.store.fields(demoForms.contact);
	const json = { formId, inputMode: 'json' };
	const execution = await runOperations(instance, {
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
	await instance.n8n.stop();

	// what was asked for is found, so what is not found is not there
	expect(await findFiles('Customer Survey', instance.folder)).not.toEqual([]);
	const { workspace } = service.store.firstAccount()!;
	const names = ['webhook_secret', 'slack_webhook_url', 'discord_webhook_url'];
	for (const secret of [TOKEN, ...names.map((name) => String(workspace[name]))]) {
		expect(secret.length).toBeGreaterThan(10);
		expect(await findFiles(secret, instance.folder)).toEqual([]);
	}
});

/** Lets a server listen on this machine; returns its port. */
async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	cleanup.defer(() => void server.close());
	return (server.address() as AddressInfo).port;
}

describe('a PDF whose link names a host that resolves to a private address', () => {
	/** Gets the PDF; returns the execution, and how many connections the host got. */
	async function getPdf(env: Record<string, string>) {
		const service = await startUnlimited(cleanup);
		let connections = 0;
		const target = createServer((socket) => {
			connections += 1;
			socket.destroy();
		});
		const link = `https://files.private.example:${await listen(target)}/summary.pdf`;
		const fault = answer(200, 'application/json', JSON.stringify({ success: true, url: link }));
		service.faults.set({ fault, match: { path: /\/pdf$/ } });
		const preload = pathToFileURL(join(import.meta.dirname, 'safety', 'resolveToLoopback.mjs'));
		const baseUrl = service.baseUrl.replace('127.0.0.1', 'localhost');
		const settings = { NODE_OPTIONS: `--import ${preload.href}`, ...env };
		const instance = await startInstance({ ...service, baseUrl }, settings, cleanup);
		const [{ uuid }] = service.store.responses(demoForms.contact);
		const execution = await runOperations(instance, {
			PDF: { resource: 'response', operation: 'getPdf', responseId: uuid, download: true },
			Fields: getFields,
		});
		return { execution, connections };
	}

	it('is not downloaded with n8n’s protection, which lets the service be reached', async () => {
		const { execution, connections } = await getPdf({
			N8N_SSRF_PROTECTION_ENABLED: 'true',
			N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
		});
		expect(connections).toBe(0);
		expect(itemsOf(execution, 'PDF')[0].json).toHaveProperty('error');
		expect(itemsOf(execution, 'Fields')[0].json).toHaveProperty('uuid');
	});

	it('is downloaded without n8n’s protection, since a node cannot look up names', async () => {
		const { connections } = await getPdf({});
		expect(connections).toBeGreaterThan(0);
	});
});

describe('the node reaches a service', () => {
	/** Hands every request on to a port of this machine, whatever host it asks for. */
	const forwardTo =
		(port: number, hosts = new Set<string>()): RequestListener =>
		(incoming, reply) => {
			const { pathname, search, hostname } = new URL(incoming.url!, 'http://127.0.0.1');
			hosts.add(hostname);
			const { method, headers } = incoming;
			const path = pathname + search;
			const onward = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
				reply.writeHead(answer.statusCode!, answer.headers);
				answer.pipe(reply);
			});
			onward.on('error', () => reply.destroy());
			incoming.pipe(onward);
		};

	async function expectFields(
		access: { token: string; baseUrl: string },
		env: Record<string, string>,
	) {
		const instance = await startInstance(access, env, cleanup);
		const execution = await runOperations(instance, { Fields: getFields });
		expect(itemsOf(execution, 'Fields')[0].json).toHaveProperty('uuid');
	}

	it('that only the proxy of n8n’s environment knows', async () => {
		const { token, url } = await startUnlimited(cleanup);
		const hosts = new Set<string>();
		const proxy = await listen(createHttpServer(forwardTo(Number(new URL(url).port), hosts)));
		const env = { HTTP_PROXY: `http://127.0.0.1:${proxy}`, NO_PROXY: '127.0.0.1' };
		await expectFields({ token, baseUrl: 'http://forms.internal.example/api/v1' }, env);
		expect(hosts).toContain('forms.internal.example');
	});

	it('whose certificate is of an authority in NODE_EXTRA_CA_CERTS', async () => {
		const { token, url } = await startUnlimited(cleanup);
		const onward = forwardTo(Number(new URL(url).port));
		const port = await listen(createHttpsServer(selfSigned, onward));
		const file = join(await temporaryFolder('certificate', cleanup), 'authority.pem');
		await writeFile(file, selfSigned.cert);
		const baseUrl = `https://127.0.0.1:${port}/api/v1`;
		await expectFields({ token, baseUrl }, { NODE_EXTRA_CA_CERTS: file });
	});
});
