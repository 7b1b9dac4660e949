import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	readRefusal,
	retryAfterSeconds,
} from '../../../../nodes/FormService/api/rateLimiter/limits.ts';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:00 GMT');
const read = (value: unknown, date?: string) =>
	retryAfterSeconds({ 'retry-after': value, ...(date !== undefined && { date }) }, NOW);

describe('Retry-After', () => {
	// the examples of RFC 9110, sections 5.6.7 and 10.2.3, thirty-seven seconds ahead
	it.each([
		['Sun, 06 Nov 1994 08:49:37 GMT'],
		['Sunday, 06-Nov-94 08:49:37 GMT'],
		['Sun Nov  6 08:49:37 1994'],
	])('is a date in one of the three forms of HTTP: %s', (date) => {
		expect(read(date)).toBe(37);
	});

	it('is a date in the past, which is now', () => {
		expect(read('Fri, 31 Dec 1993 23:59:59 GMT')).toBe(0);
	});

	it('is a date against the date of the reply, whatever the clock here says', () => {
		const at = 'Fri, 31 Dec 1999 23:59:59 GMT';
		expect(read(at, 'Fri, 31 Dec 1999 23:59:29 GMT')).toBe(30);
	});

	it('is a date as ISO 8601 writes it, which some send', () => {
		expect(read('1994-11-06T08:49:37Z')).toBe(37);
		expect(read('1994-11-06T09:49:37.000+01:00')).toBe(37);
	});

	it.each([
		['120', 120],
		['0', 0],
		['12.5', 12.5],
		[' 7 ', 7],
		[7, 7],
		[['20', '30'], 20],
	])('is a number of seconds: %j', (value, seconds) => {
		expect(read(value)).toBe(seconds);
	});

	it.each([
		'1994-11-06T08:49:37',
		'06/11/1994 10:00',
		'Room 5',
		'Sun, 6 Nov 1994 08:49:37 +0000',
		'Sun, 06 Nov 1994 08:49:37',
		'1994-11-06',
	])('is no date without a zone or in another form, whatever the zone of n8n: %s', (value) => {
		expect(read(value)).toBeUndefined();
	});

	it.each(['', 'soon', '-1', '1e3', '12,5', '1.', '0x10', '12 seconds', '2001', null, {}])(
		'is nothing else that a date could be read from: %j',
		(value) => {
			expect(read(value)).toBe(value === '2001' ? 2_001 : undefined);
		},
	);
});

describe('A refusal whose headers make no sense', () => {
	const odd = fc.oneof(
		fc.string(),
		fc.integer().map(String),
		fc.nat({ max: 2 ** 53 - 1 }).map(String),
		fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
		fc.array(fc.constantFrom('0', '1', '99999999'), { maxLength: 2 }),
		fc.constantFrom('Fri, 31 Dec 9999 23:59:59 GMT', ' 0 ', '-5', '1e9'),
	);
	const names = ['retry-after', 'x-ratelimit-reset', 'x-ratelimit-limit', 'date'];

	it('is waited for at least a second and never longer than a day', () => {
		const headers = fc.dictionary(fc.constantFrom(...names), odd);
		fc.assert(
			fc.property(headers, (given) => {
				const { waitMs = 1_000 } = readRefusal(given, NOW);
				expect(waitMs).toBeGreaterThanOrEqual(1_000);
				expect(waitMs).toBeLessThanOrEqual(24 * 3_600_000 + 1_000);
			}),
			{ numRuns: 1_000 },
		);
	});
});
