import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { IDEAL_MS, workOff } from './processes.mts';

/** Replies after 80 to 320 ms. */
const manyDelays = fc.array(fc.integer({ min: 40, max: 160 }), {
	minLength: 97,
	maxLength: 97,
	size: 'max',
});

describe('processes that share an account without knowing of each other', () => {
	it.each([1, 2, 5, 10])(
		'%i: nothing is given up, and little time is lost',
		async (processes) => {
			await fc.assert(
				fc.asyncProperty(manyDelays, async (delays) => {
					const result = await workOff({ RateLimiter, RequestQueue }, processes, delays);
					expect(result.givenUp).toBe(0);
					expect(result.took).toBeLessThan(IDEAL_MS * 1.05);
					// as many of each process as are open at a time
					expect(result.mostInAWindow).toBeLessThanOrEqual(processes === 1 ? 0 : 5);
				}),
				{ numRuns: 5, endOnFailure: true },
			);
		},
		120_000,
	);
});
