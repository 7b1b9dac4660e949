import { describe, expect, it } from 'vitest';
import { serviceError } from '../../../nodes/FormService/api/errors.ts';
import type { Dependencies, Event } from '../../../nodes/FormService/trigger/dependencies.ts';
import type { TriggerEvent } from '../../../nodes/FormService/trigger/diff.ts';
import { deliver, newestResponse, noExample } from '../../../nodes/FormService/trigger/output.ts';
import { node, quiet, record } from './polling.mts';

const due: Event[] = [1, 2, 3].map((number) => ({
	event: 'responseCompleted',
	record: record(number),
	form: { id: 'form', name: null },
}));

const numbersOf = async (changes: Partial<Dependencies>, limit = 100, isPatient = true) => {
	const items = await deliver(due, { limit, until: 10, isPatient, deps: quiet(changes) });
	return items.map(({ json }) => json.number);
};

/** A file host that answers with this status for the response with this number. */
const without = (status: string, number: number): Partial<Dependencies> => ({
	async toItem({ record: given }, onFileError) {
		if (given.number === number) {
			onFileError(serviceError(node, { message: `Status ${status}`, httpCode: status }));
		}
		return { json: given };
	},
});

describe('Delivering', () => {
	it('takes as many as there is room for', async () => {
		expect(await numbersOf({}, 2)).toEqual([1, 2]);
	});

	it('begins no further item when the time is up, but one in any case', async () => {
		expect(await numbersOf({ now: () => 11 })).toEqual([1]);
	});

	it('stops in front of a file that may come back', async () => {
		expect(await numbersOf(without('503', 3))).toEqual([1, 2]);
		await expect(numbersOf(without('503', 1))).rejects.toThrow('Status 503');
	});

	it('goes on without a file after some polls', async () => {
		expect(await numbersOf(without('503', 1), 100, false)).toEqual([1, 2, 3]);
	});

	it('goes on without any file when there is no time for them, after some polls', async () => {
		const tooSlow: Partial<Dependencies> = {
			toItem: async () => await Promise.reject(new Error('Too slow')),
		};
		await expect(numbersOf(tooSlow)).rejects.toThrow('Too slow');
		const deps = quiet(tooSlow);
		const items = await deliver(due, { limit: 1, until: 10, isPatient: false, deps });
		expect(items[0].json).toMatchObject({ number: 1, reason: 'Too slow' });
	});

	it.each(['403', '404', '410'])(
		'goes on at once without a file that is gone (%s)',
		async (status) => {
			expect(await numbersOf(without(status, 2))).toEqual([1, 2, 3]);
		},
	);

	it.each(['408', '425', '429'])('waits for a file whose host says later (%s)', async (status) => {
		expect(await numbersOf(without(status, 2))).toEqual([1]);
	});
});

describe('The response for a test', () => {
	const records = [
		{ uuid: 'third', number: 3, is_incomplete: true },
		{ uuid: 'first', number: 1, is_incomplete: false },
		{ uuid: 'second', number: 2, is_incomplete: false },
	];
	const newest = (...events: TriggerEvent[]) => newestResponse(records, events);

	it('is the newest that the trigger would start on', () => {
		expect(newest('responseCompleted')?.record.uuid).toBe('second');
		expect(newest('responseStarted')?.record.uuid).toBe('third');
		expect(newest('responseAbandoned')?.event).toBe('responseAbandoned');
		expect(newest('responseCompleted', 'responseStarted')).toMatchObject({
			event: 'responseStarted',
			record: { uuid: 'third' },
		});
	});

	it('is the newest also where the service tells the time by another name', () => {
		const first = { uuid: 'first', submitted_at: 1_795_255_200 };
		const second = { uuid: 'second', submitted_at: 1_795_255_201 };
		expect(newestResponse([second, first], ['responseCompleted'])?.record.uuid).toBe('second');
	});

	it.each([
		['responseCompleted', 'Submit the form'],
		['responseStarted', 'Track incomplete submissions'],
	] as const)('cannot be had from an empty form, and %s says how to make one', (event, hint) => {
		expect(newestResponse([], [event])).toBeUndefined();
		expect(noExample(node, [event]).description).toContain(hint);
	});
});
