import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../nodes/FormService/trigger/fingerprint.ts';
import { identify, isIncomplete } from '../../../nodes/FormService/trigger/identify.ts';
import { node } from './world.mts';

describe('A response of a listing', () => {
	it('is known by its uuid, else by its id', () => {
		const prints = identify(node, [{ uuid: 'a', id: 1 }, { id: 2 }]).map((one) => one.fingerprint);
		expect(prints).toEqual([fingerprint('a'), fingerprint('2')]);
	});

	it('without either stops the look, with an error that names its keys and not its values', () => {
		const look = () => identify(node, [{ uuid: 'a' }, { key: 'secret', number: 7 }]);
		expect(look).toThrow('The service sent a response without a UUID');
		try {
			look();
		} catch (error) {
			expect(error).toMatchObject({ description: expect.stringContaining('key, number') });
			expect(JSON.stringify(error)).not.toContain('secret');
		}
	});

	it.each([
		[true, true],
		[1, true],
		['1', true],
		['true', true],
		[false, false],
		[0, false],
		['0', false],
		[null, false],
		[undefined, false],
	])('with is_incomplete %j is incomplete: %s', (value, expected) => {
		expect(isIncomplete({ is_incomplete: value })).toBe(expected);
	});
});
