import lodash from 'lodash';
import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../time.mts';
import { decide, type Usage } from './limiter.mts';

it.each([
	[60, MINUTE_MS, 0],
	[1_440, DAY_MS, MINUTE_MS],
])('takes %i requests in %i ms from the first request on', (count, windowMs, everyMs) => {
	let usage: Usage | undefined;
	const times = [...lodash.range(count).map((index) => index * everyMs), windowMs - 15_000];
	const decisions = [...times, windowMs].map((now) => {
		const decision = decide(usage, { perMinute: 60, perDay: 1_440 }, now);
		usage = decision.usage;
		return decision;
	});
	expect(decisions.map(({ isAllowed }) => isAllowed).slice(-3)).toEqual([true, false, true]);
	expect(decisions.at(-2)?.headers).toMatchObject({ 'retry-after': '15' });
});
