import lodash from 'lodash';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { createFailure, type FailureReason } from '../../../nodes/FormService/api/failures.ts';
import {
	computeIntervalMs,
	Failures,
	isDue,
	recordOutcome,
	type BudgetClaim,
} from '../../../nodes/FormService/trigger/schedule.ts';
import { HOUR_MS, MINUTE_MS, VirtualTime } from '../../time.mts';

const NOW_MS = Date.UTC(2026, 10, 24, 12);

const createClaim = (given: Partial<BudgetClaim> = {}): BudgetClaim => {
	return { accountKey: 'a', requestsPerDay: 720, listCount: 1, polledAtMs: NOW_MS, ...given };
};

it.each<[string, Partial<BudgetClaim>, Array<Partial<BudgetClaim>>, number]>([
	['one form', {}, [], 2],
	['ten forms', { listCount: 10 }, [], 20],
	['a second trigger', {}, [{ listCount: 3 }], 8],
	['a trigger on another account', {}, [{ accountKey: 'b', listCount: 3 }], 2],
	[
		'a trigger that is switched off',
		{},
		[{ listCount: 3, polledAtMs: NOW_MS - 71 * MINUTE_MS }],
		2,
	],
	['a trigger that is polled hourly', {}, [{ listCount: 3, polledAtMs: NOW_MS - HOUR_MS }], 8],
	['a trigger with more Requests per Day', {}, [{ requestsPerDay: 1440 }], 2],
])('With %s, a form waits for each of its requests', (_text, given, others, minutes) => {
	const own = createClaim(given);
	const claims = [...others.map(createClaim), own];
	expect(computeIntervalMs(claims, own)).toBe(minutes * MINUTE_MS);
});

it.each([
	['its requests take up their time', 5, false],
	['its requests have taken up their time', 6, true],
	['n8n polls a few seconds early', 5.95, true],
	['the clock was set back', -1, true],
])('A list is due or not if %s', (_text, minutes, expected) => {
	const lastReading = { atMs: NOW_MS, requests: 3 };
	const nowMs = NOW_MS + minutes * MINUTE_MS;
	expect(isDue(lastReading, 2 * MINUTE_MS, nowMs)).toBe(expected);
});

const node = { id: 'n', name: 'N', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const text = { message: 'It was not read', description: '' };
const createError = (reason: FailureReason) =>
	new ServiceError(node as never, createFailure(reason), text);

const { now } = clock;
afterAll(() => void Object.assign(clock, { now }));

let time: VirtualTime;
let failures: Failures;
beforeEach(() => {
	time = new VirtualTime();
	failures = new Failures();
	Object.assign(clock, { now: time.now });
});

it('Each failure in a row makes polls wait twice as long, up to half an hour', () => {
	const waits = Array.from({ length: 9 }, () => {
		failures.record('form A', createError('serverError'));
		let seconds = 0;
		for (; failures.isInBackoff('form A'); seconds += 5) time.pass(5_000);
		return seconds;
	});
	expect(waits).toEqual([15, 35, 75, 155, 315, 635, 1_275, 1_795, 1_795]);
});

const subjects = ['account', 'form A', 'later pages of form A'] as const;

it.each<[string, boolean, FailureReason | undefined, string[]]>([
	['good page', true, undefined, ['form A']],
	['good page before a bad one', true, 'serverError', ['form A', 'later pages of form A']],
	['good page before a refused token', true, 'tokenRejected', subjects.slice()],
	['refused token', false, 'tokenRejected', subjects.slice()],
])('After a %s, what has failed waits, and nothing else', (_text, hasRead, reason, waiting) => {
	for (const subject of subjects) failures.record(subject, createError('serverError'));
	const error = reason && createError(reason);
	const outcome = { subject: 'later pages of form A', hasRead, error } as const;
	recordOutcome(failures, outcome, { warn: () => undefined } as never);
	expect(subjects.filter((subject) => failures.isInBackoff(subject))).toEqual(waiting);
});

it('An account that fails after each first page is reported, too', () => {
	const error = createError('timedOut');
	const outcome = { subject: 'form A', hasRead: true, error } as const;
	const logger = { warn: () => undefined } as never;
	for (let poll = 0; poll < 3; poll++) recordOutcome(failures, outcome, logger);
	expect(failures.takeErrorToReport(time.now(), true)).toBe(error);
});

it.each([
	['account', true, 2],
	['form A', true, 1],
	['form A', false, 2],
	['later pages of form A', true, 1],
] as const)(
	'A failing %s is reported often enough (other forms are read: %s)',
	(subject, areOthersRead, reports) => {
		const reported = Array.from({ length: 90 }, () => {
			failures.record(subject, createError('serverError'));
			time.pass(MINUTE_MS);
			return failures.takeErrorToReport(time.now() - MINUTE_MS, areOthersRead);
		});
		expect(lodash.compact(reported)).toHaveLength(reports);
	},
);
