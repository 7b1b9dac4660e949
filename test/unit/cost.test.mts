import { attempt } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { parseUpload } from '../../nodes/FormService/answers/decode.ts';
import { encodeAnswer } from '../../nodes/FormService/answers/encode.ts';
import {
	fieldKinds,
	normalizeAnswer,
	type FieldKind,
} from '../../nodes/FormService/answers/fieldKinds.ts';
import { parseFields } from '../../nodes/FormService/answers/fields.ts';
import { findResponses } from '../../nodes/FormService/answers/findResponses.ts';
import { createJson, type ResponseOutput } from '../../nodes/FormService/answers/responseItem.ts';
import { checkLink } from '../../nodes/FormService/api/files/checkLink.ts';
import { createFileFieldNames } from '../../nodes/FormService/api/text.ts';

/** Milliseconds of this thread's own work: the machine has other work too. */
async function cpuTimeOf(work: () => unknown): Promise<number> {
	const before = process.threadCpuUsage();
	await work();
	const { user, system } = process.threadCpuUsage(before);
	return (user + system) / 1_000;
}

const output = { simplify: true, columns: true } as ResponseOutput;
const kinds = Object.keys(fieldKinds) as FieldKind[];
const choices = ['a', 'b'].map((name) => ({ name, value: name }));
const fields = parseFields(kinds.map((kind) => ({ uuid: kind, label: kind }))).map(
	(field, index) => ({ ...field, kind: kinds[index], choices }),
);
const recordOf = (text: string): IDataObject => ({
	responses: kinds.map((key) => ({ key, value: text })),
});
const find = async (text: string) => {
	const condition = { field: 'text', operator: 'contains', value: 'x', zone: 'utc' } as const;
	const conditions = { combinator: 'all', conditions: [condition] } as const;
	const query = { text: 'x', conditions, sort: 'newest' } as const;
	return await findResponses([recordOf(text)], query, fields);
};
const ORIGIN = 'https://forms.example.com';

/** All that reads what a respondent wrote. */
const readers: Record<string, (text: string) => unknown> = {
	columns: (text) => createJson(recordOf(text), output, fields),
	label: (text) => createJson({ responses: { [text]: text } }, output, fields),
	compare: (text) => fields.map((field) => normalizeAnswer(field, text)),
	send: (text) => fields.map((field) => encodeAnswer(text, field, { zone: 'utc' })),
	find,
	file: (text) => parseUpload(`x.pdf|http://h/${text}`, true) ?? parseUpload(`${text}|http://h/`),
	link: (text) => attempt(checkLink, `https://${text}`, ORIGIN, ORIGIN, 'upload'),
	'binary field': (text) => createFileFieldNames([text, text]),
};

/** Pieces that patterns for lists, files, links, numbers and times try again and again. */
const PIECES = [
	...[',', ', ', '\n', ' ', '.', '_', '|', '/', '9', '9.', '.a', 'a.', '[', '"', '\\', 'İ'],
	...['|http://h/', 'a.pdf|http://h/a.pdf, ', '2026-01-31 ', 'e\u0301', '\u0300', '\u200b'],
];

it.each(Object.keys(readers))('A text of 100,000 characters is read at once: %s', async (name) => {
	for (const piece of PIECES) {
		const text = `x${piece.repeat(100_000 / piece.length)}!`;
		// in quadratic time, it would be over 10 seconds
		expect(await cpuTimeOf(() => readers[name](text)), piece).toBeLessThan(2_000);
	}
});
