import { expect, it } from 'vitest';
import * as seenResponses from '../../../../nodes/FormService/trigger/responses/seenResponses.ts';

const NOW_MS = Date.UTC(2026, 10, 24, 12);

it('Seen responses survive as a text, also while they are unlisted', () => {
	const phases = ['complete', 'incomplete', 'waiting', 'abandoned'] as const;
	const responses = phases.flatMap((phase) => [{ phase }, { phase, answers: 'aZ09_-zA90' }]);
	const listed = new Map(responses.map((one, n) => [`${n}aZ0_-zA90`, one]));
	const pruning = { atMs: 0, passes: 30 };
	const { seen: unlisted } = seenResponses.pruneSeenResponses(listed, pruning, NOW_MS);
	for (const before of [listed, unlisted]) {
		const text = seenResponses.encodeSeenResponses(before);
		expect(seenResponses.decodeSeenResponses(text)).toEqual(before);
	}
	expect([...unlisted.values()]).toEqual(responses.map((one) => ({ ...one, isUnlisted: true })));
});

it('A text that was cut is not read', () => {
	expect(seenResponses.decodeSeenResponses('0123456789c 0123')).toBeUndefined();
});

it('What is written once is neither written nor read again', () => {
	const cache = new seenResponses.SeenCache();
	const seen = cache.decode('form', '0123456789c');
	expect(cache.encode('form', seen)).toBe('0123456789c');
	expect(cache.decode('form', '0123456789c')).toBe(seen);
	expect(cache.decode('form')).toEqual(new Map());
});
