import { decide, sent } from '../../../../nodes/FormService/api/gate/allowance.ts';
import type { Allowance } from '../../../../nodes/FormService/api/gate/window.ts';

/** The headers of a reply that show the allowance (specification, section 8). */
export const shows = (remaining: number, limit = 60) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
});

/** How many requests could leave at that time, one after another. */
export function leftAt(allowance: Allowance, now: number): number {
	let left = 0;
	for (let state = allowance; decide(state, now).kind === 'send'; left++) {
		state = sent(state, 1_000 + left, now);
	}
	return left;
}
