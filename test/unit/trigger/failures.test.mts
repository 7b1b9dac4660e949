import { afterAll, beforeEach, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { createFailure } from '../../../nodes/FormService/api/failures.ts';
import { Failures, recordOutcome } from '../../../nodes/FormService/trigger/failures.ts';
import { MINUTE_MS, VirtualTime } from '../../time.mts';

const node = { id: 'n', name: 'N', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const createError = (message: string, reason = 'serverError') =>
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

/** A poll so many minutes later, in which these forms fail. Returns what people see. */
function poll(minutes: number, forms: string): string | undefined {
	time.pass(minutes * MINUTE_MS);
	const polledAtMs = time.now();
	for (const id of forms) failures.record(`form ${id}`, createError(id));
	return failures.takeErrorToReport(polledAtMs, true)?.message;
}

it('An error of the account and a form has one notice, although both are reported', () => {
	const error = createError('A', 'timedOut');
	for (let count = 0; count < 3; count++) {
		failures.record('form A', error);
		failures.record('account', error);
	}
	for (let report = 0; report < 2; report++) {
		expect(failures.takeErrorToReport(time.now(), false)).toBe(error);
		expect(error.description).toBe('The trigger keeps trying, and no response is lost.');
		time.pass(60 * MINUTE_MS);
	}
});

it('A page that fails after another page of its form has failed once, although the form has failed often', () => {
	for (const page of ['?page=9', '?page=9', '?page=4']) {
		time.pass(11 * MINUTE_MS);
		failures.record('form A', createError('A'), page);
	}
	const streak = { count: 3, page: '?page=4', pageCount: 1, pageFailedAtMs: time.now() };
	expect(failures.get('form A')).toMatchObject(streak);
});

it('Each failure in a row makes polls wait twice as long, up to half an hour', () => {
	const waits = Array.from({ length: 9 }, () => {
		poll(1, 'A');
		let seconds = 0;
		for (; failures.isInBackoff('form A'); seconds += 5) time.pass(5_000);
		time.pass(-seconds * 1_000);
		return seconds;
	});
	expect(waits).toEqual([15, 35, 75, 155, 315, 635, 1_275, 1_795, 1_795]);
});

it('A page that fails makes only itself wait, and is forgotten when it or the whole list has been read', () => {
	const logger = { info: () => undefined, warn: () => undefined } as never;
	const read = { subject: 'form A', readPages: [''], isWhole: false } as const;
	const error = createError('It was not read');
	recordOutcome(failures, { ...read, error, failedPage: '?page=2' }, logger);
	recordOutcome(failures, read, logger);
	const waits = ['?page=2', ''].map((page) => failures.isInBackoff('form A', page));
	expect(waits).toEqual([true, false]);
	recordOutcome(failures, { ...read, isWhole: true }, logger);
	expect(failures.get('form A')).toBeUndefined();
});

it.each([
	[undefined, false],
	['serverError', false],
	['tokenRejected', true],
])(
	'A good page ends the wait of the account, unless the next one shows that it goes on (%s)',
	(reason, isWaiting) => {
		failures.record('account', createError('Before'));
		const error = reason && createError('It was not read', reason);
		const outcome = { subject: 'form A', readPages: [''], isWhole: false } as const;
		recordOutcome(failures, { ...outcome, ...(error && { error }) }, {
			warn: () => undefined,
		} as never);
		expect(failures.isInBackoff('account')).toBe(isWaiting);
	},
);
