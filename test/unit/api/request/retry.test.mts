import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRefusal } from '../../../../nodes/FormService/api/rateLimiter/limits.ts';
import type { ConnectionProblem } from '../../../../nodes/FormService/api/request/connectionProblems.ts';
import { decideRetry, mayHaveActed } from '../../../../nodes/FormService/api/request/retry.ts';
import type { Ended } from '../../../../nodes/FormService/api/request/retry.ts';

const reply = (status: number, headers: Record<string, string> = {}): Ended => ({
	kind: 'reply',
	status,
	headers,
	...(status === 429 && { refusal: readRefusal(headers, 0) }),
});
const broken = (problem: ConnectionProblem): Ended => ({ kind: 'broken', problem });
const problems: ConnectionProblem[] = [
	'connectionRefused',
	'unknownHost',
	'unreachable',
	'certificate',
	'encryption',
	'notAllowed',
	'timeout',
	'interrupted',
];

const anyOutcome = fc.oneof(
	fc.integer({ min: 100, max: 599 }).map((status) => reply(status)),
	fc.constantFrom(...problems).map(broken),
);
const effects = fc.constantFrom('safe', 'idempotent', 'once' as const);

/** The milliseconds after which a request is sent again; undefined if it is not. */
const decide = (outcome: Ended, sent = 1, rateLimited = 0, effect: 'safe' | 'once' = 'safe') =>
	decideRetry(effect, outcome, { sent, rateLimited }, 0, 0);

describe('sending again', () => {
	it('never repeats the adding of a response that the service may have taken', () => {
		fc.assert(
			fc.property(anyOutcome, fc.integer({ min: 1, max: 5 }), (outcome, sent) => {
				fc.pre(mayHaveActed(outcome));
				expect(decide(outcome, sent, 0, 'once')).toBeUndefined();
			}),
		);
	});

	it('knows that the service may have taken a request that ended so', () => {
		for (const status of [200, 204, 500, 502, 503, 504, 522]) {
			expect(mayHaveActed(reply(status))).toBe(true);
		}
		const uncertain = problems.filter((problem) => mayHaveActed(broken(problem)));
		expect(uncertain).toEqual(['timeout', 'interrupted']);
	});

	it('always ends, however long the trouble lasts', () => {
		const outcomesInARow = fc.array(anyOutcome, { minLength: 8, maxLength: 8 });
		fc.assert(
			fc.property(effects, outcomesInARow, (effect, outcomes) => {
				let rateLimited = 0;
				const goesOn = outcomes.every((outcome, index) => {
					if (outcome.kind === 'reply' && outcome.status === 429) rateLimited++;
					const tries = { sent: index + 1, rateLimited };
					return decideRetry(effect, outcome, tries, 0.5, 0) !== undefined;
				});
				expect(goesOn).toBe(false);
			}),
		);
	});

	it.each([500, 502, 503, 504, 520, 522, 524, 529])(
		'repeats what only reads after status %i, 3 times, after longer pauses',
		(status) => {
			const pauses = [1, 2, 3, 4].map((sent) => decide(reply(status), sent));
			expect(pauses).toEqual([500, 1_000, 2_000, undefined]);
		},
	);

	it.each([200, 301, 400, 401, 403, 404, 409, 422, 501])(
		'does not repeat after status %i',
		(status) => {
			expect(decide(reply(status))).toBeUndefined();
		},
	);

	it('adds a response again when no connection came about, or the minute was used up', () => {
		expect(decide(broken('connectionRefused'), 1, 0, 'once')).toBe(500);
		expect(decide(reply(429, { 'retry-after': '3' }), 1, 1, 'once')).toBe(0);
	});

	it.each(['certificate', 'encryption', 'notAllowed'] as const)(
		'does not repeat what cannot pass: %s',
		(problem) => {
			expect(decide(broken(problem))).toBeUndefined();
		},
	);

	it('waits for a reply that does not come once more only', () => {
		expect([1, 2].map((sent) => decide(broken('timeout'), sent))).toEqual([500, undefined]);
	});

	it('gives up after ten refused windows', () => {
		const refusal = reply(429, { 'retry-after': '3' });
		const pauses = [1, 9, 10].map((times) => decide(refusal, times, times));
		expect(pauses).toEqual([0, 0, undefined]);
	});

	it('counts refusals apart from troubles', () => {
		const pauses = [3, 4, 5, 6].map((sent) => decide(reply(503), sent, 2));
		expect(pauses).toEqual([500, 1_000, 2_000, undefined]);
	});

	it('does not wait for the day', () => {
		expect(decide(reply(429, { 'retry-after': '7200' }), 1, 1)).toBeUndefined();
	});

	it('pauses as long as the service asks, up to a minute', () => {
		expect(decide(reply(503, { 'retry-after': '7' }))).toBe(7_000);
		expect(decide(reply(503, { 'retry-after': '9999' }))).toBe(60_000);
	});

	it('does not take the end of the window for the end of a trouble', () => {
		expect(decide(reply(503, { 'x-ratelimit-reset': '30' }))).toBe(500);
	});
});
