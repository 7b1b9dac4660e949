import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../nodes/FormService/trigger/fingerprint.ts';
import { restore, save, sourceOf } from '../../../nodes/FormService/trigger/savedSeen.ts';
import { seenOver } from './arbitraries.mts';

describe('The state in static data', () => {
	it('comes back as it was saved, also after a trip through a database', () => {
		fc.assert(
			fc.property(fc.string(), fc.nat(), seenOver(31), (source, revision, seen) => {
				const saved = JSON.parse(JSON.stringify(save({ source, revision, seen }))) as unknown;
				expect(restore(saved)).toEqual({ kind: 'state', state: { source, revision, seen } });
			}),
		);
	});

	it.each([undefined, null])('is not there yet when it is %s', (saved) => {
		expect(restore(saved)).toEqual({ kind: 'none' });
	});

	it('of version 0 is taken over', () => {
		const saved = { version: 0, source: 'source', delivered: ['a', 'b'], incomplete: ['c'] };
		const seen = new Map([
			[fingerprint('a'), { incomplete: false }],
			[fingerprint('b'), { incomplete: false }],
			[fingerprint('c'), { incomplete: true }],
		]);
		expect(restore(saved)).toEqual({
			kind: 'state',
			state: { source: 'source', revision: 0, seen },
		});
	});

	it('as version 0.1.0 wrote it is still read, and belongs to the same form', () => {
		const source = '34c6065cd9540ae8';
		expect(sourceOf('https://forms.example.com/api/v1', 'AbC123')).toBe(source);
		const saved = {
			version: 1,
			source,
			revision: 3,
			count: 3,
			since: 20778,
			responses: '/4mZ/Oiw4cU7SWHWmqBdwAlrc7YYJ7ZISAA=',
			checksum: '4a29c979',
		};
		const seen = new Map([
			[fingerprint('one'), { incomplete: false }],
			[fingerprint('two'), { incomplete: true }],
			[fingerprint('three'), { incomplete: false, missingSince: 20_778 }],
		]);
		expect(restore(saved)).toEqual({ kind: 'state', state: { source, revision: 3, seen } });
	});

	it('of a newer version is not guessed at', () => {
		expect(restore({ version: 2 })).toMatchObject({
			kind: 'damaged',
			reason: expect.stringContaining('version 2'),
		});
	});

	it('is damaged when it is anything else', () => {
		fc.assert(
			fc.property(fc.anything(), (saved) => {
				fc.pre(saved !== undefined && saved !== null);
				expect(restore(saved).kind).toBe('damaged');
			}),
		);
	});
});

describe('What a state belongs to', () => {
	it('is another form or another service, whatever their names have in common', () => {
		expect(sourceOf('https://a/api/v1', 'x')).not.toBe(sourceOf('https://a/api/v1', 'y'));
		expect(sourceOf('https://a/api/v1', 'x')).not.toBe(sourceOf('https://b/api/v1', 'x'));
		expect(sourceOf('https://a/api/v1', 'xy')).not.toBe(sourceOf('https://a/api/v1x', 'y'));
	});
});
