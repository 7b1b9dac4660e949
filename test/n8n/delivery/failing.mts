import { type Fault, type FaultName, type Faults, faultTable, slow } from '../../service/index.mts';

/**
 * Not among the failures: a refusal for the day, which would rightly hold the trigger back for longer than
 * the run lasts, and a packed reply, which is a good one.
 */
const LEFT_OUT: FaultName[] = ['tooManyDay', 'gzip'];

/** Kinds that take up to a minute each: of all of them one for all others, or little else would happen in a run. */
const LONG: FaultName[] = [
	'silentBefore',
	'silentAfter',
	'tooManyMinute',
	'tooManyBare',
	'tooManyHttpDate',
];

const counted = (fault: Fault, count: () => void): Fault =>
	fault.stage === 'after'
		? {
				...fault,
				spoil(meeting, body) {
					count();
					return fault.spoil(meeting, body);
				},
			}
		: {
				...fault,
				act(meeting) {
					count();
					return fault.act(meeting);
				},
			};

/** A reply that is good and comes late is no failure: some of the others are. */
const LATE = slow(3_000);
const LATE_SHARE = 1 / 10;

/** Draws at random without putting back, and fills up when all are drawn. */
function draws<T>(random: () => number, fill: () => T[]): () => T {
	let left: T[] = [];
	return () => {
		if (left.length === 0) left = fill();
		return left.splice(Math.floor(random() * left.length), 1)[0];
	};
}

/**
 * Makes a third of the API's requests fail, in all the ways of the service's fault table.
 * @returns a function that gives how many have failed so far
 */
export function failAThird(faults: Faults, random: () => number): () => number {
	let failed = 0;
	let chosen: Fault | undefined;
	const names = (Object.keys(faultTable) as FaultName[]).filter((name) => !LEFT_OUT.includes(name));
	const short = names.filter((name) => !LONG.includes(name)).map((name): Fault => faultTable[name]);
	const long = draws(random, () => LONG.map((name): Fault => faultTable[name]));
	// at most two in a row: after more of them the trigger would hardly look in a run of minutes
	const fails = draws(random, () => [true, false, false]);
	const kind = draws(random, () => [...short, long()]);
	const choose = () => {
		if (fails()) return kind();
		return random() < LATE_SHARE ? LATE : undefined;
	};
	const kinds: Fault[] = [...names.map((name) => faultTable[name]), LATE];
	for (const fault of kinds) {
		const strikes = () => {
			// the first kind is asked first of each request
			if (fault === kinds[0]) chosen = choose();
			return fault === chosen ? 0 : 1;
		};
		const failure = fault === LATE ? fault : counted(fault, () => failed++);
		faults.set({ fault: failure, probability: 0.5, random: strikes });
	}
	return () => failed;
}
