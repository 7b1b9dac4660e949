import { inspect } from 'node:util';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { encodeAnswer } from '../../../nodes/FormService/answers/encode.ts';
import {
	fieldKinds,
	findFieldKind,
	getExampleAnswer,
	normalizeAnswer,
	parseAnswer,
	type FieldKind,
} from '../../../nodes/FormService/answers/fieldKinds.ts';

const FIELD_KINDS = Object.keys(fieldKinds) as FieldKind[];
const choices = [
	{ name: 'Red', value: 'r' },
	{ name: 'Blue, dark', value: 'b' },
	{ name: 'Two', value: 2 },
	{ name: 'نعم', value: 'نعم' },
	// the name of one choice is the value of another
	{ name: 'b', value: 'Green' },
];
const fieldOf = (kind: FieldKind) => ({ kind, choices: /Choice/.test(kind) ? choices : [] });

it.each<[FieldKind, string]>([
	['file', 'file file_upload upload attachment'],
	['date', 'date Date'],
	['dateTime', 'datetime date_time dateTime datetime-local'],
	['number', 'number integer decimal rating scale NPS'],
	['boolean', 'boolean toggle yes_no yesNo checkbox'],
	['multipleChoice', 'multiple_choice multipleChoice multi_select checkboxes'],
	['singleChoice', 'select dropdown radio radios single_choice'],
	['text', 'text profile filename anything'],
])('A field of the kind %s has a type such as %s', (kind, types) => {
	for (const type of types.split(' ')) expect(findFieldKind({ type }), type).toBe(kind);
});

const VALUES = [
	...[undefined, null, '', '\u202a\u00a0\u202c', [], [null], { a: 1 }, [{ a: 1 }]],
	...[' Ada\u00a0\u200bL ', ['Red', 2, true, null, 0.5], true, 'No', 'perhaps', ['yes']],
	...[0, 2.5, 2 ** 53, 20261122000000016, '9007199254740993', '123456789012345', '007', ' 03.0 '],
	...['1.000', '1,000', '1e3', '9,99', ' -0.50 ', '+49 151 1234', '\u202a+49\u00a0151 1234\u202c'],
	...[DateTime.fromISO('2026-11-21', { zone: 'utc+1' }), new Date('2026-01-31'), 1767225600],
	...['2026-07-31 08:00:30', '2026-01-31T08:00Z', '2026-01-31T03:00-05:00', '31.12.2026, 8:30'],
	...['2026-12-31', '31.12.2026', '2026-01-31T04:59:59Z', '2026-01-30T19:00:00-05:00'],
	// midnight in UTC, as a database node gives a day in most containers
	...[' 2026-01-31 00:00:00+00 ', '2026-01-31T00:00:00Z'],
	...['2026-01', '31/01/2026', '31.02.2026', [1767225600, 1767225601]],
	...[' red', 'r', '\u200fنعم', 'b', 2, '2', 'own', ['Red'], ['Red', 'Two'], ['Red', 2, 'red']],
	...['Red, Two', 'Two, Blue, dark,RED', 'Red, own', ['Red', '1,234'], { 0: 'Red', 2: 'Two' }],
	...['scan|https://h/1', { 3: 'scan|https://h/1' }],
	...[{ name: 'a b.pdf', url: 'https://h/a%20b.pdf' }, [' https://h/a,b;c.pdf ']],
	...['ftp://h/a.pdf', { name: 'a' }, 'https://h/a, https://h/b'],
];

const show = (value: unknown) =>
	DateTime.isDateTime(value) ? value.toISO() : inspect(value, { breakLength: Infinity });

/** What a field sends of a value, how an item shows it if it is listed and changes, and what it is compared by. */
function describeUse(kind: FieldKind, value: unknown): string {
	const field = fieldOf(kind);
	const [sent, sentAsOther] = [false, true].map((allowOther) => {
		const result = encodeAnswer(value, field, { zone: 'America/New_York', allowOther });
		return 'problem' in result ? 'refused' : `sent ${show(result.answer)}`;
	});
	const listed = parseAnswer(value as never, field);
	const compared = normalizeAnswer(field, value);
	return [
		show(value),
		sent,
		...(sentAsOther === sent ? [] : [`${sentAsOther} as "Other"`]),
		...(show(listed) === show(value) ? [] : [`listed ${show(listed)}`]),
		...(compared === undefined ? [] : [`compared ${show(compared)}`]),
	].join(' | ');
}

it('Each kind of field sends, lists and compares values as fieldKinds.txt says', async () => {
	const parts = FIELD_KINDS.map((kind) => {
		const example = getExampleAnswer(fieldOf(kind));
		const lines = [...VALUES, example].map((value) => describeUse(kind, value));
		const used = lines.filter((line) => !line.endsWith(' | refused'));
		return [`# ${kind}`, ...used].join('\n');
	});
	await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot('fieldKinds.txt');
});
