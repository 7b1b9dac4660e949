import { describe, expect, it } from 'vitest';
import { unreachablePlaces } from '../servers.mts';
import { itemsOf, n8nFor } from '../harness.mts';
import type { N8n } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { withWorld } from '../world.mts';
import { addEach, numbered } from './adding.mts';

/** More than open the circuit. */
const ITEMS = 60;

const items = itemsOf(...Array.from({ length: ITEMS }, (_, index) => ({ index })));
const getWorkspace = { resource: 'workspace', operation: 'get' };

async function errorsOf(n8n: N8n, ...[parameters, input]: Parameters<N8n['runNode']>) {
	const { items: failed } = await n8n.runNode(parameters, input, { continueOnFail: true });
	return new Set(failed.map(({ json }) => json.error));
}

describe('trouble that one node has by its own settings', () => {
	it('does not count as the failure of the service: a short Timeout', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'silentBefore', match: { method: 'POST' } });
			const parameters = { ...addEach, requestOptions: { timeout: 50 } };
			const errors = await errorsOf(n8n, parameters, numbered(service, ITEMS));
			expect([...errors].join()).toMatch(
				/^\S+ did not reply in time\. The response may or may not/,
			);
			expect(errors.size).toBe(1);
			expect((await n8n.runNode(getWorkspace)).error).toBeUndefined();
		});
	});

	it('does not count as the failure of the service: a certificate', async () => {
		const { baseUrl } = (await unreachablePlaces()).find(({ name }) => name.includes('vouches'))!;
		const n8n = n8nFor({ accessToken: 'a-token-behind-a-certificate', baseUrl });
		const errors = await errorsOf(n8n, addEach, items);
		expect([...errors].join()).toMatch(/^The certificate of \S+ was not accepted/);
		expect(errors.size).toBe(1);
	});

	it("does not count as the failure of the service: n8n's SSRF protection", async () => {
		await withWorld(async ({ service, n8n }) => {
			ssrfProtection.enabled = true;
			const errors = await errorsOf(n8n, addEach, numbered(service, ITEMS));
			ssrfProtection.enabled = false;
			expect([...errors].join()).toMatch(/^n8n does not allow requests to/);
			expect(errors.size).toBe(1);
		});
	});
});
