import { describe, expect, it } from 'vitest';
import {
	forgetGoneTriggers,
	getTriggerCache,
} from '../../../nodes/FormService/trigger/triggerCache.ts';
import { DAY_MS } from '../../time.mts';

describe('The memory of a trigger', () => {
	it.each([
		['is kept while n8n polls once a month', 31, false, true],
		['is given back if n8n has not polled for longer', 33, false, false],
		['is kept during a poll, however long it takes', 33, true, true],
	])('%s', (what, days, isPolling, isKept) => {
		const cache = getTriggerCache(what, 0);
		cache.isPolling = isPolling;
		forgetGoneTriggers(days * DAY_MS);
		expect(getTriggerCache(what, days * DAY_MS) === cache).toBe(isKept);
	});
});
