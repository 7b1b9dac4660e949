import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { parseFields } from '../../../nodes/FormService/answers/fields.ts';
import {
	createJson,
	type ResponseOutput,
} from '../../../nodes/FormService/answers/responseItem.ts';
import { assignFields } from '../../../nodes/FormService/resources/response/encodeAnswers.ts';

/** What Map Automatically takes from an input item, by the UUID of the field. */
function mapAutomatically(json: IDataObject, records: IDataObject[]) {
	const fields = parseFields(records, { columns: true });
	const rest = { mapperNames: new Map<string, string>(), allowsOther: true, allowsMissing: true };
	const { answers } = assignFields({ mode: 'auto', values: json, ...rest }, fields);
	const found = answers.filter(({ field, value }) => field !== undefined && value !== null);
	return found.map(({ field, value }) => [field!.uuid, value]).toSorted();
}

const simplified = { simplify: true } as ResponseOutput;

const KNOWN_LABELS = [
	...'Number|number|Number (2)|event|Form|UUID|created_at|2026|id| id |é|E\u0301|name'.split('|'),
	...'answers|responses|other_answers'.split('|'),
	...'__proto__|constructor|Straße|STRASSE|a\u00a0b|A b|a b|\u202aName\u202c'.split('|'),
];

const label = fc.oneof(fc.constantFrom(...KNOWN_LABELS, '', ' '), fc.string({ unit: 'grapheme' }));

it('The output of this package gives the same answers to Create, whatever the fields are called', () => {
	fc.assert(
		fc.property(fc.array(label, { maxLength: 6 }), fc.nat(), (labels, unanswered) => {
			const fields = labels.map((text, index) => ({ uuid: `f${index}`, label: text }));
			const responses = labels.map((key, index) => ({
				key,
				value: index === unanswered % 8 ? null : `answer ${index}`,
			}));
			const own = { number: 7, created_at: '2026-01-31T08:00:00Z', is_incomplete: false };
			const record = { uuid: 'r1', ...own, referrer: 'https://example.com', responses };
			const columns = { ...simplified, columns: true };
			const row = createJson(record, columns, parseFields(fields, { columns: true }));
			const inTrigger = { ...row, response_event: 'responseCompleted', response_form: 'Orders' };
			const outputs: IDataObject[] = [record, row, inTrigger];
			for (const known of [undefined, parseFields(fields)]) {
				const event = { event: 'responseCompleted', form: { id: 'aB3xY9' } };
				outputs.push({ ...event, ...createJson(record, simplified, known) });
			}
			const answers = responses.map(({ value }, index) => [`f${index}`, value]);
			const answered = answers.filter(([, value]) => value !== null).toSorted();
			for (const output of outputs) expect(mapAutomatically(output, fields)).toEqual(answered);
		}),
		{ numRuns: 500 },
	);
});
