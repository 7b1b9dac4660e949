import { expect, it } from 'vitest';
import {
	computeServiceId,
	loadState,
	rememberState,
} from '../../../nodes/FormService/trigger/savedState.ts';
import type { StateCache } from '../../../nodes/FormService/trigger/savedState.ts';

const SERVICE = 'service';
const NOW_MS = Date.UTC(2026, 10, 24, 12);

const createState = (service: string, form: object = {}) => {
	return { version: 7, service, revision: 7, forms: [{ id: 'a', ...form }] };
};

/** A trigger in n8n: what n8n has kept, and what the process remembers. */
class Kept {
	saved: unknown;
	memory: StateCache = {};

	load = () => loadState(this.saved, this.memory, SERVICE).startState;

	/** A poll that reads one more form. n8n keeps its state or not. */
	poll(id: string, { hasItems, isKept }: { hasItems: boolean; isKept: boolean }, nowMs = NOW_MS) {
		const before = loadState(this.saved, this.memory, SERVICE);
		const forms = new Map(before.startState.forms).set(id, { seen: '' });
		const after = { ...before.startState, forms };
		const state = rememberState(this.memory, before, after, { hasItems, nowMs });
		if (isKept) this.saved = JSON.parse(JSON.stringify(state));
	}
}

const KEPT = { hasItems: true, isKept: true };
const DISCARDED = { hasItems: true, isKept: false };
const UNSAVED = { hasItems: false, isKept: false };
it.each([
	['kept the state of a poll', KEPT, KEPT, ['a', 'b']],
	['discarded the items of a poll', KEPT, DISCARDED, ['a']],
	['did not keep the state of a poll without items', KEPT, UNSAVED, ['a', 'b']],
	['discards items after a state that it did not keep', UNSAVED, DISCARDED, ['a']],
])('A poll goes on from the right state if n8n %s', (_text, first, second, ids) => {
	const kept = new Kept();
	kept.poll('a', first);
	kept.poll('b', second);
	expect([...kept.load().forms.keys()]).toEqual(ids);
});

it('The removal of a form is saved, even if no other form has changed', () => {
	const kept = new Kept();
	kept.poll('a', KEPT);
	kept.poll('b', KEPT);
	const before = loadState(kept.saved, kept.memory, SERVICE);
	const forms = new Map(before.startState.forms);
	forms.delete('a');
	const after = { ...before.startState, forms };
	kept.saved = rememberState(kept.memory, before, after, { hasItems: false, nowMs: NOW_MS + 9 });
	kept.memory = {};
	expect([...kept.load().forms.keys()]).toEqual(['b']);
});

it('A poll goes on from the state of another process, and not from its own that n8n discarded', () => {
	const [one, other] = [new Kept(), new Kept()];
	one.poll('a', DISCARDED);
	other.poll('b', KEPT, NOW_MS + 1);
	one.saved = other.saved;
	expect([...one.load().forms.keys()]).toEqual(['b']);
});

it.each<[string, unknown, boolean]>([
	['is not there', undefined, false],
	['cannot be read', { version: 1 }, true],
	['is that of another service', createState('other'), false],
	['has a text that was cut', createState(SERVICE, { seen: '0123' }), true],
	['is that of a later version', { ...createState(SERVICE), version: 8 }, true],
	['has lost a time', createState(SERVICE, { debt: { requests: 1 } }), true],
])('A trigger starts afresh if the state %s', (_text, saved, isDamaged) => {
	const loaded = loadState(saved, {}, SERVICE);
	expect([loaded.startState.forms.size, loaded.isDamaged]).toEqual([0, isDamaged]);
	const written = rememberState({}, loaded, loaded.startState, { hasItems: false, nowMs: NOW_MS });
	// a poll that has found no form leaves the state damaged
	expect(written === undefined).toBe(isDamaged);
});

it.each([
	['http://forms.example.com/api/v1', true],
	['https://forms.example.com:8443/api/v1', false],
	['https://other.example.com/api/v1', false],
	['https://forms.example.com/other/api/v1', false],
])('%s is the service that was at https://forms.example.com/api/v1: %s', (url, isSame) => {
	const service = computeServiceId('https://forms.example.com/api/v1');
	expect(computeServiceId(url) === service).toBe(isSame);
});

it('A form of version 6 has the names of today, and its own attributes keep theirs', () => {
	const next = { url: 'https://x.example/?page=2', pagesBefore: 1, recordsBefore: 3 };
	const before = {
		known: '0123456789c',
		pace: { atMs: 1, requests: 2 },
		baseline: { sinceMs: 1, emitSinceMs: 0 },
		all: { next, order: { falls: 3, rises: 1 } },
		newest: { next, end: 'last' },
		sweep: { atMs: 1, readings: 2 },
		left: { atMs: 1, readings: 3 },
		attributes: { all: 'aaaa', end: 'bbbb', left: 'cccc' },
	};
	const state = { ...createState(SERVICE, before), version: 6 };
	expect(loadState(state, {}, SERVICE).startState.forms.get('a')).toEqual({
		seen: '0123456789c',
		debt: { atMs: 1, requests: 2 },
		baseline: { sinceMs: 1, backfill: 'all' },
		fullPass: { next, order: { descending: 3, ascending: 1 } },
		newestPages: { next, at: 'lastPage' },
		pruning: { atMs: 1, passes: 2 },
		absence: { atMs: 1, passes: 3 },
		attributes: { all: 'aaaa', end: 'bbbb', left: 'cccc' },
	});
});
