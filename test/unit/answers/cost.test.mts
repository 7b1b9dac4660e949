import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { sum } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { OPERATORS, type Operator } from '../../../nodes/FormService/answers/conditions.ts';
import { findResponses } from '../../../nodes/FormService/answers/findResponses.ts';
import { findField, parseFields } from '../../../nodes/FormService/answers/fields.ts';
import {
	encodeAnswer,
	fieldKinds,
	normalizeAnswer,
	type FieldKind,
} from '../../../nodes/FormService/answers/fieldKinds.ts';
import { hasUnknownAnswer } from '../../../nodes/FormService/answers/matchAnswers.ts';
import { createFileFieldNames } from '../../../nodes/FormService/api/text.ts';
import {
	createJson,
	createResponseItem,
	type ResponseOutput,
} from '../../../nodes/FormService/answers/responseItem.ts';
import { parseFile } from '../../../nodes/FormService/answers/decode.ts';
import { checkLink } from '../../../nodes/FormService/api/files/checkLink.ts';
import { cpuTimeOf } from '../cpuTime.mts';

const types = Object.keys(fieldKinds) as FieldKind[];
const choices = ['a', 'b'].map((name) => ({ name, value: name }));
const ofEachType = types.map((type) => ({ uuid: type, label: type }));
const fields = parseFields(ofEachType, { columns: true }).map((field, index) => {
	return { ...field, kind: types[index], choices };
});
let type = types[0];
const recordOf = (value: unknown) =>
	({ uuid: 'r', responses: [{ key: type, value }] }) as IDataObject;

const output = { simplify: true, columns: true } as ResponseOutput;
const ORIGIN = 'https://forms.example.com';
const none = { combinator: 'all', conditions: [], zone: 'utc' } as const;
const all = { sort: 'newest', conditions: none } as const;

/** All that reads what a respondent wrote, or the links of a service. */
const readers: Record<string, (text: string) => unknown> = {
	simplify: (text) => createJson(recordOf(text), { ...output, columns: false }),
	columns: (text) => createJson(recordOf([text]), output, fields),
	'match a label': (text) => createJson({ responses: { [text]: text } }, output, fields),
	compare: (text) => normalizeAnswer(findField(type, fields)!, text),
	send: (text) => encodeAnswer(text, findField(type, fields)!, { zone: 'utc' }),
	find: async (text) => await findResponses([recordOf(text)], { ...all, text: 'needle' }),
	file: (text) => parseFile('x.pdf|http://h/' + text, true) ?? parseFile(text + '|http://h/'),
	'link to a file': (text) => checkLink(`https://${text}`, ORIGIN, ORIGIN, 'upload'),
	'name of a file': (text) => createFileFieldNames([text, text]),
	conditions: async (text) => {
		const conditions = (Object.keys(OPERATORS) as Operator[]).map((operator) => {
			return { field: type, operator, value: '2026-01-31' };
		});
		const wanted = { ...all, conditions: { ...none, conditions } };
		await findResponses([recordOf(text)], wanted, fields);
	},
};

/** Pieces that patterns for lists, files, links, addresses, numbers and times try again and again. */
const piece = fc.oneof(
	fc.constantFrom(
		...[',', ', ', ';', '\n', ' ', '\t', '|', '/', '.', '_', '-', '?', '#', ':', '"', '\\'],
		...['.a?', '.a', 'a.', '9', '9,', '9.', '1e', '0x', 'T', '2026-01-31 ', '2026-01-31T08:00'],
		...['|http://', '|http://h', '|http://h/', 'a.pdf|http://h/,', 'a.pdf|http://h/a.pdf, '],
		...['x|https://h/?q=', 'http://', '[', '{', '[{"a":', 'e\u0301', '\u1100\u1161', '\u0300', 'İ'],
	),
	fc.string({
		unit: fc.constantFrom(...'<>;,="\\ a.%25/?@:['.split(''), 'rel', 'next', 'localhost'),
		minLength: 1,
		maxLength: 8,
	}),
);
const start = fc.constantFrom('', 'x', '"', 'a.pdf|http://h/', '2026-01-31T', '9');
const end = fc.constantFrom('', 'x', '|', '!', '.pdf|http://h/x');
const unit = fc.array(piece, { minLength: 1, maxLength: 2 }).map((pieces) => pieces.join(''));
const hostile = fc.tuple(start, unit, end);

/** The least of a few tries, since garbage of earlier ones is collected at some time. */
async function leastOf(read: () => unknown, enough: number): Promise<number> {
	let least = Infinity;
	for (let tries = 0; tries < 4 && least > enough; tries++)
		least = Math.min(least, await cpuTimeOf(read));
	return least;
}

it.each(Object.entries(readers))('A long text is read in linear time: %s', async (_, read) => {
	const anyType = fc.constantFrom(...types);
	const property = fc.asyncProperty(anyType, hostile, async (ofType, [first, unit, last]) => {
		type = ofType;
		const [short, long] = [25_000, 250_000].map(
			(length) => first + unit.repeat(Math.ceil(length / unit.length)) + last,
		);
		const least = await leastOf(() => read(short), 2);
		const most = await leastOf(() => read(long), 40);
		// ten times as long if the time is linear, a hundred times if it is quadratic; what a busy machine
		// adds, it adds to both
		expect(most).toBeLessThan(Math.max(120, 50 * least));
	});
	await fc.assert(property, { numRuns: 40 });
});

/** Searches and filters 10,000 responses of 80 answers, which all meet the filters, and turns them into columns. */
async function readResponses(): Promise<number> {
	const labels = Array.from({ length: 80 }, (_, index) => `Question ${index}`);
	const form = labels.map((label, id) => ({ id, label }));
	const fields = parseFields(form, output);
	const records = Array.from({ length: 10_000 }, (_, number): IDataObject => {
		return { number, responses: labels.map((key) => ({ key, value: `Answer ${number}` })) };
	});
	const condition = { field: 'Question 1', operator: 'isNotEmpty', value: '' } as const;
	const wanted = { ...all, text: 'answer', conditions: { ...none, conditions: [condition] } };
	const found = await findResponses(records, wanted, fields);
	await hasUnknownAnswer(found, fields);
	for (const record of found) await createResponseItem({} as never, record, output, fields);
	return found.length;
}

/** The processor time of work that every machine has to do: reading the same answers from JSON, several times. */
async function measureReference(): Promise<number> {
	const responses = Array(80).fill({ key: 'Question', value: 'x' });
	const text = JSON.stringify(Array(500).fill({ responses }));
	return await cpuTimeOf(async () => {
		for (let reading = 0; reading < 40; reading++) JSON.parse(text);
	});
}

it(
	'10,000 responses of 80 answers cost less than twenty times as much as reading them from JSON, in pieces below 50 ms',
	{ retry: 2 },
	async () => {
		const referenceMs = await measureReference();
		const piecesMs: number[] = [];
		let isDone = false;
		const reading = readResponses().finally(() => (isDone = true));
		while (!isDone) piecesMs.push(await cpuTimeOf(setImmediate));
		expect(await reading).toBe(10_000);
		expect(sum(piecesMs) / referenceMs).toBeLessThan(20);
		expect(Math.max(...piecesMs)).toBeLessThan(50);
	},
);
