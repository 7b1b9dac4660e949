import { expect, it } from 'vitest';
import * as known from '../../../nodes/FormService/trigger/seenResponses.ts';
import {
	computeServiceId,
	loadState,
	saveState,
} from '../../../nodes/FormService/trigger/triggerState.ts';
import type { StateCache } from '../../../nodes/FormService/trigger/triggerState.ts';

const SERVICE = 'service';
const NOW_MS = Date.UTC(2026, 10, 24, 12);

const createState = (service: string, form: object = {}) => {
	return { version: 6, service, revision: 7, forms: [{ id: 'a', ...form }] };
};

it('What is known of responses survives as a text, also while they are missing', () => {
	const kinds = ['complete', 'incomplete', 'waiting', 'abandoned'] as const;
	const responses = kinds.flatMap((kind) => [{ kind }, { kind, answers: 'aZ09_-zA90' }]);
	const listed = new Map(responses.map((one, n) => [`${n}aZ0_-zA90`, known.formatEntry(one)]));
	const { known: missing } = known.pruneSeenResponses(listed, { atMs: 0, readings: 30 }, NOW_MS);
	for (const before of [listed, missing]) {
		const after = known.decodeSeenResponses(known.encodeSeenResponses(before))!;
		expect(after).toEqual(before);
		expect([...after.values()].map(known.parseEntry)).toEqual(responses);
	}
	expect(missing).not.toEqual(listed);
	expect(known.decodeSeenResponses('0123456789c 0123')).toBeUndefined();
});

/** A trigger in n8n: what n8n has kept, and what the process remembers. */
class Kept {
	data: Record<string, never> = {};
	memory: StateCache = {};

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

it('A poll goes on from the state of another process, and not from its own that n8n discarded', () => {
	const [one, other] = [new Kept(), new Kept()];
	one.poll('a', DISCARDED);
	other.poll('b', KEPT, NOW_MS + 1);
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

it.each([
	['http://forms.example.com/api/v1', true],
	['https://forms.example.com:8443/api/v1', false],
	['https://other.example.com/api/v1', false],
	['https://forms.example.com/other/api/v1', false],
])('%s is the service that was at https://forms.example.com/api/v1: %s', (url, isSame) => {
	const service = computeServiceId('https://forms.example.com/api/v1');
	expect(computeServiceId(url) === service).toBe(isSame);
});
