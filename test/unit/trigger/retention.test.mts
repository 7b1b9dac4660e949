import { expect, it } from 'vitest';
import { DAY_MS } from '../../../nodes/FormService/trigger/requestBudget.ts';
import { pruneSeenResponses } from '../../../nodes/FormService/trigger/responses/seenResponses.ts';
import {
	updateAbsences,
	type FormStates,
} from '../../../nodes/FormService/trigger/triggerState.ts';

const START_MS = Date.UTC(2026, 10, 22, 12);

it.each<[number, number, boolean]>([
	[80, 29, true],
	[30, 300, true],
	[80, 80, false],
])(
	'A form or response that %i passes in %i days have missed is remembered: %s',
	(readings, days, isKnown) => {
		let forms: FormStates = new Map([['a', { seen: '' }]]);
		let responses: ReturnType<typeof pruneSeenResponses> | undefined;
		for (let reading = 0; reading < readings; reading++) {
			const nowMs = START_MS + (days * DAY_MS * reading) / (readings - 1);
			forms = updateAbsences(forms, () => false, nowMs);
			const before = responses?.seen ?? new Map([['a', { phase: 'complete' }]]);
			responses = pruneSeenResponses(before, responses?.pruning, nowMs);
		}
		expect([forms.has('a'), responses?.seen.has('a')]).toEqual([isKnown, isKnown]);
	},
);

it.each([
	[2, true],
	[1, false],
	[undefined, false],
])(
	'A response that all pages have left out is remembered while the list announces %j responses: %s',
	(announcedCount, isKnown) => {
		const seen = new Map([
			['listed', { phase: 'complete' }],
			['unlisted', { phase: 'complete', isUnlisted: true }],
		] as const);
		const pruning = { atMs: START_MS - 40 * DAY_MS, passes: 40 };
		const after = pruneSeenResponses(seen, pruning, START_MS, announcedCount);
		expect([...after.seen.keys()]).toEqual(isKnown ? ['listed', 'unlisted'] : ['listed']);
		// what is not decided is decided by the next pass
		expect(after.pruning === pruning).toBe(isKnown);
	},
);
