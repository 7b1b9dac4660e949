import { DateTime } from 'luxon';
import { afterEach, expect, it, vi } from 'vitest';
import {
	findErrorValue,
	parseBoolean,
	parseNumber,
	parseTimeMs,
} from '../../../nodes/FormService/api/values.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
	...[true, 1, '1', 'true', ' yes ', 'On\u200b'].map((value) => [value, true]),
	...[false, 0, 'FALSE', ' no ', 'OFF'].map((value) => [value, false]),
	...[undefined, null, '', 2, 'perhaps', {}, [1], '01'].map((value) => [value, undefined]),
])('The boolean of %j is %j', (value, expected) => {
	expect(parseBoolean(value)).toBe(expected);
});

const NO_NUMBERS = [
	...['1.000', '1.000,5', '1,000', '1 000', '-12.345', '1,000.5', '2,5', '5 kg', '1e3', '0x10'],
	...[null, true, '', ' ', '.5', '--1', NaN, Infinity, '9'.repeat(400)],
];
it.each([
	...[
		[5, 5],
		['19.90', 19.9],
		['0.125', 0.125],
		['1234.567', 1234.567],
		['+5', 5],
		['007', 7],
	],
	[' -2.5\u00a0', -2.5],
	...NO_NUMBERS.map((value) => [value, undefined]),
])('The number of %j is %j', (value, expected) => {
	expect(parseNumber(value)).toBe(expected);
});

const noon = Date.UTC(2026, 0, 31, 12);

it.each([
	['2026-01-31T12:00:00.000000Z', noon],
	['2026-01-31 07:00:00', noon],
	['\u200e31.1.2026, 07:00:00', noon],
	['2026-01-31', noon - 7 * 3_600_000],
	[String(noon / 1000), noon],
	[new Date(noon), noon],
	[DateTime.fromMillis(noon), noon],
])('A time is read from %j in its own zone or else in that of the workflow', (value, expected) => {
	for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
		vi.stubEnv('TZ', zone);
		expect(parseTimeMs(value, 'America/New_York')).toBe(expected);
	}
});

it.each([
	...['Room 5', '31.2.2026', '31.1.26', '2026-01', '12:30'],
	...['20260131', '2026-02-30', '2026-13-01', '2026-01-31T08:00 and more'],
	...[20260131, 202601311230, 5, '', null, true, {}, NaN, new Date(NaN)],
])('%j is no time', (value) => {
	expect(parseTimeMs(value, 'utc')).toBeUndefined();
});

it.each(['31/12/2026', '12/31/2026 10:00', '31-12-2026', '1/2/26', '2026/12/31'])(
	'No time is read from a date in another order: %s',
	(value) => {
		expect(parseTimeMs(value, 'utc')).toBeUndefined();
	},
);

it.each([
	...'#N/A #NV #N/D #REF! #DIV/0! #NAME? #¿NOMBRE? #ССЫЛКА! #ÜBERLAUF! #NÚM!'.split(' '),
	...['NaN', 'undefined', '-Infinity', '[undefined]', 'Invalid Date', '[object Object]'],
])('%j is an error value', (text) => {
	for (const spelling of [text, ` ${text}\n`, text.normalize('NFD')])
		expect(findErrorValue(['A', spelling])).toBe(text);
});

it.each(['#WERT', '#love?', '#1!', '#', 'REF!', 'Number #1', '∞', 'see #REF!', 5])(
	'%j is an answer',
	(value) => expect(findErrorValue(value)).toBeUndefined(),
);
