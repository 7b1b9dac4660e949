import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../nodes/FormService/api/rateLimiter/rateLimiter.ts';
import { RequestQueue } from '../../../../nodes/FormService/api/rateLimiter/requestQueue.ts';
import { decideRetry } from '../../../../nodes/FormService/api/request/retry.ts';
import { IDEAL_MS, workOff } from './processes.mts';

const limiting = { RateLimiter, RequestQueue, decideRetry };

/** Replies after 80 to 320 ms. */
const manyDelays = fc.array(fc.integer({ min: 40, max: 160 }), {
	minLength: 97,
	maxLength: 97,
	size: 'max',
});

describe('processes that share an account without knowing of each other', () => {
	it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
		'%i: each is refused once in a window at most, nothing is given up, and little time is lost',
		async (processes) => {
			await fc.assert(
				fc.asyncProperty(manyDelays, async (delays) => {
					const result = await workOff(limiting, processes, delays);
					expect(result.givenUp).toBe(0);
					expect(result.mostInAWindow).toBeLessThanOrEqual(1);
					expect(result.took).toBeLessThan(IDEAL_MS * 1.05);
					if (processes === 1) expect(result.refused).toBe(0);
				}),
				{ numRuns: 5, endOnFailure: true },
			);
		},
		120_000,
	);
});
