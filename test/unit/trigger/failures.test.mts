import { afterAll, beforeEach, expect, it } from 'vitest';
import { clock } from '../../../nodes/FormService/api/clock.ts';
import { ServiceError } from '../../../nodes/FormService/api/errors.ts';
import { createFailure } from '../../../nodes/FormService/api/requestFailure.ts';
import * as failures from '../../../nodes/FormService/trigger/failures.ts';
import { getTriggerCache } from '../../../nodes/FormService/trigger/triggerCache.ts';
import type { TriggerCache } from '../../../nodes/FormService/trigger/triggerCache.ts';
import { MINUTE_MS, VirtualTime } from '../../time.mts';

const node = { id: 'n', name: 'N', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const createError = (message: string) =>
	new ServiceError(node as never, createFailure('serverError'), { message, description: '' });

const { now } = clock;
afterAll(() => void Object.assign(clock, { now }));

let time: VirtualTime;
let memory: TriggerCache;
let triggers = 0;
beforeEach(() => {
	time = new VirtualTime();
	memory = getTriggerCache(`trigger ${++triggers}`);
	Object.assign(clock, { now: time.now });
});

/** A poll so many minutes later, in which these forms fail on a page. Returns what people see. */
function poll(minutes: number, forms: string, page = 0): string | undefined {
	time.pass(minutes * MINUTE_MS);
	const errors = [...forms].map((id) => {
		const error = createError(id);
		failures.startBackoff(memory, id, error, id, page);
		return error;
	});
	return failures.takeReportableError(memory, errors, true)?.message;
}

it('The third failure in a row is reported, by a later poll if need be, and each of several forms once', () => {
	const reports = [2, 2, 2, 2, 55, 5, 60, 60].map((minutes) => poll(minutes, 'AB'));
	expect(reports.filter(Boolean)).toEqual(['A', 'B']);
	expect(reports.slice(0, 3)).toEqual([undefined, undefined, 'A']);
	[1, 1, 1].map(() => failures.startBackoff(memory, 'C', createError('C'), 'C'));
	expect([poll(1, ''), poll(60, '')]).toEqual(['C', undefined]);
});

it('Failures are counted for one page: an earlier page makes nothing good, and a later page begins anew', () => {
	const counts = [4, 4, 2, 7].map((page) => {
		poll(1, 'A', page);
		failures.clearFailure(memory, 'A', page - 1);
		return memory.failures.get('A')?.count;
	});
	expect(counts).toEqual([1, 2, 3, 1]);
	failures.clearFailure(memory, 'A', 7);
	expect(memory.failures.size).toBe(0);
});

it('Each failure in a row makes polls wait twice as long, up to half an hour', () => {
	const waits = Array.from({ length: 9 }, () => {
		poll(1, 'A');
		return Math.round(memory.failures.get('A')!.waitMs / 1_000);
	});
	expect(waits).toEqual([15, 35, 75, 155, 315, 635, 1_275, 1_795, 1_795]);
});
