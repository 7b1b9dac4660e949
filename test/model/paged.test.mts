import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MINUTES, Days, type Happening } from './days.mts';
import type { Order, Paging } from './form.mts';
import { always } from './runs.mts';

const mean = (values: readonly number[]) =>
	values.reduce((sum, value) => sum + value, 0) / values.length;

/** Days in which everything can happen. */
const DAYS = 1;

/** What can happen on the first day; what is left is delivered on the next one. */
const happenings = (kinds: ReadonlyArray<Happening['kind']>) =>
	fc.array(
		fc.record<Happening>({
			minute: fc.integer({ min: 1, max: DAYS * DAY_MINUTES }),
			kind: fc.constantFrom(...kinds),
			at: fc.nat({ max: 1_000 }),
		}),
		{ maxLength: 60 },
	);

const usual = ['submit', 'submit', 'submit', 'burst', 'begin', 'complete', 'appear'] as const;

/** One response in each 40 minutes. */
const steady = Array.from({ length: 36 }, (_, index): Happening => {
	return { minute: 7 + 40 * index, kind: 'submit', at: 0 };
});

describe('A form of many pages', { timeout: 36_000_000 }, () => {
	it.each<Order>(['newest', 'oldest', 'shuffled'])(
		'loses nothing and keeps to the allowance, whatever happens (%s first)',
		async (order) => {
			await always(
				fc.asyncProperty(happenings([...usual, 'delete']), async (given) => {
					const days = new Days({ order, pages: 13, requestsPerDay: 144, period: 5 });
					await days.run(DAYS + 1.25, given);
					days.expectAllOnce();
					expect(days.mostInADay()).toBeLessThanOrEqual(144);
				}),
				4,
			);
		},
	);

	it.each<Order>(['newest', 'oldest'])(
		'delivers new responses within minutes where the pages are in order (%s first)',
		async (order) => {
			const days = new Days({ order });
			await days.run(1.25, steady);
			days.expectAllOnce();
			expect(mean(days.delays())).toBeLessThan(6);
		},
	);

	it('delivers them as before where the pages are in no order', async () => {
		const days = new Days({ order: 'shuffled' });
		await days.run(1.25, steady);
		days.expectAllOnce();
		expect(mean(days.delays())).toBeLessThan(134);
	});

	it('delivers them within minutes also while others are deleted', async () => {
		const days = new Days({ order: 'newest' });
		const deletions = steady.map((one): Happening => ({ ...one, kind: 'delete', at: 50 }));
		await days.run(1.25, [...steady, ...deletions]);
		days.expectAllOnce();
		expect(mean(days.delays())).toBeLessThan(6);
	});

	it('goes on with it where there is no time for all pages, and says so', async () => {
		const days = new Days({ order: 'newest' });
		await days.run(1.25, steady, { latencyMs: 6_000 });
		days.expectAllOnce();
		expect(Math.max(...days.delays())).toBeLessThan(35);
		expect(days.told[0]).toContain("Couldn't read all responses");
	});

	it('delivers each response within a few polls, and one that was completed or appears elsewhere with the next whole reading', async () => {
		const settings = fc.record({
			order: fc.constantFrom<Order>('newest', 'oldest'),
			pages: fc.integer({ min: 2, max: 24 }),
			paging: fc.constantFrom<Paging>('link', 'header', 'number'),
			hasTotals: fc.boolean(),
			requestsPerDay: fc.constantFrom(144, 288),
		});
		await always(
			fc.asyncProperty(settings, happenings(usual), async (setting, given) => {
				const days = new Days({ ...setting, period: 5 });
				await days.run(DAYS + 1.25, given);
				days.expectAllOnce();
				const spacing = DAY_MINUTES / setting.requestsPerDay;
				const { length } = days.form.kept;
				const whole = Math.max(DAY_MINUTES / 2, 2.2 * (length / 3 + 1) * spacing);
				for (const [uuid, at] of days.submittedAt) {
					const isElsewhere = days.elsewhere.has(uuid);
					// a reading of many new pages is paid for by waiting, two requests for each page
					const bursts = given.filter(
						({ kind, minute }) => kind === 'burst' && minute <= at && at - minute < 24 * spacing,
					);
					const few = (8 + 6 * Math.max(0, bursts.length - 1)) * spacing + 10;
					const most = isElsewhere ? whole + (length / 3 + 8) * spacing : few;
					expect(days.delayOf(uuid), `minutes until ${uuid}`).toBeLessThanOrEqual(most);
				}
			}),
			4,
		);
	});

	it('leaves requests for new responses where whole readings have used up most of the first day', async () => {
		const days = new Days({ order: 'newest', pages: 22, requestsPerDay: 144, period: 5 });
		const submitted = [1, 421, 1321].map(
			(minute): Happening => ({ minute, kind: 'submit', at: 0 }),
		);
		await days.run(1.25, submitted);
		days.expectAllOnce();
		expect(Math.max(...days.delays())).toBeLessThanOrEqual(30);
	});

	it('reads a listing whole that has grown by more pages than requests were left, once enough are', async () => {
		const days = new Days({ order: 'shuffled', pages: 5, requestsPerDay: 144, period: 5 });
		const burst: Happening = { minute: 1361, kind: 'burst', at: 0 };
		await days.run(2.5, [burst, burst]);
		days.expectAllOnce();
	});

	it('loses nothing and keeps to the allowance when the clock is set', async () => {
		const jumps = fc.array(
			fc.record<Happening>({
				minute: fc.integer({ min: 1, max: DAYS * DAY_MINUTES }),
				kind: fc.constant('clock'),
				at: fc.constantFrom(-480, -60, -1, 1, 60, 480),
			}),
			{ maxLength: 4 },
		);
		await always(
			fc.asyncProperty(
				happenings([...usual, 'delete']),
				jumps,
				fc.constantFrom<Order>('newest', 'oldest', 'shuffled'),
				async (given, clock, order) => {
					const days = new Days({ order, pages: 5, requestsPerDay: 144, period: 5 });
					// set back by 8 hours four times, a wait is longer by 32
					await days.run(DAYS + 2.5, [...clock, ...given]);
					days.expectAllOnce();
				},
			),
			4,
		);
	});
});
