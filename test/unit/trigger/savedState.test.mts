import fc from 'fast-check';
import { isEqual, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { describeKnown } from '../../../nodes/FormService/trigger/knowledge.ts';
import type {
	FormState,
	Knowledge,
	KnownResponse,
} from '../../../nodes/FormService/trigger/knowledge.ts';
import * as savedState from '../../../nodes/FormService/trigger/savedState.ts';
import type { StateMemory } from '../../../nodes/FormService/trigger/savedState.ts';
import { decodeState, encodeState } from '../../../nodes/FormService/trigger/stateCodec.ts';
import type { State } from '../../../nodes/FormService/trigger/stateCodec.ts';
import { testStories } from '../stories.mts';

const NOW = Date.UTC(2026, 10, 21, 12) + 0.375;
const nothing: Knowledge = { service: 'S', forms: new Map() };
let marks = 0;

const toMap = <T,>(byId: Record<string, T>) => new Map(Object.entries(byId));

/** A copy as n8n keeps it in its database. */
const copy = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;

/** A trigger and its n8n. The states are numbered. */
class Trigger {
	memory: StateMemory = {};
	kept: IDataObject = {};
	readonly events: Record<string, () => void> = {
		restart: () => (this.memory = {}),
		damage: () => (this.kept = { state: { version: 3, count: 9, mark: 'x', forms: 'x' } }),
		'another process leaves 7': () => {
			const other = new Trigger();
			other.kept = this.kept;
			other.poll({ listedSinceMs: 7 });
			this.kept = other.kept;
		},
	};

	/** Leaves a state with changes, and returns what the poll continued from. */
	poll(change: Partial<Knowledge>, hasItems = false, isKept = true): string {
		const provided = copy(this.kept);
		const loaded = savedState.loadState(provided, this.memory, 'S');
		const before = 'state' in loaded ? loaded.state : nothing;
		const after = { ...before, ...change };
		const result = { after, before: hasItems ? before : undefined };
		// n8n saves static data if anything was written
		if (isEqual(after, before)) Object.freeze(provided);
		savedState.saveState(provided, this.memory, loaded, result, NOW, () => `mark ${(marks += 1)}`);
		if (isKept) this.kept = copy(provided);
		return `${loaded.kind} ${before.listedSinceMs ?? ''}`.trim();
	}

	/** Returns the story with what each poll continued from. */
	play(story: string): string {
		const steps = story.split('; ').map((step) => {
			this.events[step]?.();
			if (step in this.events) return step;
			const [, items = '', number, end = ''] = / -> (items )?(\d)( lost)?$/.exec(step)!;
			const from = this.poll({ listedSinceMs: Number(number) }, items !== '', end === '');
			return `${from} -> ${items}${number}${end}`;
		});
		return steps.join('; ');
	}
}

// each poll continues from a state, and leaves a numbered one, with items or without; n8n can lose it
testStories('A poll continues from', (story) => new Trigger().play(story), {
	'what n8n kept': 'nothing -> 1; kept 1 -> 2; kept 2 -> items 3; kept 3 -> 3; kept 3 -> 4',
	'what it remembers, and repeats items that n8n discarded':
		'nothing -> 1 lost; discarded 1 -> 2; kept 2 -> items 3 lost; discarded 2 -> items 4; kept 4 -> 5',
	'the same state until n8n keeps the items':
		'nothing -> 1; kept 1 -> items 2 lost; discarded 1 -> items 3 lost; discarded 1 -> items 4; kept 4 -> 5',
	'nothing after first items that n8n discarded':
		'nothing -> items 1 lost; discarded -> items 2; kept 2 -> 3',
	'what it remembers of polls without items, which n8n need not keep':
		'nothing -> 1; kept 1 -> 2 lost; discarded 2 -> 3 lost; discarded 3 -> items 4 lost; discarded 3 -> 5',
	'what n8n kept, after a restart':
		'nothing -> 1; kept 1 -> 2 lost; restart; foreign 1 -> items 3; restart; foreign 3 -> 4',
	'what another process left':
		'nothing -> 1; another process leaves 7; foreign 7 -> 8; kept 8 -> 9',
	'what another process left, although both have counted as far':
		'nothing -> 1; kept 1 -> 2 lost; another process leaves 7; foreign 7 -> 8',
	'nothing if n8n kept only damage': 'nothing -> 1; restart; damage; damage -> 2; kept 2 -> 3',
	'what it remembers if n8n kept only damage':
		'nothing -> 1; kept 1 -> 2; damage; discarded 2 -> 3',
});

it.each<[string, Partial<Knowledge>]>([
	['the service', { service: 'other' }],
	['that the list of forms is complete', { isListed: true }],
	['that damage is repaired', { isRepairing: undefined }],
	['a form', { forms: toMap<FormState>({ A: {}, B: {} }) }],
	['responses', { forms: toMap<FormState>({ A: { known: new Map() } }) }],
	['a form that is missing', { forms: toMap({ A: { absence: { lastDay: 1, days: 0 } } }) }],
])('What a poll has found out is kept: %s', (_what, change) => {
	const trigger = new Trigger();
	const before: Knowledge = { service: 'S', isRepairing: true, forms: toMap({ A: {} }) };
	trigger.poll(before);
	trigger.poll(change);
	const state = decodeState(trigger.kept.state, 'S');
	expect(state).toEqual({ ...state, ...before, ...change });
});

it.each<[string, boolean, boolean, number, boolean]>([
	['n8n provides the state before it', true, false, 29, true],
	['n8n provides it', true, true, 29, false],
	['30 seconds have passed', true, false, 30, false],
	['the clock was set back for longer', true, false, -30, false],
	['there were no items', false, false, 1, false],
])('A delivery can be under way: %s', (_rule, hasItems, isKept, seconds, isUnderWay) => {
	const trigger = new Trigger();
	trigger.poll({ isListed: false });
	trigger.poll({ isListed: true }, hasItems, isKept);
	const { kept, memory } = trigger;
	expect(savedState.isDeliveryUnderWay(kept, memory, NOW + seconds * 1_000)).toBe(isUnderWay);
});

describe('The saved state', () => {
	/** A state in which all is set, with a number of complete responses. */
	const createState = (count: number): State => {
		const many = range(100, 100 + count).map((one) => [
			`complete${one}`.slice(-10),
			describeKnown('complete'),
		]);
		const others = {
			abandoned_: describeKnown('abandoned'),
			'waiting---': describeKnown('waiting', 29_000_000),
			'missing---': describeKnown('incomplete', 0, { lastDay: 20_000, days: 30 }),
		};
		const known = toMap<KnownResponse>({ ...Object.fromEntries(many), ...others });
		const baseline = { sinceMs: NOW, emitSinceMs: 0, newestMs: NOW - 1, isRead: true };
		const paused = { isPaused: true, absence: { lastDay: 20_001, days: 0 } };
		const start = { url: 'https://forms.example/api?page=3', pagesBefore: 2, recordsBefore: 20 };
		const list = { listedSinceMs: NOW, isListed: true, isRepairing: true };
		const position = { newestEnd: { newest: 'last', start }, next: start } as const;
		const unread = { position: { newestEnd: { newest: 'first' } } } as const;
		const forms = toMap<FormState>({ A: { known, baseline, position }, B: paused, C: unread });
		return { service: 'S', count: 1, mark: 'm', ...list, forms };
	};
	const saved = encodeState(createState(2));

	it('is the same after n8n has kept it', () => {
		const number = fc.integer({ min: 0, max: 3e12 });
		const kind = fc.constantFrom('complete', 'incomplete', 'waiting', 'abandoned');
		const absence = fc.record({ lastDay: fc.nat(60_000), days: fc.nat(30) });
		const response = fc.oneof(
			fc.tuple(kind, fc.nat(50_000_000)).map((one) => describeKnown(...one)),
			fc.tuple(kind, fc.constant(0), absence).map((one) => describeKnown(...one)),
		);
		const responses = fc.array(fc.tuple(fc.stringMatching(/^[\w-]{10}$/), response));
		const known = responses.map((all) => new Map(all));
		const baseline = fc.record({ sinceMs: number, newestMs: number });
		const form = fc.record({ known, baseline, absence }, { requiredKeys: [] });
		const isSame = fc.property(fc.array(fc.tuple(fc.uuid(), form)), (forms) => {
			const state = { ...createState(0), forms: new Map(forms) };
			expect(decodeState(copy(encodeState(state)), 'other')).toEqual(state);
		});
		fc.assert(isSame);
		expect(decodeState(copy(saved), 'other')).toEqual(createState(2));
		const answered = describeKnown('complete', 0, undefined, 'answers---');
		const both = toMap({ 'answered--': answered, 'without---': describeKnown('complete') });
		const state = { ...createState(0), forms: toMap<FormState>({ A: { known: both } }) };
		expect(decodeState(copy(encodeState(state)), 'other')).toEqual(state);
	});

	it('has 16 characters a response', () => {
		const measure = (count: number) => JSON.stringify(encodeState(createState(count))).length;
		expect(measure(900) - measure(0)).toBe(900 * 16);
	});

	it.each<[string, unknown, string]>([
		['nothing', undefined, 'nothing'],
		['null', null, 'damage'],
		['a good one', copy(saved), 'foreign'],
		['a text', 'state', 'damage'],
		['empty', {}, 'damage'],
		['of a newer version', { ...saved, version: 4 }, 'damage'],
		['without a mark', { ...saved, mark: undefined }, 'damage'],
		['of another service', { ...saved, service: 'other' }, 'damage'],
		['without the ID of a form', { ...saved, forms: [{}] }, 'damage'],
		['cut off', { ...saved, forms: [{ id: 'A', known: 'TPuUorf3xEc0000' }] }, 'damage'],
		['of unknown kinds', { ...saved, forms: [{ id: 'A', known: 'TPuUorf3xEz00000' }] }, 'damage'],
	])('is recognized if it is %s', (_what, state, kind) => {
		expect(savedState.loadState({ state } as IDataObject, {}, 'S').kind).toBe(kind);
	});

	it('of an older version is read: what it knew was created before it was saved', () => {
		const read = { id: 'A', known: 'TPuUorf3xEc00000' };
		const forms = [read, { id: 'B', since: 5_000 }];
		const old = { version: 2, service: 'old', savedAt: 9_000, listedSince: 4_000, forms };
		const state = decodeState(old, 'S');
		expect(state).toMatchObject({ service: 'S', listedSinceMs: 4_000, isListed: true });
		expect(state?.forms).toEqual(
			toMap({ A: { baseline: { sinceMs: 9_000 } }, B: { baseline: { sinceMs: 5_000 } } }),
		);
	});
});
