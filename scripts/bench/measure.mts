import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds of processor time of this process, which other processes do not lengthen as they do real time. */
export async function processorTime(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/**
 * The longest time, in milliseconds of the processor, in which nothing else in the process had a turn
 * while a piece of work was done.
 */
export async function longestTurn(work: () => unknown): Promise<number> {
	let longest = 0;
	let before = process.threadCpuUsage();
	let isOver = false;
	const turn = () => {
		const { user, system } = process.threadCpuUsage(before);
		longest = Math.max(longest, (user + system) / 1000);
		before = process.threadCpuUsage();
		if (!isOver) setImmediate(turn);
	};
	setImmediate(turn);
	await nextTurn();
	longest = 0;
	await work();
	await nextTurn();
	isOver = true;
	await nextTurn();
	return longest;
}

setFlagsFromString('--expose-gc');
/** Frees what earlier work has left: that is not to be paid for by the next one. */
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Medians of several kinds of work, done in turn, so that whatever else the machine does meets all of
 * them alike. The first round warms up.
 */
export async function medians<Name extends string>(
	rounds: number,
	measure: (work: () => unknown) => Promise<number>,
	works: Record<Name, () => unknown>,
	before: () => unknown = () => {},
): Promise<Record<Name, number>> {
	const names = Object.keys(works) as Name[];
	const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]));
	for (let round = 0; round <= rounds; round++) {
		await before();
		for (const name of names) {
			collectGarbage();
			const took = await measure(works[name]);
			if (round > 0) measured[name].push(took);
		}
	}
	return Object.fromEntries(names.map((name) => [name, median(measured[name])])) as Record<
		Name,
		number
	>;
}

export function median(numbers: readonly number[]): number {
	const sorted = numbers.toSorted((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)];
}

export const ms = (milliseconds: number) =>
	`${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;

export const ratio = (number: number) => `${number.toFixed(2)} times`;

export const count = (number: number) => number.toLocaleString('en');

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
