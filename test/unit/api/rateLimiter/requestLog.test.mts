import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../../nodes/FormService/api/rateLimiter/requestLog.ts';

const WINDOW = 1_000;

describe('a log of requests', () => {
	it('has room for more than the limit when nothing counts any more', () => {
		const log = new RequestLog(WINDOW);
		expect(log.freeAt(9, 3, 40)).toBe(40);
		for (const ended of [10, 20]) log.end(log.leave(0), ended);
		expect(log.freeAt(9, 3, 40)).toBe(20 + WINDOW);
	});

	it('forgets what had ended before a request left, and not what was open then', () => {
		const log = new RequestLog(WINDOW);
		log.end(log.leave(0), 10);
		const open = log.leave(5);
		const opener = log.leave(20);
		log.end(open, 30);
		log.forgetBefore(opener);
		expect(log.count(40)).toBe(2);
	});
});

describe('whatever is sent', () => {
	/** Pauses between the steps of a client that leaves, ends (also twice) and forgets at random. */
	const steps = fc.array(
		fc.record({
			pause: fc.nat({ max: 400 }),
			what: fc.constantFrom('leave', 'leave', 'end', 'endTwice', 'forget'),
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
			else if (one !== undefined && what === 'forget') {
				log.forget(one.id);
				all.splice(all.indexOf(one), 1);
			} else if (one !== undefined) {
				log.end(one.id, (one.endedAt = now));
				if (what === 'endTwice') log.end(one.id, now);
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
				expect(log.open).toBe(all.filter(({ endedAt }) => endedAt === Infinity).length);
			}),
		);
	});

	it('there is room at the time it says, and none before, if what is open ends now', () => {
		const wanted = fc.integer({ min: 1, max: 9 });
		const limits = fc.integer({ min: 9, max: 20 });
		fc.assert(
			fc.property(steps, wanted, limits, (given, wanted, limit) => {
				const { log, all, now } = run(given);
				const freeAt = log.freeAt(wanted, limit, now);
				for (const { id } of all) log.end(id, now);
				if (freeAt > now) expect(log.count(freeAt - 1) + wanted).toBeGreaterThan(limit);
				expect(log.count(freeAt) + wanted).toBeLessThanOrEqual(limit);
			}),
		);
	});
});
