/** How often a property is tried, and how a failure is replayed. */
import fc from 'fast-check';

const { MODEL_SEED, MODEL_PATH, MODEL_RUNS } = process.env;

/**
 * Tries a property so many times, or as often as `npm run soak` says. MODEL_SEED and MODEL_PATH replay a
 * failure, as its report names them.
 */
export async function always<T>(property: fc.IAsyncProperty<T>, numRuns: number): Promise<void> {
	const replay = MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED), path: MODEL_PATH };
	await fc.assert(property, { numRuns: Number(MODEL_RUNS ?? numRuns), ...replay });
}
