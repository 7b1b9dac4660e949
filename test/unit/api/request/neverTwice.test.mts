import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/lib/paths.mts';
import { endpoints } from '../../../../nodes/FormService/api/endpoints.ts';
import { parseReply } from '../../../../nodes/FormService/api/request/callApi.ts';
import { computeRetryDelayMs } from '../../../../nodes/FormService/api/request/callApi.ts';
import {
	createTransportFailure,
	type Reply,
} from '../../../../nodes/FormService/api/request/sendOnce.ts';
import type { RequestFailure } from '../../../../nodes/FormService/api/requestFailure.ts';

const uuid = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';
const json = (...bodies: unknown[]) => bodies.map((body) => JSON.stringify(body));

/** Texts of replies, by the heading of their column in docs/responses.md. */
const texts: Record<string, string[]> = {
	'`success: true` or an ID': json(
		{ success: true },
		{ success: '1', message: 'Added.' },
		{ success: true, data: { uuid } },
		...[{ data: { uuid } }, { data: { id: 5 } }, { data: uuid }, { uuid }, { id: 'r-1' }],
	),
	'`success: false`': json(
		{ success: false, message: 'No.' },
		{ success: 0 },
		{ success: false, id: 'request-1', errors: { name: ['Too long.'] } },
	),
	'`success: false` and an ID': json(
		{ success: false, data: { uuid } },
		{ success: false, data: uuid },
		{ success: false, uuid, id: 'request-1' },
	),
	neither: [
		...json({}, [], null, 'Added.', { message: 'No.' }, { success: null, data: {} }),
		...json({ id: 'request-1', errors: ['Too long.'] }, { response: { uuid } }),
		...['', '<html>', '{"success": tr', 'true'],
	],
};

type ToReply = (text: string) => Reply | RequestFailure;

const withStatus =
	(status: number, headers: Reply['headers'] = {}): ToReply =>
	(text) => ({ status, headers, text });

const withCutBody =
	(status: number): ToReply =>
	() => ({ status, headers: { 'retry-after': '1' } });

/** Replies with a text, by the first cell of their row in docs/responses.md. */
const statuses: Record<string, ToReply[]> = {
	'2xx': [200, 201, 202, 206].map((status) => withStatus(status)),
	'4xx except the timeouts 408 and 499, 503 with `Retry-After`, or a redirect to a login page': [
		...[400, 401, 403, 404, 405, 409, 413, 422, 429].map((status) => withStatus(status)),
		withStatus(429, { 'retry-after': '1' }),
		withStatus(429, { 'x-ratelimit-limit': '1440' }),
		withStatus(503, { 'retry-after': '1' }),
		withStatus(302, { location: '/login' }),
	],
	'any other status, or no whole reply': [
		...[301, 304, 408, 499, 500, 501, 502, 503, 504, 520, 999].map((status) => withStatus(status)),
		withStatus(500, { 'retry-after': '1' }),
		withStatus(503, { 'retry-after': 'soon' }),
		withStatus(302, { location: '/thanks' }),
		...[200, 400, 429, 503].map(withCutBody),
		() => createTransportFailure(Object.assign(new Error('socket'), { code: 'ECONNRESET' })),
		() => createTransportFailure(Object.assign(new Error('socket'), { code: 'ETIMEDOUT' })),
	],
};

/** Returns the cells of each line of the table, without the line below the headings. */
function readTable(): string[][] {
	const page = readFileSync(join(root, 'docs/responses.md'), 'utf8');
	const [, section] = /\n### Never twice\n(.*?)\n### /s.exec(page)!;
	const lines = section.split('\n').filter((line) => line.startsWith('| '));
	const rows = lines.map((line) => line.split('|').slice(1, -1));
	return rows.map((cells) => cells.map((cell) => cell.trim())).filter(([first]) => first !== '---');
}

/** Returns whether a reply means that a response was added, in the word of the table. */
function findOutcome(reply: Reply | RequestFailure): string {
	const parsed = parseReply(reply, { endpoint: endpoints.addResponse });
	if ('envelope' in parsed) return 'added';
	return parsed.requestFailure.mayHaveActed ? 'uncertain' : 'rejected';
}

const [[, ...headings], ...rows] = readTable();

describe('the table "Never twice" of the documentation', () => {
	it('has the cases of this test', () => {
		expect(headings).toEqual(Object.keys(texts));
		expect(rows.map(([status]) => status)).toEqual(Object.keys(statuses));
	});

	const cells = rows.flatMap(([status, ...outcomes]) =>
		outcomes.map((outcome, column) => [status, headings[column], outcome] as const),
	);

	it.each(cells)('is right about %s with %s: %s', (status, heading, outcome) => {
		for (const toReply of statuses[status]) {
			for (const text of texts[heading]) {
				const reply = toReply(text);
				expect(findOutcome(reply), JSON.stringify(reply)).toBe(outcome);
			}
		}
	});
});

it('a reply after which a response may have been added is never sent again', () => {
	const replies = Object.values(statuses).flat();
	for (const reply of replies.flatMap((toReply) => Object.values(texts).flat().map(toReply))) {
		const parsed = parseReply(reply, { endpoint: endpoints.addResponse });
		if ('envelope' in parsed || !parsed.requestFailure.mayHaveActed) continue;
		expect(computeRetryDelayMs([parsed.requestFailure], 'low', 0)).toBeUndefined();
	}
});
