import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import {
	isDeliveryUnderWay,
	loadState,
	saveState,
	type StateMemory,
} from '../../../nodes/FormService/trigger/state.ts';
import type { FormState } from '../../../nodes/FormService/trigger/stateCodec.ts';

const NOW = Date.UTC(2026, 10, 21);

/** What n8n hands over, and what the process remembers. */
let staticData: IDataObject;
let memory: StateMemory;
beforeEach(() => {
	staticData = {};
	memory = {};
});

const copyOf = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;

/** One poll that leaves these forms as missing since so many days; with items, n8n may discard them. */
function poll(day: number, { hasItems = false, now = NOW } = {}): void {
	const base = loadState(staticData, memory);
	const before = base.kind === 'state' ? base.state.forms : new Map<string, FormState>();
	const forms = new Map([['form', { missingSince: day }]]);
	const formsIfDiscarded = hasItems ? before : undefined;
	saveState(staticData, memory, { service: 's', forms, formsIfDiscarded, base, now });
}

/** The day that a poll would continue from. */
function known(): unknown {
	const restored = loadState(staticData, memory);
	return restored.kind === 'state' ? restored.state.forms.get('form')?.missingSince : restored.kind;
}

describe('A state that a poll without items left', () => {
	it('counts in place of a damaged one until n8n saves another', () => {
		staticData = { state: 'nonsense' };
		for (const day of [1, 2]) {
			const saved = copyOf(staticData);
			poll(day);
			staticData = saved;
		}
		expect(known()).toBe(2);
		staticData = { state: 'other nonsense' };
		expect(known()).toBe('damaged');
	});

	it('counts in place of a damaged one whose keys the database gives back in another order', () => {
		staticData = { state: { version: 9, service: 's' } };
		poll(1);
		staticData = { state: { service: 's', version: 9 } };
		expect(known()).toBe(1);
	});
});

describe('A state with items', () => {
	it('keeps a poll that has an older copy from delivering again, for half a minute', () => {
		poll(1);
		const before = copyOf(staticData);
		poll(2, { hasItems: true });
		expect(isDeliveryUnderWay(staticData, memory, NOW)).toBe(false);
		expect(isDeliveryUnderWay(before, memory, NOW + 2_000)).toBe(true);
		expect(isDeliveryUnderWay(before, memory, NOW + 30_000)).toBe(false);
	});
});
