import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { itemsOf } from '../../scripts/lib/n8n/rest.mts';
import { temporaryFolder } from '../../scripts/lib/paths.mts';
import { selfSigned } from '../integration/servers.mts';
import { demoForms, status } from '../service/index.mts';
import { type Instance, runOperations, startInstance, startUnlimited } from './instance.mts';

const START_TIMEOUT_MS = 900_000;

const FORM = { __rl: true, mode: 'id', value: demoForms.contact };
const TOKEN = 'token-that-nobody-may-read-5f2c9e';

let cleanup = new AsyncDisposableStack();
afterEach(async () => {
	await cleanup.disposeAsync();
	cleanup = new AsyncDisposableStack();
}, 120_000);

/** The files below a folder that hold this text, whatever their kind. */
async function filesWith(text: string, folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const paths = entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
	const contents = await Promise.all(paths.map(async (path) => await readFile(path)));
	return paths.filter((_, index) => contents[index].includes(text));
}

it(
	'leaves the token and the workspace’s secrets in nothing that n8n stores or logs',
	async () => {
		const running = await startUnlimited(cleanup, { token: TOKEN });
		const instance = await startInstance(running, { N8N_LOG_LEVEL: 'debug' }, cleanup);
		const workspace = running.store.firstAccount()!.workspace as Record<string, unknown>;
		const [{ uuid }] = running.store.responses(demoForms.contact);
		const secrets = ['webhook_secret', 'slack_webhook_url', 'discord_webhook_url'].map((name) =>
			String(workspace[name]),
		);

		// a service that repeats the token in its message, and one that breaks
		const quoting = status(403, `The token ${TOKEN} has no access.`);
		running.faults.set({ fault: quoting, match: { path: /settings/ } });
		running.faults.set({ fault: 'dropAfter', match: { method: 'POST', path: /\/response$/ } });
		const execution = await runOperations(instance, {
			Workspace: { resource: 'workspace', operation: 'get' },
			Forms: { resource: 'form', operation: 'getAll', returnAll: true },
			Responses: {
				resource: 'response',
				operation: 'getAll',
				formId: FORM,
				returnAll: true,
				simplify: false,
			},
			PDF: { resource: 'response', operation: 'getPdf', responseId: uuid, download: true },
			Refused: {
				resource: 'settings',
				operation: 'update',
				formId: FORM,
				inputMode: 'json',
				settingsJson: '{"is_closed": true}',
			},
			Broken: {
				resource: 'response',
				operation: 'create',
				formId: FORM,
				inputMode: 'json',
				answersJson: `{"${running.store.fields(demoForms.contact)[0].uuid}": "Ada"}`,
			},
		});
		expect(itemsOf(execution, 'Workspace')[0].json).toHaveProperty('name');
		expect(itemsOf(execution, 'PDF')[0].binary).toHaveProperty('data');
		expect(itemsOf(execution, 'Refused')[0].json.error).toContain('has no access');
		expect(itemsOf(execution, 'Broken')[0].json).toHaveProperty('error');
		await instance.n8n.stop();

		// what was asked for is there, so what is not found is not there
		expect(await filesWith('Customer Survey', instance.folder)).not.toEqual([]);
		expect(secrets.every((secret) => secret.length > 10)).toBe(true);
		for (const secret of [TOKEN, ...secrets]) {
			expect(await filesWith(secret, instance.folder)).toEqual([]);
		}
	},
	START_TIMEOUT_MS,
);

/** Listens on this machine, and counts the connections it gets. */
async function listener() {
	let connections = 0;
	const server: Server = createServer((socket) => {
		connections += 1;
		socket.destroy();
	});
	return { port: await portOf(server), connections: () => connections };
}

