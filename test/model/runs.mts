import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';

const { MODEL_SEED, MODEL_PATH, SOAK_RUNS, SOAK_MINUTES, SOAK_REPORT } = process.env;

/**
 * How often a property is tried: so many times, or as often or as long as a soak says. MODEL_SEED and
 * MODEL_PATH replay a failure, as its report names them.
 */
function parameters(numRuns: number): fc.Parameters<unknown> {
	if (MODEL_SEED !== undefined) return { seed: Number(MODEL_SEED), path: MODEL_PATH };
	if (SOAK_RUNS !== undefined) return { numRuns: Number(SOAK_RUNS) };
	if (SOAK_MINUTES === undefined) return { numRuns };
	return {
		numRuns: Number.MAX_SAFE_INTEGER,
		interruptAfterTimeLimit: Number(SOAK_MINUTES) * 60_000,
		markInterruptAsFailure: false,
	};
}

/**
 * Tries a property, and reports the number of runs to a soak.
 *
 * @param numRuns how often in an ordinary run of the tests
 */
export async function always<T>(
	property: fc.IAsyncProperty<T> | fc.IAsyncPropertyWithHooks<T>,
	numRuns: number,
): Promise<void> {
	const details = await fc.check(property, parameters(numRuns) as fc.Parameters<T>);
	if (SOAK_REPORT !== undefined) {
		const { currentTestName } = expect.getState();
		const line = JSON.stringify({ property: currentTestName, runs: details.numRuns });
		appendFileSync(SOAK_REPORT, `${line}\n`);
	}
	if (!details.failed) return;
	const report = (await fc.asyncDefaultReportMessage(details)) ?? 'The property failed';
	// vitest prints it only at the end, which is long after in a soak
	if (SOAK_REPORT !== undefined) process.stderr.write(`${report}\n`);
	throw new Error(report, { cause: details.errorInstance });
}
