import type { Logger } from 'n8n-workflow';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { createFailure, type FailureReason } from '../../../nodes/FormService/api/failures.ts';
import { Failures, type FailureSubject } from '../../../nodes/FormService/trigger/failures.ts';
import {
	isEndOfPoll,
	recordOutcome,
	type ReadingOutcome,
} from '../../../nodes/FormService/trigger/outcomes.ts';
import { MINUTE_MS, VirtualTime } from '../../time.mts';

const node = { id: 'n', name: 'N', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const createError = (message: string, reason: FailureReason = 'serverError') =>
	new ServiceError(node as never, createFailure(reason as 'canceled'), {
		message,
		description: '',
	});

const { now } = clock;
afterAll(() => void Object.assign(clock, { now }));

let time: VirtualTime;
let failures: Failures;
beforeEach(() => {
	time = new VirtualTime();
	failures = new Failures();
	Object.assign(clock, { now: time.now });
});

const toSubject = (formId: string): FailureSubject => ({ kind: 'fullPass', formId });

/** A poll so many minutes later, in which these forms fail on a page. Returns what people see. */
function poll(minutes: number, forms: string, page = 0): string | undefined {
	time.pass(minutes * MINUTE_MS);
	const polledAtMs = time.now();
	for (const id of forms) failures.record(toSubject(id), createError(id), page);
	return failures.takeErrorToReport(polledAtMs, true)?.message;
}

it('The third failure in a row is reported, by a later poll if need be, and each of several forms once', () => {
	const reports = [2, 2, 2, 2, 55, 5, 60, 60].map((minutes) => poll(minutes, 'AB'));
	expect(reports.filter(Boolean)).toEqual(['A', 'B']);
	expect(reports.slice(0, 3)).toEqual([undefined, undefined, 'A']);
	for (let count = 0; count < 3; count++) failures.record(toSubject('C'), createError('C'));
	expect([poll(1, ''), poll(60, '')]).toEqual(['C', undefined]);
});

it('A failure of the account is seen although the events of the page before could not be delivered', () => {
	const subject = toSubject('A');
	const outcome: ReadingOutcome = {
		subject,
		hasPages: true,
		readError: createError('account', 'unavailable'),
		deliveryError: createError('fields'),
		page: 1,
	};
	expect(isEndOfPoll(outcome)).toBe(true);
	recordOutcome(failures, outcome, { warn: () => undefined } as never);
	expect(failures.isInBackoff({ kind: 'account' })).toBe(true);
	expect(failures.isInBackoff(subject)).toBe(true);
});

it('An error of the account and a form has one notice, although both are reported', () => {
	const error = createError('A', 'timedOut');
	for (let count = 0; count < 3; count++) {
		failures.record(toSubject('A'), error, 0);
		failures.record({ kind: 'account' }, error);
	}
	for (let report = 0; report < 2; report++) {
		expect(failures.takeErrorToReport(time.now())).toBe(error);
		expect(error.description).toBe('The trigger keeps trying, and no response is lost.');
		time.pass(60 * MINUTE_MS);
	}
});

it('Failures are counted for one page: an earlier page clears nothing, and a later page starts over', () => {
	const counts = [4, 4, 2, 7].map((page) => {
		poll(1, 'A', page);
		failures.clear(toSubject('A'), page - 1);
		return failures.countWithNew(toSubject('A'), page).count - 1;
	});
	expect(counts).toEqual([1, 2, 3, 1]);
	failures.clear(toSubject('A'), 7);
	expect(failures.has(toSubject('A'))).toBe(false);
});

it('Each failure in a row makes polls wait twice as long, up to half an hour', () => {
	const waits = Array.from({ length: 9 }, () => {
		poll(1, 'A');
		let seconds = 0;
		for (; failures.isInBackoff(toSubject('A')); seconds += 5) time.pass(5_000);
		time.pass(-seconds * 1_000);
		return seconds;
	});
	expect(waits).toEqual([15, 35, 75, 155, 315, 635, 1_275, 1_795, 1_795]);
});

it('Newest pages and the full pass of a form wait by themselves, and other forms do not wait', () => {
	failures.record(toSubject('A'), createError('A'));
	const subjects: FailureSubject[] = [
		{ kind: 'fullPass', formId: 'A' },
		{ kind: 'newestPages', formId: 'A' },
		{ kind: 'fullPass', formId: 'B' },
		{ kind: 'account' },
	];
	expect(subjects.map((subject) => failures.isInBackoff(subject))).toEqual([
		true,
		false,
		false,
		false,
	]);
});

const readError = createError('It was not read', 'tokenRejected');
const deliveryError = createError('It was not delivered');
it.each<[string, Partial<ReadingOutcome>, boolean]>([
	['nothing else failed', {}, false],
	['its events could not be delivered', { deliveryError }, false],
	['the next page shows that the account is rejected', { readError }, true],
])('A good page ends the waiting of the account or not if %s', (_text, outcome, isWaiting) => {
	failures.record({ kind: 'account' }, createError('Before'));
	const logger = { info: () => undefined, warn: () => undefined } as unknown as Logger;
	recordOutcome(failures, { subject: toSubject('A'), hasPages: true, page: 0, ...outcome }, logger);
	expect(failures.isInBackoff({ kind: 'account' })).toBe(isWaiting);
});
