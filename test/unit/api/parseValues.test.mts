import { DateTime } from 'luxon';
import { afterAll, describe, expect, it } from 'vitest';
import {
	parseBoolean,
	parseNumber,
	parseTimeMs,
} from '../../../nodes/FormService/api/parseValues.ts';

const NO_BOOLEANS = [undefined, null, '', 2, 'perhaps', {}, [1], '01'];
it.each([
	...[true, 1, '1', 'true', 'TRUE', ' yes ', 'On'].map((value) => [value, true]),
	...[false, 0, '0', 'false', 'False', 'no', 'OFF'].map((value) => [value, false]),
	...NO_BOOLEANS.map((value) => [value, undefined]),
])('the boolean of %j is %j', (value, expected) => {
	expect(parseBoolean(value)).toBe(expected);
});

const NO_NUMBERS = [
	...[null, true, '', ' ', 'Room 5', '5 kg', '2,5', '1,000.5', '1 200', '+5', '.5', '0x10', '--1'],
	...[NaN, Infinity, '9'.repeat(400)],
];
it.each([
	[5, 5],
	['5', 5],
	[' -2.5 ', -2.5],
	['007', 7],
	['1e3', 1000],
	...NO_NUMBERS.map((value) => [value, undefined]),
])('the number of %j is %j', (value, expected) => {
	expect(parseNumber(value)).toBe(expected);
});

describe('A time', () => {
	const noon = Date.UTC(2026, 0, 31, 12);
	const zoneBefore = process.env.TZ;
	afterAll(() => {
		process.env.TZ = zoneBefore;
	});

	it.each([
		['2026-01-31T12:00:00.000000Z', noon],
		['2026-01-31T13:00:00+01:00', noon],
		['2026-01-31T07:00', noon],
		['2026-01-31 07:00:00', noon],
		['2026-01-31 07:00:00.000', noon],
		['31.01.2026 7:00', noon],
		['31.1.2026, 07:00:00', noon],
		['2026-01-31', noon - 7 * 3_600_000],
		['31.1.2026', noon - 7 * 3_600_000],
		[noon, noon],
		[noon / 1000, noon],
		[String(noon / 1000), noon],
		[new Date(noon), noon],
		[DateTime.fromMillis(noon), noon],
	])('is read from %j in its own zone or else in that of the workflow', (value, expected) => {
		for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
			process.env.TZ = zone;
			expect(parseTimeMs(value, 'America/New_York')).toBe(expected);
		}
	});

	it.each([
		...[
			'Room 5',
			'01/02/2026 10:00',
			'31.2.2026',
			'31.1.26',
			'1.2.3',
			'2026',
			'12:30',
			'January 31, 2026',
			'tomorrow',
		],
		...['202601311230', '20260131', '2026-02-30', '2026-13-01'],
		...[20260131, 20260131123, 202601311230],
		...[5, '5', '', null, true, {}, NaN, new Date(NaN), '2026-01-31T08:00 and more', '+2026-01-31'],
	])('is not there: %j', (value) => {
		expect(parseTimeMs(value, 'utc')).toBeUndefined();
	});
});
