import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as known from '../../../nodes/FormService/trigger/known.ts';
import type { KnownResponse } from '../../../nodes/FormService/trigger/known.ts';
import { loadState, saveState } from '../../../nodes/FormService/trigger/state.ts';
import type { StateMemory } from '../../../nodes/FormService/trigger/state.ts';

const SERVICE = 'service';
const NOW_MS = Date.UTC(2026, 10, 24, 12);

const createState = (service: string, form: object = {}) => {
	return { version: 6, service, revision: 7, forms: [{ id: 'a', ...form }] };
};

const fingerprint = fc.string({ unit: fc.constantFrom(...'aZ0_-'), minLength: 10, maxLength: 10 });
const response = fc.record<KnownResponse>(
	{
		kind: fc.constantFrom('complete', 'incomplete', 'waiting', 'abandoned'),
		answers: fingerprint,
	},
	{ requiredKeys: ['kind'] },
);

it('What is known of responses survives as a text', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fingerprint, response)), (entries) => {
			const before = new Map(entries.map(([key, one]) => [key, known.formatEntry(one)]));
			const after = known.decodeKnown(known.encodeKnown(before));
			expect(after).toEqual(before);
			for (const [key, one] of new Map(entries)) {
				expect(known.parseEntry(after!.get(key)!)).toEqual({ ...one, answers: one.answers });
			}
		}),
	);
	expect(known.decodeKnown('0123456789c 0123')).toBeUndefined();
});

it('A response is forgotten after 30 days and 30 readings in which no page has it, not before', () => {
	const days = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 200 });
	/** Reads so many days after one another. Returns the reading that forgets, 0 if none does, and its day. */
	const forget = (gaps: readonly number[]) => {
		let all: known.Known = new Map([['a', 'c']]);
		let sweep: known.Sweep | undefined;
		let day = 0;
		const reading = gaps.findIndex((gap) => {
			day += gap;
			({ known: all, sweep } = known.sweepKnown(all, sweep, NOW_MS + day * 86_400_000));
			return all.size === 0;
		});
		return [reading + 1, day];
	};
	const isLate = ([reading, day]: number[]) => reading === 0 || (reading > 30 && day >= 30);
	fc.assert(fc.property(days, (gaps) => isLate(forget(gaps))));
	const [daily] = forget(Array.from({ length: 70 }, () => 1));
	expect(daily).toBeGreaterThan(30);
});

/** A trigger in n8n: what n8n has kept, and what the process remembers. */
class Kept {
	data: Record<string, never> = {};
	memory: StateMemory = {};

	load = () => loadState(this.data, this.memory, SERVICE);

	/** A poll that reads one more form. n8n keeps its state or not. */
	poll(id: string, { hasItems, isKept }: { hasItems: boolean; isKept: boolean }, nowMs = NOW_MS) {
		const before = this.load();
		const forms = new Map(before.forms).set(id, { known: '' });
		const data = structuredClone(this.data);
		saveState(data, this.memory, before, { ...before, forms }, { hasItems, nowMs });
		if (isKept) this.data = JSON.parse(JSON.stringify(data)) as typeof this.data;
	}
}

it.each<[string, boolean, boolean, string[]]>([
	['kept the state of a poll', true, true, ['a', 'b']],
	['discarded the items of a poll', true, false, ['a']],
	['did not keep the state of a poll without items', false, false, ['a', 'b']],
])('A poll goes on from the right state if n8n %s', (_text, hasItems, isKept, ids) => {
	const kept = new Kept();
	kept.poll('a', { hasItems: true, isKept: true });
	kept.poll('b', { hasItems, isKept });
	expect([...kept.load().forms.keys()]).toEqual(ids);
});

it('A poll goes on from before if n8n discards items after a state that it did not keep', () => {
	const kept = new Kept();
	kept.poll('a', { hasItems: false, isKept: false });
	kept.poll('b', { hasItems: true, isKept: false });
	expect([...kept.load().forms.keys()]).toEqual(['a']);
});

it('A poll goes on from the state of another process, and not from its own that n8n discarded', () => {
	const [one, other] = [new Kept(), new Kept()];
	one.poll('a', { hasItems: true, isKept: false });
	other.poll('b', { hasItems: true, isKept: true }, NOW_MS + 1);
	one.data = other.data;
	expect([...one.load().forms.keys()]).toEqual(['b']);
});

it.each<[string, object, boolean | undefined]>([
	['is not there', {}, undefined],
	['cannot be read', { state: { version: 1 } }, true],
	['is that of another service', { state: createState('other') }, undefined],
	['has a text that was cut', { state: createState(SERVICE, { known: '0123' }) }, true],
	['has lost a time', { state: createState(SERVICE, { pace: { requests: 1 } }) }, true],
])('A trigger starts afresh if the state %s', (_text, data, isDamaged) => {
	const state = loadState(data as never, {}, SERVICE);
	expect([state.forms.size, state.isDamaged]).toEqual([0, isDamaged]);
});
