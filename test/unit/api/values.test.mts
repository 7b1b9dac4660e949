import { inspect } from 'node:util';
import { DateTime } from 'luxon';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
	findErrorValue,
	parseBoolean,
	parseDay,
	parseNumber,
	parseTimeMs,
	parseUtcMidnight,
} from '../../../nodes/FormService/api/values.ts';

const noon = Date.UTC(2026, 0, 31, 12);

const VALUES = [
	...[true, 1, '1', 'true', ' yes ', 'On\u200b', false, 0, 'FALSE', 'no', 'OFF', 2, 'perhaps'],
	...[undefined, null, '', ' ', {}, [1], '01', 'Room 5'],
	// numbers, and what can mean two numbers
	...['19.90', '0.125', '1234.567', '+5', '007', ' -2.5\u00a0', '1.000', '1.000,5', '1,000'],
	...['-12.345', '1 000', '2,5', '5 kg', '1e3', '0x10', '.5', '--1'],
	...[NaN, Infinity, '9'.repeat(400)],
	// times, in their own zone or that of the workflow
	...['2026-01-31T12:00:00.000000Z', '2026-01-31T13:00:00+01:00', '2026-01-31 07:00:00'],
	...['31.01.2026 7:00', '\u200e31.1.2026, 07:00:00', '2026-01-31', '31.1.2026'],
	...[noon, noon / 1_000, String(noon / 1_000), new Date(noon), DateTime.fromMillis(noon)],
	// days as databases give them
	...['2026-01-31T00:00:00Z', '2026-01-31 00:00:00+00', '2026-01-30T19:00:00-05:00'],
	...[new Date('2026-01-31'), DateTime.fromISO('2026-01-30T19:00', { zone: 'America/New_York' })],
	...['31.2.2026', '31.1.26', '2026', '2026-01', '12:30', 'January 31, 2026', '2026-02-30'],
	...['2026-01-31T08:00 and more', '31/12/2026', '12/31/2026 10:00', '31-12-2026', '2026/12/31'],
	...[20260131, 202601311230, 5, new Date(NaN)],
	// what a mistake in the source of the data leaves, and what looks like it
	...'#N/A #NV #REF! #DIV/0! #NAME? #¿NOMBRE? #ССЫЛКА! #ÜBERLAUF! #love? #1! # REF!'.split(' '),
	...['NaN', 'undefined', '-Infinity', 'Invalid Date', '[object Object]', 'see [object Object]'],
	...[['A', ' #NU\u0301M!\n'], '#WERT', 'Number #1', '∞', 'see #REF!'],
];

const readers: Record<string, (value: unknown) => unknown> = {
	boolean: parseBoolean,
	number: parseNumber,
	time: (value) => {
		const timeMs = parseTimeMs(value, 'America/New_York');
		return timeMs && new Date(timeMs).toISOString();
	},
	day: parseDay,
	midnight: parseUtcMidnight,
	error: findErrorValue,
};

function describeReading(value: unknown): string {
	const shown = typeof value === 'string' ? JSON.stringify(value) : inspect(value);
	const results = Object.entries(readers).flatMap(([name, read]) => {
		const result = read(value);
		return result === undefined ? [] : [`${name} ${String(result)}`];
	});
	return [DateTime.isDateTime(value) ? value.toISO() : shown, ...results].join(' | ');
}

it.each(['UTC', 'Pacific/Auckland'])(
	'Values are read as values.txt says, on a machine in the zone %s',
	async (zone) => {
		vi.stubEnv('TZ', zone);
		onTestFinished(() => void vi.unstubAllEnvs());
		const text = VALUES.map(describeReading).join('\n');
		await expect(`${text}\n`).toMatchFileSnapshot('values.txt');
	},
);