/** Gets a PDF whose link names a host that resolves to this machine. */
async function getPdfFromPrivateName(env: Record<string, string>) {
	const running = await startUnlimited(cleanup);
	const target = await listener();
	running.shapes.filesOrigin = `https://files.private.example:${target.port}`;
	const [{ uuid }] = running.store.responses(demoForms.contact);
	const preload = pathToFileURL(join(import.meta.dirname, 'safety', 'resolveToLoopback.mjs'));
	const access = {
		token: running.token,
		baseUrl: running.baseUrl.replace('127.0.0.1', 'localhost'),
	};
	const settings = { NODE_OPTIONS: `--import ${preload.href}`, ...env };
	const instance: Instance = await startInstance(access, settings, cleanup);
	const execution = await runOperations(instance, {
		PDF: { resource: 'response', operation: 'getPdf', responseId: uuid, download: true },
		Fields: { resource: 'field', operation: 'getAll', formId: FORM },
	});
	return { execution, connections: target.connections() };
}

it(
	'with n8n’s protection, follows no link to a name of a private address, and reaches the service',
	async () => {
		const { execution, connections } = await getPdfFromPrivateName({
			N8N_SSRF_PROTECTION_ENABLED: 'true',
			N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
		});
		expect(connections).toBe(0);
		expect(itemsOf(execution, 'PDF')[0].json).toHaveProperty('error');
		expect(itemsOf(execution, 'Fields').length).toBeGreaterThan(0);
		expect(itemsOf(execution, 'Fields')[0].json).toHaveProperty('uuid');
	},
	START_TIMEOUT_MS,
);

it(
	'without n8n’s protection, such a link is followed: a node cannot look up names',
	async () => {
		const { connections } = await getPdfFromPrivateName({});
		expect(connections).toBeGreaterThan(0);
	},
	START_TIMEOUT_MS,
);

/** Lets a server listen on this machine, and gives its port. */
async function portOf(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	cleanup.defer(() => void server.close());
	return (server.address() as AddressInfo).port;
}

/** Hands every request on to a port of this machine, whatever host it asks for. */
const onwardTo =
	(port: number, seen: (host: string) => void = () => {}): RequestListener =>
	(incoming, reply) => {
		const { pathname, search, hostname } = new URL(incoming.url!, 'http://127.0.0.1');
		seen(hostname);
		const { method, headers } = incoming;
		const onward = request({ host: '127.0.0.1', port, path: pathname + search, method, headers });
		onward.on('response', (answer) => {
			reply.writeHead(answer.statusCode!, answer.headers);
			answer.pipe(reply);
		});
		onward.on('error', () => reply.destroy());
		incoming.pipe(onward);
	};

it(
	'reaches a service that only the proxy of n8n’s environment knows',
	async () => {
		const running = await startUnlimited(cleanup);
		const hosts = new Set<string>();
		const onward = onwardTo(Number(new URL(running.baseUrl).port), (host) => hosts.add(host));
		const port = await portOf(createHttpServer(onward));
		const baseUrl = running.baseUrl.replace(/127\.0\.0\.1:\d+/, 'forms.internal.example');
		const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' };
		const instance = await startInstance({ ...running, baseUrl }, env, cleanup);
		const execution = await runOperations(instance, {
			Fields: { resource: 'field', operation: 'getAll', formId: FORM },
		});
		expect(itemsOf(execution, 'Fields')[0].json).toHaveProperty('uuid');
		expect(hosts).toContain('forms.internal.example');
	},
	START_TIMEOUT_MS,
);

it(
	'accepts the certificate of an authority that NODE_EXTRA_CA_CERTS names',
	async () => {
		const running = await startUnlimited(cleanup);
		const onward = onwardTo(Number(new URL(running.baseUrl).port));
		const port = await portOf(createHttpsServer(selfSigned, onward));
		const folder = await temporaryFolder('certificate', cleanup);
		const file = join(folder, 'authority.pem');
		await writeFile(file, selfSigned.cert);
		const baseUrl = `https://127.0.0.1:${port}/api/v1`;
		const env = { NODE_EXTRA_CA_CERTS: file };
		const instance = await startInstance({ ...running, baseUrl }, env, cleanup);
		const execution = await runOperations(instance, {
			Fields: { resource: 'field', operation: 'getAll', formId: FORM },
		});
		expect(itemsOf(execution, 'Fields')[0].json).toHaveProperty('uuid');
	},
	START_TIMEOUT_MS,
);
