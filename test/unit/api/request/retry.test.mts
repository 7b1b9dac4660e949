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

const anyOutcome = fc.oneof(
	fc.integer({ min: 100, max: 599 }).map((status) => reply(status)),
	fc
		.constantFrom<
			ConnectionProblem[]
		>('connectionRefused', 'unknownHost', 'unreachable', 'certificate', 'encryption', 'notAllowed', 'timeout', 'interrupted')
		.map(broken),
);
const effects = fc.constantFrom('safe', 'idempotent', 'once' as const);

const decide = (outcome: Ended, sent = 1, rateLimited = 0, effect: 'safe' | 'once' = 'safe') =>
	decideRetry(effect, outcome, { sent, rateLimited }, 0, 0);

describe('sending again', () => {
	it('never repeats the adding of a response that the service may have taken', () => {
		fc.assert(
			fc.property(anyOutcome, fc.integer({ min: 1, max: 5 }), (outcome, sent) => {
				fc.pre(mayHaveActed(outcome));
				expect(decide(outcome, sent, 0, 'once').again).toBe(false);
			}),
		);
	});

	it.each([
		reply(200),
		reply(204),
		reply(500),
		reply(502),
		reply(503),
		reply(504),
		reply(522),
		broken('timeout'),
		broken('interrupted'),
	])('knows that the service may have taken a request that ended so: %j', (outcome) => {
		expect(mayHaveActed(outcome)).toBe(true);
		expect(decide(outcome, 1, 0, 'once').again).toBe(false);
	});

	it('always ends, however long the trouble lasts', () => {
		fc.assert(
			fc.property(
				effects,
				fc.array(anyOutcome, { minLength: 8, maxLength: 8 }),
				(effect, outcomes) => {
					let rateLimited = 0;
					const goesOn = outcomes.every((outcome, index) => {
						if (outcome.kind === 'reply' && outcome.status === 429) rateLimited++;
						return decideRetry(effect, outcome, { sent: index + 1, rateLimited }, 0.5, 0).again;
					});
					expect(goesOn).toBe(false);
				},
			),
		);
	});

	it.each([500, 502, 503, 504, 520, 522, 524, 529])(
		'repeats what only reads after status %i, 3 times',
		(status) => {
			expect([1, 2, 3, 4].map((sent) => decide(reply(status), sent).again)).toEqual([
				true,
				true,
				true,
				false,
			]);
		},
	);

	it.each([200, 301, 400, 401, 403, 404, 409, 422, 501])(
		'does not repeat after status %i',
		(status) => {
			expect(decide(reply(status)).again).toBe(false);
		},
	);

	it('adds a response again when no connection came about, or the minute was used up', () => {
		expect(decide(broken('connectionRefused'), 1, 0, 'once').again).toBe(true);
		expect(decide(reply(429, { 'retry-after': '3' }), 1, 1, 'once').again).toBe(true);
	});

	it.each(['certificate', 'encryption', 'notAllowed'] as const)(
		'does not repeat what cannot pass: %s',
		(problem) => {
			expect(decide(broken(problem)).again).toBe(false);
		},
	);

	it('waits for a reply that does not come once more only', () => {
		expect([1, 2].map((sent) => decide(broken('timeout'), sent).again)).toEqual([true, false]);
	});

	it('gives up after ten refused windows', () => {
		const refusal = reply(429, { 'retry-after': '3' });
		expect([1, 9, 10].map((times) => decide(refusal, times, times).again)).toEqual([
			true,
			true,
			false,
		]);
	});

	it('counts refusals apart from troubles', () => {
		expect([3, 4, 5, 6].map((sent) => decide(reply(503), sent, 2).again)).toEqual([
			true,
			true,
			true,
			false,
		]);
	});

	it('does not wait for the day', () => {
		expect(decide(reply(429, { 'retry-after': '7200' }), 1, 1).again).toBe(false);
	});

	it('pauses longer each time, and as long as the service asks, up to a minute', () => {
		const pause = (outcome: Ended, sent: number) => {
			const decision = decide(outcome, sent);
			return decision.again ? decision.afterMs : undefined;
		};
		expect([1, 2, 3].map((sent) => pause(reply(503), sent))).toEqual([500, 1_000, 2_000]);
		expect(pause(reply(503, { 'retry-after': '7' }), 1)).toBe(7_000);
		expect(pause(reply(503, { 'retry-after': '9999' }), 1)).toBe(60_000);
	});

	it('does not take the end of the window for the end of a trouble', () => {
		const outcome = reply(503, { 'x-ratelimit-reset': '30' });
		expect(decide(outcome)).toEqual({ again: true, afterMs: 500 });
	});
});
