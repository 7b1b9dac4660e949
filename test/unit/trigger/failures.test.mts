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

it.each([
	[undefined, false],
	['serverError', false],
	['tokenRejected', true],
])(
	'A good page ends the wait of the account, unless the next one shows that it goes on (%s)',
	(reason, isWaiting) => {
		failures.record('account', createError('Before'));
		const error = reason && createError('It was not read', reason);
		const outcome = { subject: 'form A', hasRead: true } as const;
		recordOutcome(failures, { ...outcome, ...(error && { error }) }, {
			warn: () => undefined,
		} as never);
		expect(failures.isInBackoff('account')).toBe(isWaiting);
	},
);
