import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import { withWorld } from '../world.mts';
import { addMapped, itemsWith } from './brokenInput.mts';

/** As short as can be: n8n waits for it in real time. */
const INTERVAL_MS = 1;
const batched = (parameters: INodeParameters): INodeParameters => ({
	...parameters,
	requestOptions: { batching: { batch: { batchSize: 2, batchInterval: INTERVAL_MS } } },
});

describe('the batching of the request options', () => {
	it('sends nothing of a batch in which an item is not valid, nor of those after it', async () => {
		await withWorld(async ({ service, n8n }) => {
			const input = itemsWith(6, { 3: { formId: '..' } });
			const { error } = await n8n.runNode(batched(addMapped(service)), input);
			expect(error).toMatchObject({ context: { itemIndex: 3 } });
			expect(service.requests).toHaveLength(2);
		});
	});

	it('says how much was sent when an item of a later batch is not valid', async () => {
		await withWorld(async ({ service, n8n }) => {
			const first = await n8n.runNode(
				batched(addMapped(service)),
				itemsWith(6, { 1: { formId: '..' } }),
			);
			expect(first.error?.description).toMatch(/^Nothing was sent\.\n/);
			const later = await n8n.runNode(
				batched(addMapped(service)),
				itemsWith(6, { 5: { formId: '..' } }),
			);
			expect(later.error?.description).toMatch(
				/^The first 4 of the 6 items were sent before, in earlier batches\. Leave them out when you run again\.\n/,
			);
			expect(service.requests).toHaveLength(4);
		});
	});

	it.each([2, 3])(
		'sends nothing of a batch whose expression throws, nor of those after it: item %d',
		async (place) => {
			await withWorld(async ({ service, n8n }) => {
				const input = itemsWith(6, { [place]: { throws: 'formId' } });
				const { error } = await n8n.runNode(batched(addMapped(service)), input);
				await time.settled();
				expect(error).toMatchObject({ context: { itemIndex: place } });
				expect(service.requests).toHaveLength(2);
			});
		},
	);
});
