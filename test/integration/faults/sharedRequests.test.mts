import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, n8nFor } from '../harness.mts';
import { withWorld } from '../world.mts';
import { addTo } from '../limits/adding.mts';

const listForms = { resource: 'form', operation: 'getAll', returnAll: true };

describe('executions and items that share a request', () => {
	it('have each its own error, with its own node: none sees the parameters of another', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'forbidden' });
			const [one, other] = await Promise.all([
				n8n.runNode(listForms),
				n8n.runNode({ ...listForms, returnAll: false, limit: 7 }),
			]);
			expect(service.requests).toHaveLength(1);
			expect(one.error).toMatchObject({ node: { parameters: { returnAll: true } } });
			expect(other.error).toMatchObject({ node: { parameters: { limit: 7 } } });
			expect(other.error?.message).toBe(one.error?.message);
		});
	});

	it('have each its own records: what one changes, another does not see', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(100) });
			const [one, other] = await Promise.all([n8n.runNode(listForms), n8n.runNode(listForms)]);
			expect(service.requests).toHaveLength(1);
			one.items[0].json.name = 'Changed';
			expect(other.items[0].json.name).not.toBe('Changed');
		});
	});

	it('do not share with another account', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.store.addAccount({ name: 'Another', tokens: ['another-token'] });
			const other = n8nFor({ accessToken: 'another-token', baseUrl: service.url });
			const [own, others] = await Promise.all([n8n.runNode(listForms), other.runNode(listForms)]);
			expect(own.items.length).toBeGreaterThan(0);
			expect(others.items).toEqual([]);
		});
	});
});

describe('after a 401', () => {
	const add = addTo(demoForms.contact);

	it.each([false, true])(
		'what still waits in the run is not sent (continue on fail: %s)',
		async (continueOnFail) => {
			await withWorld(async ({ service, n8n }) => {
				service.faults.set({ fault: 'unauthorized' });
				const [{ uuid }] = service.store.fields(demoForms.contact);
				const input = itemsOf(...Array.from({ length: 50 }, (_, index) => ({ [uuid]: index })));
				const { items, error } = await n8n.runNode(add, input, { continueOnFail });
				// as many as are open at a time
				expect(service.requests).toHaveLength(4);
				if (!continueOnFail) {
					expect(error).toMatchObject({ httpCode: '401', context: { itemIndex: 0 } });
					return;
				}
				expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
					input.map((_item, item) => ({ item })),
				);
				const waited = items.slice(4);
				expect(new Set(waited.map(({ json }) => json.error))).toEqual(
					new Set([
						'This item was not sent: The service did not accept the access token: "Unauthenticated."',
					]),
				);
			});
		},
	);

	it('what was under way is told as it came out, and not as "not sent"', async () => {
		await withWorld(async ({ service, n8n }) => {
			const [{ uuid }] = service.store.fields(demoForms.contact);
			const before = service.store.responses(demoForms.contact).length;
			service.faults.set({ fault: slow(400), times: 1 });
			service.faults.set({ fault: 'unauthorized' });
			const input = itemsOf({ [uuid]: 'slow' }, { [uuid]: 'refused' });
			const { items } = await n8n.runNode(add, input, { continueOnFail: true });
			expect(service.store.responses(demoForms.contact)).toHaveLength(before + 1);
			expect(items[0].error).toBeUndefined();
			expect(items[0].json).toMatchObject({ status: 'created' });
			expect(items[1].json.error).toMatch(/did not accept the access token/);
		});
	});
});
