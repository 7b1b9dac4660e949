import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../../../nodes/FormService/api/rateLimiter/requestLog.ts';

const WINDOW_MS = 1_000;

/** A client's steps: after a pause, a request starts, ends (also twice) or is refused. */
const steps = fc.array(
	fc.record({
		pauseMs: fc.nat({ max: 400 }),
		what: fc.constantFrom('start', 'start', 'end', 'endTwice', 'forget'),
		which: fc.nat(),
	}),
	{ maxLength: 60 },
);

/** Takes the same steps with the log and with a plain list. */
function takeSteps(given: typeof steps extends fc.Arbitrary<infer T> ? T : never) {
	const log = new RequestLog(WINDOW_MS);
	const all: Array<{ id: number; endedAt: number }> = [];
	let now = 0;
	for (const { pauseMs, what, which } of given) {
		now += pauseMs;
		const open = all.filter(({ endedAt }) => endedAt === Infinity);
		const one = open[which % open.length];
		if (what === 'start') all.push({ id: log.recordStart(now), endedAt: Infinity });
		else if (one !== undefined && what === 'forget') {
			log.forget(one.id);
			all.splice(all.indexOf(one), 1);
		} else if (one !== undefined) {
			log.recordEnd(one.id, (one.endedAt = now));
			if (what === 'endTwice') log.recordEnd(one.id, now);
		}
	}
	return { log, all, now };
}

describe('the log of requests', () => {
	it('counts every request until a window after its end', () => {
		fc.assert(
			fc.property(steps, fc.nat({ max: 2 * WINDOW_MS }), (given, laterMs) => {
				const { log, all, now } = takeSteps(given);
				const counted = all.filter(({ endedAt }) => endedAt + WINDOW_MS > now + laterMs);
				expect(log.count(now + laterMs)).toBe(counted.length);
				expect(log.open).toBe(all.filter(({ endedAt }) => endedAt === Infinity).length);
			}),
		);
	});

	it('names the first time at which one more request fits, if the open ones end now', () => {
		fc.assert(
			fc.property(steps, fc.integer({ min: 1, max: 20 }), (given, limit) => {
				const { log, all, now } = takeSteps(given);
				const freeAt = log.findFreeTime(limit, now);
				for (const { id } of all) log.recordEnd(id, now);
				if (freeAt > now) expect(log.count(freeAt - 1)).toBeGreaterThanOrEqual(limit);
				expect(log.count(freeAt)).toBeLessThan(limit);
			}),
		);
	});

	it('counts no request for longer than a window from now, however often the clock is corrected', () => {
		const corrections = fc.array(fc.integer({ min: -4e10, max: 60_000 }), {
			minLength: 1,
			maxLength: 30,
		});
		fc.assert(
			fc.property(corrections, (given) => {
				const log = new RequestLog(WINDOW_MS);
				let now = 1_800_000_000_000;
				for (const correctionMs of given) {
					log.recordEnd(log.recordStart(now), now);
					now += correctionMs;
					expect(log.findFreeTime(1, now)).toBeLessThanOrEqual(now + WINDOW_MS);
				}
				expect(log.count(now + WINDOW_MS)).toBe(0);
			}),
		);
	});
});
