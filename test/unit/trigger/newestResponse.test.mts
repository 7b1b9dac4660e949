import { describe, expect, it } from 'vitest';
import { newestResponse } from '../../../nodes/FormService/trigger/newestResponse.ts';
import type { TriggerEvent } from '../../../nodes/FormService/trigger/seen.ts';
import { node } from './world.mts';

const records = [
	{ uuid: 'third', number: 3, is_incomplete: true },
	{ uuid: 'first', number: 1, is_incomplete: false },
	{ uuid: 'second', number: 2, is_incomplete: false },
];
const newest = (...events: TriggerEvent[]) => newestResponse(node, records, events);

describe('The response for a test', () => {
	it('is the newest that the trigger would start on', () => {
		expect(newest('responseCompleted').record.uuid).toBe('second');
		expect(newest('responseStarted').record.uuid).toBe('third');
		expect(newest('responseCompleted', 'responseStarted')).toMatchObject({
			event: 'responseStarted',
			record: { uuid: 'third' },
		});
	});

	it('is the newest also where the service tells the time by another name', () => {
		const first = { uuid: 'first', submitted_at: 1_795_255_200 };
		const second = { uuid: 'second', submitted_at: 1_795_255_201 };
		const { record } = newestResponse(node, [second, first], ['responseCompleted']);
		expect(record.uuid).toBe('second');
	});

	it.each([
		['responseCompleted', 'submit it'],
		['responseStarted', 'Track incomplete submissions'],
	] as const)('cannot be had from an empty form, and %s says how to make one', (event, hint) => {
		try {
			newestResponse(node, [], [event]);
			expect.unreachable();
		} catch (error) {
			expect(error).toMatchObject({ description: expect.stringContaining(hint) });
		}
	});
});
