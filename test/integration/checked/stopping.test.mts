import { describe, expect, it } from 'vitest';
import { demoForms, slow, status } from '../../service/index.mts';
import { withWorld } from '../world.mts';
import { addEach, numbered } from '../limits/adding.mts';

const COUNT = 40;

/** Requests that are open at a time: they left before the failure could be known. */
const OPEN = 5;

describe('in a run that stops on failure', () => {
	it('nothing more is sent after one item failed at the service, and the error names it', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(20), times: 7 });
			service.faults.set({ fault: 'notFound', times: 1 });
			const { error, items } = await n8n.runNode(addEach, numbered(service, COUNT));
			expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 7 } });
			expect(items).toEqual([]);
			expect(service.requests.length).toBeLessThanOrEqual(7 + OPEN);
		});
	});

	it('an item that waits to be sent again is given up as well', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'unavailable', match: { path: /^\/forms\/tR4cKd/ } });
			service.faults.set({ fault: 'forbidden' });
			const { error } = await n8n.runNode(
				{
					resource: 'field',
					operation: 'getAll',
					formId: { __rl: true, mode: 'id', value: '={{ $json.id }}' } as never,
				},
				[demoForms.newsletter, demoForms.survey].map((id) => ({ json: { id } })),
			);
			expect(error).toMatchObject({ httpCode: '403', context: { itemIndex: 1 } });
			expect(service.requests).toHaveLength(2);
		});
	});
});

describe('in a run that continues', () => {
	it('the failure of one item keeps no other from being sent', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: status(422, 'Not like this.'), times: 3 });
			const { items } = await n8n.runNode(addEach, numbered(service, COUNT), {
				continueOnFail: true,
			});
			expect(service.requests).toHaveLength(COUNT);
			expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(3);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				Array.from({ length: COUNT }, (_, item) => ({ item })),
			);
		});
	});
});
