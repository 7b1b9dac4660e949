import { afterAll, beforeEach, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { createFailure, type FailureReason } from '../../../nodes/FormService/api/failures.ts';
import { Failures, recordOutcome } from '../../../nodes/FormService/trigger/schedule.ts';
import { VirtualTime } from '../../time.mts';

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
