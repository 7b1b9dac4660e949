import type { Parameters } from 'fast-check';

/** Minutes that `npm run soak` asks for; none in an ordinary run of the tests. */
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 0);

/**
 * How often a property is tried: so many times, or for as long as a soak goes on. MODEL_SEED and
 * MODEL_PATH replay a failure, as its report names them.
 */
export function runs(numRuns: number): Parameters<unknown> {
	const { MODEL_SEED, MODEL_PATH } = process.env;
	if (MODEL_SEED !== undefined) return { seed: Number(MODEL_SEED), path: MODEL_PATH };
	if (SOAK_MINUTES === 0) return { numRuns };
	return {
		numRuns: Number.MAX_SAFE_INTEGER,
		interruptAfterTimeLimit: SOAK_MINUTES * 60_000,
		markInterruptAsFailure: false,
	};
}
