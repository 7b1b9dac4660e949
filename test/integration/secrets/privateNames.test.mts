import { createServer } from 'node:https';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../faults/certificate.mts';
// the names below private.example get the address of this machine, on every machine
import '../../n8n/safety/resolveToLoopback.mjs';

/**
 * n8n's own protection of private addresses. It is read from the environment when n8n starts, so this
 * file sets it before it loads n8n: on, with the service's own host allowed, as whoever runs n8n
 * beside a service of their own would have it.
 */
Object.assign(process.env, {
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
});
const { withWorld } = await import('../world.mts');
const { locator, n8nFor } = await import('../harness.mts');
const { demoForms } = await import('../../service/index.mts');
const { container } = await import('../n8n/core.mts');
const loadAsCore = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { SsrfProtectionConfig } = loadAsCore('@n8n/config') as {
	SsrfProtectionConfig: new () => { enabled: boolean };
};

const name = 'files.private.example';

const asked: string[] = [];
const server = createServer(selfSigned, (request, reply) => {
	asked.push(String(request.headers.authorization));
	reply.end('not for everybody');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());
const link = `https://${name}:${(server.address() as AddressInfo).port}/cv.txt`;

async function downloadAnswer() {
	return await withWorld(async ({ service }) => {
		const baseUrl = service.url.replace('127.0.0.1', 'localhost');
		const n8n = n8nFor({ accessToken: service.token, baseUrl });
		const { uuid } = service.store.addResponse(demoForms.contact, {
			answers: { Message: `cv.txt|${link}` },
		});
		const get = {
			resource: 'response',
			operation: 'get',
			formId: locator(demoForms.contact),
			responseId: uuid,
			requestOptions: { allowUnauthorizedCerts: true },
		};
		return {
			withoutFile: await n8n.runNode(get),
			withFile: await n8n.runNode({ ...get, options: { downloadFiles: true } }),
		};
	});
}

describe('a link to a name that resolves to a private address', () => {
	it('is refused with N8N_SSRF_PROTECTION_ENABLED, and the service itself still works', async () => {
		const { withoutFile, withFile } = await downloadAnswer();
		expect(withoutFile.error).toBeUndefined();
		expect(withoutFile.items).toHaveLength(1);
		expect(withFile.error?.message).toMatch(/^The file at .* could not be fetched$/);
		expect(withFile.error?.description).toMatch(/blocked|not allowed|restricted|private/i);
		expect(asked).toEqual([]);
	});

	it('is followed without it, as the README says, and never with the token', async () => {
		const config = container.get(SsrfProtectionConfig);
		expect(config.enabled).toBe(true);
		config.enabled = false;
		try {
			const { withFile } = await downloadAnswer();
			expect(withFile.error).toBeUndefined();
			expect(asked).toEqual(['undefined']);
		} finally {
			config.enabled = true;
		}
	});
});
