import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import lodash from 'lodash';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { expect, it, onTestFinished } from 'vitest';
import { parseFile } from '../../nodes/FormService/answers/decode.ts';
import {
	fieldKinds,
	normalizeAnswer,
	type FieldKind,
} from '../../nodes/FormService/answers/fieldKinds.ts';
import { encodeAnswer } from '../../nodes/FormService/answers/encode.ts';
import { parseFields } from '../../nodes/FormService/answers/fields.ts';
import { findResponses } from '../../nodes/FormService/answers/findResponses.ts';
import { createJson, type ResponseOutput } from '../../nodes/FormService/answers/responseItem.ts';
import { createAccount } from '../../nodes/FormService/api/account.ts';
import { clock } from '../../nodes/FormService/api/clock.ts';
import { createTarget, endpoints } from '../../nodes/FormService/api/endpoints.ts';
import { checkLink } from '../../nodes/FormService/api/files/checkLink.ts';
import { fetchRecords } from '../../nodes/FormService/api/replies/fetchPages.ts';
import type { RequestContext } from '../../nodes/FormService/api/requestContext.ts';
import { createFileFieldNames } from '../../nodes/FormService/api/text.ts';
import { VirtualTime } from '../time.mts';

/** Milliseconds of this thread's own work: the machine has other work too. */
async function cpuTimeOf(work: () => unknown): Promise<number> {
	const before = process.threadCpuUsage();
	await work();
	const { user, system } = process.threadCpuUsage(before);
	return (user + system) / 1_000;
}

/** For ten times the work: what is linear takes about 10 times as long, what is quadratic 100 times. */
const MOST = 20;

/** How much longer the larger work takes. The least of some tries, since other work and garbage disturb. */
async function compareTimes(
	small: () => unknown,
	large: () => unknown,
	most = MOST,
): Promise<number> {
	let ratio = Infinity;
	for (let tries = 0; tries < 10 && ratio >= most; tries++) {
		// shorter times than 2 ms say nothing
		const smallMs = Math.max(2, await cpuTimeOf(small));
		ratio = Math.min(ratio, (await cpuTimeOf(large)) / smallMs);
	}
	return ratio;
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
const find = async (...records: IDataObject[]) => {
	const condition = { field: 'text', operator: 'contains', value: 'x', zone: 'utc' } as const;
	const conditions = { combinator: 'all', conditions: [condition] } as const;
	return await findResponses(records, { text: 'x', conditions, sort: 'newest' }, fields);
};
const ORIGIN = 'https://forms.example.com';

/** All that reads what a respondent wrote. */
const readers: Record<string, (text: string) => unknown> = {
	columns: (text) => createJson(recordOf(text), output, fields),
	label: (text) => createJson({ responses: { [text]: text } }, output, fields),
	compare: (text) => fields.map((field) => normalizeAnswer(field, text)),
	send: (text) => fields.map((field) => encodeAnswer(text, field, { zone: 'utc' })),
	find: async (text) => await find(recordOf(text)),
	file: (text) => parseFile(`x.pdf|http://h/${text}`, true) ?? parseFile(`${text}|http://h/`),
	link: (text) => lodash.attempt(checkLink, `https://${text}`, ORIGIN, ORIGIN, 'upload'),
	'binary field': (text) => createFileFieldNames([text, text]),
};

/** Pieces that patterns for lists, files, links, numbers and times try again and again. */
const PIECES = [
	...[',', ', ', '\n', ' ', '.', '_', '|', '/', '9', '9.', '.a', 'a.', '[', '"', '\\', 'İ'],
	...['|http://h/', 'a.pdf|http://h/a.pdf, ', '2026-01-31 ', 'e\u0301', '\u0300', '\u200b'],
];

it.each(Object.keys(readers))('A long text is read in linear time: %s', async (name) => {
	for (const piece of PIECES) {
		const read = (length: number) => {
			const text = `x${piece.repeat(length / piece.length)}!`;
			return async () => await readers[name](text);
		};
		expect(await compareTimes(read(10_000), read(100_000)), piece).toBeLessThan(MOST);
	}
});

/** Reads a list of so many pages of 100 responses. */
async function readPages(pages: number): Promise<void> {
	const account = createAccount({ accessToken: lodash.uniqueId('token'), baseUrl: ORIGIN });
	const send = async (_credential: string, { url }: IHttpRequestOptions) => {
		const page = Number(new URL(url).searchParams.get('page') ?? 1);
		const data = lodash.range(100).map((index) => ({ uuid: `${page}-${index}`, responses: [] }));
		const text = JSON.stringify({ data, meta: { current_page: page, last_page: pages } });
		const body = Readable.from([Buffer.from(text)]);
		return await Promise.resolve({ statusCode: 200, headers: {}, body });
	};
	const n8n = { helpers: { httpRequestWithAuthentication: send } } as unknown;
	const context = { n8n, account, priority: 'low' } as RequestContext;
	const target = createTarget(account, endpoints.listResponses, { formId: 'aB3xY9' });
	expect(await fetchRecords(context, target)).toHaveLength(100 * pages);
}

it('A list of ten times as many pages takes about ten times as long', async () => {
	const real = { ...clock };
	onTestFinished(() => void Object.assign(clock, real));
	const time = new VirtualTime();
	Object.assign(clock, lodash.pick(time, ['now', 'monotonicMs', 'sleep']));
	const read = (pages: number) => async () => await time.waitFor(readPages(pages));
	expect(await compareTimes(read(48), read(480), 12)).toBeLessThan(12);
});

it('A search of many responses lets others work meanwhile', async () => {
	const records = lodash.range(50_000).map((index) => recordOf(`An answer, x${index}`));
	let [isDone, longestMs] = [false, 0];
	const search = async () => await find(...records).finally(() => (isDone = true));
	const found = setImmediate().then(search);
	while (!isDone) longestMs = Math.max(longestMs, await cpuTimeOf(setImmediate));
	expect(await found).toHaveLength(50_000);
	expect(longestMs).toBeLessThan(150);
});
