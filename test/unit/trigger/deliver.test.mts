import { describe, expect, it } from 'vitest';
import { serviceError } from '../../../nodes/FormService/api/errors.ts';
import { deliver, type Due } from '../../../nodes/FormService/trigger/deliver.ts';
import type { World } from '../../../nodes/FormService/trigger/world.ts';
import { node, quietWorld, record } from './world.mts';

const due: Due[] = [1, 2, 3].map((number) => ({
	event: 'responseCompleted',
	record: record(number),
}));

const numbersOf = async (changes: Partial<World>, limit = 100, isPatient = true) => {
	const items = await deliver(due, { limit, until: 10, isPatient, world: quietWorld(changes) });
	return items.map(({ json }) => json.number);
};

/** A file host that answers with this status for the response with this number. */
const without = (status: string, number: number): Partial<World> => ({
	async toItem(given) {
		if (given.number === number) {
			throw serviceError(node, { message: `Status ${status}`, httpCode: status });
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

	it('goes on without a file after some looks', async () => {
		expect(await numbersOf(without('503', 1), 100, false)).toEqual([1, 2, 3]);
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
