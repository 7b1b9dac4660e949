import { afterEach, describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { locator, n8nFor } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { withWorld } from '../world.mts';
import { elsewhere, toAnyCertificate } from '../servers.mts';

/**
 * n8n's own protection of private addresses, with the service's own host allowed, as whoever runs n8n
 * beside a service of their own would have it.
 */
afterEach(() => {
	ssrfProtection.enabled = false;
});

const { namedUrl, visits } = await elsewhere();

async function downloadAnswer() {
	return await withWorld(async ({ service }) => {
		const baseUrl = service.url.replace('127.0.0.1', 'localhost');
		const n8n = n8nFor({ accessToken: service.token, baseUrl });
		const { uuid } = service.store.addResponse(demoForms.contact, {
			answers: { Message: `cv.txt|${namedUrl}/cv.txt` },
		});
		const get = {
			resource: 'response',
			operation: 'get',
			formId: locator(demoForms.contact),
			responseId: uuid,
			requestOptions: toAnyCertificate,
		};
		return {
			withoutFile: await n8n.runNode(get),
			withFile: await n8n.runNode({ ...get, options: { downloadFiles: true } }),
		};
	});
}

describe('a link to a name that resolves to a private address', () => {
	it('is refused with N8N_SSRF_PROTECTION_ENABLED, and the service itself still works', async () => {
		ssrfProtection.enabled = true;
		const { withoutFile, withFile } = await downloadAnswer();
		expect(withoutFile.error).toBeUndefined();
		expect(withoutFile.items).toHaveLength(1);
		expect(withFile.items[0].json.fileError).toMatch(
			/^cv\.txt: The file at .* could not be fetched/,
		);
		expect(visits).toEqual([]);
	});

	it('is followed without it, as the README says, and never with the token', async () => {
		const { withFile } = await downloadAnswer();
		expect(withFile.items[0].json).not.toHaveProperty('fileError');
		expect(visits.map(({ headers }) => headers.authorization)).toEqual([undefined]);
	});
});
