import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Frees what earlier work has left: that is not to be paid for by the next one. */
const collectGarbage = runInNewContext('gc') as () => void;

/** Milliseconds that a piece of work takes. */
export async function duration(work: () => unknown): Promise<number> {
	const before = performance.now();
	await work();
	return performance.now() - before;
}

/** Milliseconds of all processors that a piece of work takes in this process. */
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

/**
 * Runs a file of the bench in a process of its own, and gives what it has measured.
 *
 * @param args what it is to measure
 * @param flags of Node
 */
export async function inOwnProcess(
	file: string,
	args: string[],
	flags: string[] = [],
): Promise<number> {
	const child = fork(file, args, { execArgv: flags });
	const [measured] = (await once(child, 'message')) as [number];
	child.kill();
	return measured;
}

/**
 * Medians of several kinds of work, done in turn, so that whatever else the machine does meets all of
 * them alike. The first round warms up.
 *
 * @param options.isLarge whether each leaves so much behind that the next one would pay for it
 */
export async function medians<Name extends string>(
	rounds: number,
	measure: (work: () => unknown) => Promise<number>,
	works: Record<Name, () => unknown>,
	{ before = () => {}, isLarge = false }: { before?: () => unknown; isLarge?: boolean } = {},
): Promise<Record<Name, number>> {
	const names = Object.keys(works) as Name[];
	const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]));
	for (let round = 0; round <= rounds; round++) {
		await before();
		for (const name of names) {
			if (isLarge) collectGarbage();
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
