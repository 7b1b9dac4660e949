import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRefusal, shownBy } from '../../../nodes/FormService/api/rateLimiter/limits.ts';
import { readContent, shapeOf, unwrap } from '../../../nodes/FormService/api/envelope.ts';
import { findList } from '../../../nodes/FormService/api/replies/findList.ts';
import { nextPage } from '../../../nodes/FormService/api/replies/nextPage.ts';
import { simplifyResponse } from '../../../nodes/FormService/api/answers/simplify.ts';
import { endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import { accountOf } from '../../../nodes/FormService/api/account.ts';
import { explain } from '../../../nodes/FormService/api/request/explain.ts';
import { readReply, successIn } from '../../../nodes/FormService/api/request/reply.ts';
import { decideRetry } from '../../../nodes/FormService/api/request/retry.ts';

const URL_OF_PAGE = 'https://forms.example.com/api/v1/responses/AbC123';

const read = (text: string | Buffer, type = 'application/json') =>
	readContent({ 'content-type': type }, Buffer.from(text));

describe('reading the body of a reply', () => {
	it('gives back any JSON as it is', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const content = read(JSON.stringify(value));
				expect(content).toEqual({ kind: 'json', value: JSON.parse(JSON.stringify(value)) });
			}),
		);
	});

	it('never takes a body that was cut for whole', () => {
		const body = JSON.stringify({ success: true, data: [{ uuid: 'a', value: 'ä€😀' }] });
		for (let length = 1; length < body.length; length++) {
			expect(read(body.slice(0, length)).kind).toBe('unreadable');
		}
	});

	it.each([
		['', 'empty'],
		[' \r\n', 'empty'],
		['<!DOCTYPE html><title>Log in</title>', 'webPage'],
		['<html lang="en">', 'webPage'],
		['Bad Gateway', 'unreadable'],
	])('tells %j apart as %s', (text, kind) => {
		expect(read(text).kind).toBe(kind);
	});

	it('refuses JSON of more than 100 levels, which n8n could not store', () => {
		const nested = (levels: number) => '[1,'.repeat(levels - 1) + '[]' + ']'.repeat(levels - 1);
		expect(read(nested(100)).kind).toBe('json');
		expect(read(nested(101)).kind).toBe('tooDeep');
		expect(read('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)).kind).toBe('tooDeep');
	});

	it('takes a text for a web page when its type says so', () => {
		expect(read('Please log in', 'text/html; charset=utf-8').kind).toBe('webPage');
	});

	it('reads JSON whatever its type says, also behind a byte order mark', () => {
		expect(read('\uFEFF{"success":true}', 'text/html')).toEqual({
			kind: 'json',
			value: { success: true },
		});
	});
});

describe('unwrapping the envelope', () => {
	it.each([
		{ success: false },
		{ success: 0 },
		{ success: 'False' },
		{ success: '0' },
		{ error: 'This form is closed' },
		{ error: { message: 'This form is closed' } },
		{ status: 'error', message: 'This form is closed' },
		{ errors: { name: ['Too long.'] }, message: 'Not valid' },
	])('sees the failure in %j', (value) => {
		expect(unwrap(value).failed).toBe(true);
	});

	it.each([
		{ success: true, error: 'none' },
		{ data: [], error: 'none' },
		{ uuid: 'a', error: 'none' },
		{ error: null, errors: [] },
		{ status: 'ok' },
	])('sees no failure in %j', (value) => {
		expect(unwrap(value).failed).toBe(false);
	});

	it('takes what comes without an envelope for the data', () => {
		expect(unwrap([1]).data).toEqual([1]);
		expect(unwrap({ pdf_url: 'a' }).data).toEqual({ pdf_url: 'a' });
	});

	it('takes the title and the detail of problem details (RFC 9457) for the message', () => {
		const problem = { type: 'about:blank', title: 'Not allowed.', detail: 'On the free plan.' };
		expect(unwrap({ ...problem, status: 403 }).message).toBe('Not allowed. On the free plan.');
		expect(unwrap({ title: 'Not allowed' }).message).toBe('Not allowed');
		expect(unwrap({ errors: [{ detail: 'Too long.', pointer: '#/name' }] }).details).toEqual([
			'Too long.',
		]);
	});

	it.each([
		{ id: 'AbC123', title: 'Survey' },
		{ success: true, title: 'Survey' },
		{ data: {}, title: 'Survey' },
	])('does not take the title of a record for a message: %j', (value) => {
		expect(unwrap(value).message).toBeUndefined();
	});

	it('collects the messages on single fields in each of their forms', () => {
		expect(unwrap({ errors: { name: ['Too long.'], captcha: 'No.' } }).details).toEqual([
			'name: Too long.',
			'captcha: No.',
		]);
		expect(unwrap({ errors: ['A', { message: 'B' }] }).details).toEqual(['A', 'B']);
	});
});

