import { expect, it } from 'vitest';
import {
	applyParameters,
	updateAbsences,
} from '../../../nodes/FormService/trigger/triggerParameters.ts';
import {
	isSavePending,
	loadState,
	NO_MEMORY,
	rememberState,
	type FormState,
	type FormStates,
} from '../../../nodes/FormService/trigger/triggerState.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time.mts';

const SERVICE = 'service';
const NOW_MS = Date.UTC(2026, 10, 24, 12);

/** A trigger in n8n: what n8n has kept, and what the process remembers. */
class Kept {
	saved: unknown;
	readonly memory = { ...NO_MEMORY };
	nowMs = NOW_MS;

	load = () => loadState(this.saved, this.memory, SERVICE).startState.forms;

	/** A poll that changes a form. n8n keeps its state or not. Returns whether there was a state to keep. */
	poll(id: string, form: FormState, { hasItems, isKept }: { hasItems: boolean; isKept: boolean }) {
		const before = loadState(this.saved, this.memory, SERVICE);
		const forms = new Map(before.startState.forms).set(id, form);
		const given = { hasItems, isActivation: false, nowMs: this.nowMs };
		const state = rememberState(this.memory, before, { service: SERVICE, forms }, given);
		if (isKept && state) this.saved = JSON.parse(JSON.stringify(state));
		return state !== undefined;
	}
}

const KEPT = { hasItems: true, isKept: true };
const DISCARDED = { hasItems: true, isKept: false };
const QUIET = { hasItems: false, isKept: true };
const UNSAVED = { hasItems: false, isKept: false };

it.each([
	['kept the state of a poll', KEPT, KEPT, ['a', 'b']],
	['discarded the items of a poll', KEPT, DISCARDED, ['a']],
	['did not keep the state of a poll without items', KEPT, UNSAVED, ['a', 'b']],
	['discards items after a state that it did not keep', UNSAVED, DISCARDED, ['a']],
])('A poll goes on from the right state if n8n %s', (_text, first, second, ids) => {
	const kept = new Kept();
	kept.poll('a', { seen: new Map() }, first);
	kept.poll('b', { seen: new Map() }, second);
	expect([...kept.load().keys()]).toEqual(ids);
});

it('A state is written if more than the pages to read next has changed, and else once an hour', () => {
	const kept = new Kept();
	const seen = new Map([['0123456789', 'c']]);
	const read = (atMs: number) => ({
		progress: { lastReading: { kind: 'pass' as const, atMs, requests: 1 } },
	});
	expect(kept.poll('a', { seen, ...read(1) }, QUIET)).toBe(true);
	kept.nowMs += 9 * MINUTE_MS;
	expect(kept.poll('a', { seen, ...read(2) }, QUIET)).toBe(false);
	expect(kept.load().get('a')?.progress?.lastReading?.atMs).toBe(2);
	kept.nowMs += HOUR_MS;
	expect(kept.poll('a', { seen, ...read(3) }, QUIET)).toBe(true);
	expect(loadState(kept.saved, { ...NO_MEMORY }, SERVICE).startState.forms).toEqual(kept.load());
	expect(kept.poll('a', { seen: new Map(seen), ...read(3) }, QUIET)).toBe(true);
});

it('A poll with an old copy waits while n8n may still be saving, and one of another process goes on', () => {
	const [one, other] = [new Kept(), new Kept()];
	one.poll('a', {}, DISCARDED);
	expect(isSavePending(one.saved, one.memory, NOW_MS + 9_000)).toBe(true);
	expect(isSavePending(one.saved, one.memory, NOW_MS + 31_000)).toBe(false);
	other.nowMs += 1;
	other.poll('b', {}, KEPT);
	one.saved = other.saved;
	expect([...one.load().keys()]).toEqual(['b']);
});

const form = { id: 'a', seen: '0123456789c' };
const state = { version: 1, service: SERVICE, revision: 7, forms: [form] };

it.each<[string, unknown, boolean]>([
	['is not there', undefined, false],
	['is that of another service', { ...state, service: 'other' }, false],
	['cannot be read', 'damaged', true],
	['is that of another version', { ...state, version: 2 }, true],
])('A trigger starts afresh if the state %s', (_text, saved, isDamaged) => {
	const loaded = loadState(saved, { ...NO_MEMORY }, SERVICE);
	expect([loaded.startState.forms.size, loaded.isDamaged]).toEqual([0, isDamaged]);
	const given = { hasItems: false, isActivation: true, nowMs: NOW_MS };
	const written = rememberState({ ...NO_MEMORY }, loaded, loaded.startState, given);
	// a poll that has found no form leaves the state damaged
	expect(written === undefined).toBe(isDamaged);
});

it('A form that is gone is remembered for 30 days, and goes on where it was if it comes back', () => {
	const seen = new Map();
	let forms: FormStates = new Map([['a', { seen }]]);
	for (const days of [0, 10, 29]) forms = updateAbsences(forms, () => false, days * DAY_MS);
	expect(updateAbsences(forms, () => true, 90 * DAY_MS).get('a')).toEqual({ seen });
	expect(updateAbsences(forms, () => false, 30 * DAY_MS).size).toBe(0);
});

it('If all forms are watched again later, the forms that exist then are not new', () => {
	const state = { service: SERVICE, revision: 1, listedSinceMs: NOW_MS, forms: new Map() };
	const given = { watch: { kind: 'chosen', formIds: [] }, events: [] };
	expect(applyParameters(given as never, state, NOW_MS).listedSinceMs).toBeUndefined();
});
