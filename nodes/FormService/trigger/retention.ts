import { DAY_MS } from './requestBudget';

/** How long the trigger remembers a response or form that has disappeared from its list. */

const RETENTION_MS = 30 * DAY_MS;

/** This many passes must miss a response or form, so that a list that is empty for a while repeats nothing. */
const RETENTION_PASSES = 30;

/** Since when something is missing from its list, and in how many passes. */
export type Absence = Readonly<{ atMs: number; passes: number }>;

/** Returns an absence with one more pass; the same object once further passes make no difference. */
export function addPass(absence: Absence | undefined, nowMs: number): Absence {
	if (absence === undefined) return { atMs: nowMs, passes: 1 };
	const { atMs, passes } = absence;
	return passes < RETENTION_PASSES ? { atMs, passes: passes + 1 } : absence;
}

/** Whether something has been missing for 30 days and 30 passes. */
export function isRetentionOver(absence: Absence | undefined, nowMs: number): boolean {
	if (absence === undefined) return false;
	return absence.passes >= RETENTION_PASSES && nowMs - absence.atMs >= RETENTION_MS;
}