describe('the shape of a value in an error', () => {
	it('never tells a value', () => {
		fc.assert(
			fc.property(
				fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.constant('SECRET')),
				(value) => {
					expect(shapeOf(value)).not.toContain('SECRET');
					expect(shapeOf([value])).not.toContain('SECRET');
				},
			),
		);
	});
});

describe('any status, headers and body', () => {
	const headers = fc.dictionary(
		fc.constantFrom(
			'content-type',
			'retry-after',
			'date',
			'location',
			'x-ratelimit-limit',
			'x-ratelimit-remaining',
			'x-ratelimit-reset',
			'content-disposition',
		),
		fc.oneof(
			fc.string(),
			fc.integer().map(String),
			fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
			fc.array(fc.string(), { maxLength: 2 }),
			fc.constantFrom('text/html', 'application/json', '/login', 'https://evil.example/', '//'),
		),
	);
	const body = fc.oneof(
		fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
		fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text)),
		fc
			.tuple(fc.json({ maxDepth: 3 }), fc.nat(60))
			.map(([text, length]) => Buffer.from(text.slice(0, length))),
		fc
			.record(
				{
					success: fc.boolean(),
					message: fc.string(),
					data: fc.jsonValue({ maxDepth: 4 }),
					errors: fc.jsonValue({ maxDepth: 3 }),
					links: fc.jsonValue({ maxDepth: 3 }),
					meta: fc.jsonValue({ maxDepth: 3 }),
					next: fc.jsonValue({ maxDepth: 1 }),
				},
				{ requiredKeys: [] },
			)
			.map((value) => Buffer.from(JSON.stringify(value))),
	);
	const account = accountOf({ accessToken: 'token', baseUrl: 'https://forms.example.com' });
	const endpoint = fc.constantFrom(...Object.values(endpoints));

	it('are read, explained and judged without a crash or a hang, 15,000 times', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 100, max: 599 }),
				headers,
				body,
				endpoint,
				fc.boolean(),
				fc.boolean(),
				async (status, given, bytes, { effect }, tooLarge, mayHaveActed) => {
					const reply = { kind: 'reply', status, headers: given, body: bytes, tooLarge } as const;
					const read = readReply(reply, account);
					if (successIn(read) === undefined) {
						const failed = { effect, account, tries: 1, mayHaveActed };
						const { message, description, httpCode } = explain(read, failed);
						expect(message).toMatch(/\S/);
						expect(description).toMatch(/\S/);
						expect(httpCode).toBe(String(status));
					}
					const tries = { sent: 14, rateLimited: 10 };
					expect(decideRetry(effect.kind, read, tries, 0.5, 0)).toBeUndefined();
					expect(shownBy(given)?.limit ?? 0).toBeGreaterThanOrEqual(0);
					expect(readRefusal(given, 1_800_000_000_000).waitMs ?? 1).toBeGreaterThan(0);
					const content = readContent(given, bytes);
					if (content.kind !== 'json') return;
					const listing = findList(content.value);
					expect(['none', 'at', 'unknown']).toContain(
						nextPage(given, listing?.around ?? [], {
							url: URL_OF_PAGE,
							pages: 1,
							records: listing?.records.length ?? 0,
							shown: listing?.records.length ?? 0,
						}).kind,
					);
					for (const record of listing?.records ?? []) {
						expect(simplifyResponse(record)).toBeTypeOf('object');
					}
				},
			),
			{ numRuns: 15_000 },
		);
	}, 120_000);
});
