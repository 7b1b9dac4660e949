import { setTimeout as wait } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { withWorld } from '../world.mts';
import { addMapped, itemsWith } from './brokenInput.mts';

const INTERVAL_MS = 100;
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

	it('sends no further batch after an expression that throws', async () => {
		await withWorld(async ({ service, n8n }) => {
			const input = itemsWith(6, { 2: { throws: 'formId' } });
			const { error } = await n8n.runNode(batched(addMapped(service)), input);
			await wait(2 * INTERVAL_MS);
			expect(error).toMatchObject({ context: { itemIndex: 2 } });
			expect(service.requests).toHaveLength(2);
		});
	});
});
