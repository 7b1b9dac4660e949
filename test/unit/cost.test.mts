import { attempt } from 'lodash';
import { expect, it } from 'vitest';
import { parseUpload } from '../../nodes/FormService/answers/decode.ts';
import { encodeAnswer } from '../../nodes/FormService/answers/encode.ts';
import { parseFields } from '../../nodes/FormService/answers/fields.ts';
import { findResponses } from '../../nodes/FormService/answers/findResponses.ts';
import { createJson, type ResponseOutput } from '../../nodes/FormService/answers/responseItem.ts';
import { checkLink } from '../../nodes/FormService/api/files/checkLink.ts';

const KINDS = 'file date dateTime number boolean multipleChoice singleChoice text'.split(' ');
const options = ['a', 'b'];
const fields = parseFields(KINDS.map((type) => ({ uuid: type, label: type, type, options })));
const recordOf = (text: string) => ({ responses: KINDS.map((key) => ({ key, value: text })) });
const columns = { simplify: true, columns: true } as ResponseOutput;
const condition = { operator: 'contains', value: 'x', zone: 'utc' } as const;
const conditions = {
	combinator: 'any' as const,
	conditions: KINDS.map((field) => ({ field, ...condition })),
};
const ORIGIN = 'https://forms.example.com';

/** What reads the texts of respondents. */
const readers: Record<string, (text: string) => unknown> = {
	list: (text) => createJson(recordOf(text), columns, fields),
	send: (text) => fields.map((field) => encodeAnswer(text, field, { zone: 'utc' })),
	find: async (text) =>
		await findResponses([recordOf(text)], { text: 'x', conditions, sort: 'newest' }, fields),
	file: (text) => parseUpload(`x.pdf|http://h/${text}`, true) ?? parseUpload(`${text}|http://h/`),
	link: (text) => attempt(checkLink, `https://${text}`, ORIGIN, ORIGIN, 'upload'),
};

/** Pieces that patterns for lists, files, links, numbers and times try again and again. */
const PIECES = [
	...[',', ', ', '\n', ' ', '.', '_', '|', '/', '9', '9.', '.a', 'a.', '[', '"', '\\', 'İ'],
	...['|http://h/', 'a.pdf|http://h/a.pdf, ', '2026-01-31 ', 'e\u0301', '\u0300', '\u200b'],
];

it.each(Object.keys(readers))('A text of 100,000 characters is read at once: %s', async (name) => {
	for (const piece of PIECES) {
		const text = `x${piece.repeat(100_000 / piece.length)}!`;
		// this thread's own work, because the machine has other work too
		const before = process.threadCpuUsage();
		await readers[name](text);
		const { user, system } = process.threadCpuUsage(before);
		// microseconds; in quadratic time, it would be over 10 seconds
		expect(user + system, piece).toBeLessThan(2_000_000);
	}
});
