import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../../nodes/FormService/api/rateLimiter/requestLog.ts';

const WINDOW = 1_000;

/** A log of requests that left at the first time and ended at the second. */
function logOf(...requests: Array<[left: number, ended: number]>): RequestLog {
	const log = new RequestLog(WINDOW);
	const open = requests.map(([left, ended]) => ({ id: log.leave(left), ended }));
	for (const { id, ended } of open) log.end(id, ended);
	return log;
}

describe('a log of requests', () => {
	it('counts a request from when it leaves until a window after it has ended', () => {
		const log = new RequestLog(WINDOW);
		const id = log.leave(0);
		expect(log.count(5_000)).toBe(1);
		log.end(id, 5_000);
		expect(log.count(5_999)).toBe(1);
		expect(log.count(6_000)).toBe(0);
	});

	it('does not count what is forgotten', () => {
		const log = new RequestLog(WINDOW);
		log.forget(log.leave(0));
		expect([log.count(1), log.open]).toEqual([0, 0]);
	});

	it('ends a request once', () => {
		const log = new RequestLog(WINDOW);
		const id = log.leave(0);
		log.end(id, 1);
		log.end(id, 2);
		expect(log.count(2)).toBe(1);
	});

	it('has room now while fewer count than may', () => {
		expect(logOf([0, 10]).freeAt(1, 2, 20)).toBe(20);
	});

	it('has room when enough have ended a window ago', () => {
		expect(logOf([0, 10], [0, 20], [0, 30]).freeAt(2, 3, 40)).toBe(20 + WINDOW);
	});

	it('takes an open request to end now', () => {
		const log = new RequestLog(WINDOW);
		log.leave(0);
		expect(log.freeAt(1, 1, 40)).toBe(40 + WINDOW);
	});

	it('has room for more than the limit when nothing counts any more', () => {
		expect(logOf([0, 10], [0, 20]).freeAt(9, 3, 40)).toBe(20 + WINDOW);
		expect(new RequestLog(WINDOW).freeAt(9, 3, 40)).toBe(40);
	});

	it('forgets what had ended before a request left, and not what was open then', () => {
		const log = logOf([0, 10]);
		const open = log.leave(5);
		const opener = log.leave(20);
		log.end(open, 30);
		log.forgetBefore(opener);
		expect(log.count(40)).toBe(2);
	});
});

describe('whatever is sent', () => {
	/** Pauses between the steps of a client that leaves, ends and forgets at random. */
	const steps = fc.array(
		fc.record({
			pause: fc.nat({ max: 400 }),
			what: fc.constantFrom('leave', 'leave', 'end', 'forget'),
			which: fc.nat(),
		}),
		{ maxLength: 60 },
	);

	/** The same client against the log and against a plain list of what it did. */
	function run(given: typeof steps extends fc.Arbitrary<infer T> ? T : never) {
		const log = new RequestLog(WINDOW);
		const all: Array<{ id: number; endedAt: number }> = [];
		let now = 0;
		for (const { pause, what, which } of given) {
			now += pause;
			const open = all.filter(({ endedAt }) => endedAt === Infinity);
			const one = open[which % open.length];
			if (what === 'leave') all.push({ id: log.leave(now), endedAt: Infinity });
			else if (one !== undefined && what === 'end') log.end(one.id, (one.endedAt = now));
			else if (one !== undefined) {
				log.forget(one.id);
				all.splice(all.indexOf(one), 1);
			}
		}
		return { log, all, now };
	}

	it('as many count as have not ended a window ago', () => {
		fc.assert(
			fc.property(steps, fc.nat({ max: 2 * WINDOW }), (given, later) => {
				const { log, all, now } = run(given);
				const counted = all.filter(({ endedAt }) => endedAt + WINDOW > now + later);
				expect(log.count(now + later)).toBe(counted.length);
			}),
		);
	});

	it('there is room at the time it says, and none before, once what is open has ended', () => {
		fc.assert(
			fc.property(
				steps,
				fc.integer({ min: 1, max: 9 }),
				fc.integer({ min: 9, max: 20 }),
				(given, wanted, limit) => {
					const { log, all, now } = run(given);
					const freeAt = log.freeAt(wanted, limit, now);
					for (const { id } of all) log.end(id, now);
					if (freeAt > now) expect(log.count(freeAt - 1) + wanted).toBeGreaterThan(limit);
					expect(log.count(freeAt) + wanted).toBeLessThanOrEqual(limit);
				},
			),
		);
	});
});
