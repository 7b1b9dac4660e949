/** Milliseconds that a piece of work takes. */
export async function timed(work: () => unknown): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

export function median(numbers: readonly number[]): number {
	const sorted = numbers.toSorted((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)];
}

export const ms = (milliseconds: number) =>
	`${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;

export const ratio = (number: number) => `${number.toFixed(2)} times`;
