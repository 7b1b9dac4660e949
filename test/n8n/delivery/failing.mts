import { type Fault, type FaultName, type Faults, faultTable, slow } from '../../service/index.mts';

/** Not a failure: a reply packed with gzip. And a daily limit would outlast the run. */
const LEFT_OUT: FaultName[] = ['tooManyDay', 'gzip'];

/** Kinds that take up to a minute each: one of all of them for all others, or little else would happen in a run. */
const LONG: FaultName[] = [
	...(['silentBefore', 'silentAfter'] as const),
	...(['tooManyMinute', 'tooManyBare', 'tooManyHttpDate'] as const),
];

/** A reply that is good and comes late is no failure. */
const LATE = slow(3_000);
const LATE_SHARE = 1 / 10;

/** Draws at random without putting back, and fills up when all are drawn. */
function drawFrom<T>(random: () => number, fill: () => T[]): () => T {
	let left: T[] = [];
	return () => {
		if (left.length === 0) left = fill();
		return left.splice(Math.floor(random() * left.length), 1)[0];
	};
}

/**
 * Makes a third of the API's requests fail, in all the ways of the service's fault table.
 *
 * @returns a function that says how many have failed so far
 */
export function failAThird(faults: Faults, random: () => number): () => number {
	let failed = 0;
	const names = (Object.keys(faultTable) as FaultName[]).filter((name) => !LEFT_OUT.includes(name));
	const drawLong = drawFrom(random, () => [...LONG]);
	const drawName = drawFrom(random, () => [
		...names.filter((name) => !LONG.includes(name)),
		drawLong(),
	]);
	// at most two in a row: after more, the trigger would hardly poll in a run of minutes
	const drawFailure = drawFrom(random, () => [true, false, false]);
	const fault = (): Fault | undefined => {
		if (!drawFailure()) return random() < LATE_SHARE ? LATE : undefined;
		failed++;
		return faultTable[drawName()];
	};
	faults.set({ fault });
	return () => failed;
}
