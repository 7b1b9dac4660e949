import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownResponses, status } from '../../../nodes/FormService/trigger/knownResponses.ts';
import {
	fromSaved,
	toSaved,
	type FormState,
	type State,
} from '../../../nodes/FormService/trigger/stateCodec.ts';

/** What is known of one response: two halves, a status, a day of going missing or 0, and minutes. */
type One = [number, number, number, number, number];

function knownOf(all: readonly One[]): KnownResponses {
	const known = new KnownResponses(all.length);
	all.forEach(([high, low, statusOf, missing, minutes], index) => {
		known.fingerprints.set([high, low], 2 * index);
		known.statuses[index] = statusOf;
		known.missingSince[index] = missing;
		if (statusOf === status.waiting) known.waitingSince[index] = minutes;
	});
	return known;
}

/** What is known of any number of responses, with days of going missing within `span`. */
const knownOver = (span: number, minLength = 0) =>
	fc
		.array(
			fc.tuple(
				fc.integer({ min: 0, max: 2 ** 32 - 1 }),
				fc.integer({ min: 0, max: 2 ** 32 - 1 }),
				fc.constantFrom<number>(...Object.values(status)),
				fc.oneof(fc.constant(0), fc.integer({ min: 20_000, max: 20_000 + span })),
				fc.nat({ max: 2 ** 24 - 1 }),
			),
			{ minLength, maxLength: 300, size: 'max' },
		)
		.map(knownOf);

const form = fc.record<FormState>({
	known: fc.option(knownOver(62), { nil: undefined }),
	since: fc.option(fc.nat(), { nil: undefined }),
	missingSince: fc.option(fc.nat(), { nil: undefined }),
});

const state = fc.record<State>({
	service: fc.string(),
	listedSince: fc.option(fc.nat(), { nil: undefined }),
	forms: fc.dictionary(fc.string(), form).map((forms) => new Map(Object.entries(forms))),
	savedAt: fc.nat(),
});

const oneForm = (known: KnownResponses) =>
	toSaved({
		service: 'f'.repeat(16),
		savedAt: 1_763_000_000_000,
		forms: new Map([['aB3xY9', { known }]]),
	});

describe('The state in static data', () => {
	it('comes back as it was saved, also after a trip through a database', () => {
		fc.assert(
			fc.property(state, (given) => {
				const saved = JSON.parse(JSON.stringify(toSaved(given))) as unknown;
				expect(fromSaved(saved)).toEqual({ kind: 'state', state: given });
			}),
		);
	});

	it.each([undefined, null])('is not there yet when it is %s', (saved) => {
		expect(fromSaved(saved)).toEqual({ kind: 'none' });
	});

	it('of a newer version is not guessed at', () => {
		expect(fromSaved({ version: 2 })).toMatchObject({
			kind: 'damaged',
			reason: expect.stringContaining('newer version'),
		});
	});

	it('is damaged when it is anything else', () => {
		fc.assert(
			fc.property(fc.anything(), (saved) => {
				fc.pre(saved !== undefined && saved !== null);
				expect(fromSaved(saved).kind).toBe('damaged');
			}),
		);
	});

	it('is never read as something else when a character of it is changed', () => {
		fc.assert(
			fc.property(
				knownOver(31, 1),
				fc.nat(),
				fc.constantFrom('A', 'Q', 'z', '/'),
				(known, at, character) => {
					const text = JSON.stringify(oneForm(known));
					const start = text.indexOf('"responses":"') + '"responses":"'.length;
					const position = start + (at % (12 * known.size));
					fc.pre(text[position] !== character);
					const changed = text.slice(0, position) + character + text.slice(position + 1);
					expect(fromSaved(JSON.parse(changed)).kind).toBe('damaged');
				},
			),
		);
	});

	const counts = [0, 1, 10, 100, 1_000, 20_000];
	const bytesOf = (all: readonly One[]) => JSON.stringify({ state: oneForm(knownOf(all)) }).length;
	const all = (count: number, statusOf: number, missing: number) =>
		Array.from({ length: count }, (_, index): One => [index, ~index >>> 0, statusOf, missing, 9]);

	it.each(counts)('takes 12 bytes a response, and less than 1 KB (%i)', (count) => {
		expect(bytesOf(all(count, status.complete, 0))).toBeLessThanOrEqual(12 * count + 1024);
		expect(bytesOf(all(count, status.incomplete, 20_000))).toBeLessThanOrEqual(12 * count + 1024);
	});

	it.each(counts)('takes four more for one that waits to become abandoned (%i)', (count) => {
		expect(bytesOf(all(count, status.waiting, 20_000))).toBeLessThanOrEqual(16 * count + 1024);
	});
});

it('A response is remembered for longer rather than for shorter when the days do not fit', () => {
	fc.assert(
		fc.property(knownOver(900), (known) => {
			const restored = fromSaved(oneForm(known));
			const forms = restored.kind === 'state' ? [...restored.state.forms.values()] : [];
			expect(forms[0].known?.size).toBe(known.size);
			forms[0].known?.missingSince.forEach((day, index) => {
				const before = known.missingSince[index];
				if (before === 0) expect(day).toBe(0);
				else expect(day).toBeGreaterThanOrEqual(before);
			});
		}),
	);
});
