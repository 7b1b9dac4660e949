import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readReply, parseTimeoutMs } from '../../../../nodes/FormService/api/request/sendOnce.ts';

const read = async (...body: Buffer[]) => {
	const opened = { statusCode: 200, headers: {}, body: Readable.from(body) };
	return await readReply(Promise.resolve(opened), 60_000);
};

it('a reply is read without its byte order mark, also in pieces that end within the mark', async () => {
	const whole = Buffer.from('\ufeff{"data": "\ufeff"}');
	const text = '{"data": "\ufeff"}';
	expect(await read(whole)).toHaveProperty('text', text);
	expect(await read(whole.subarray(0, 2), whole.subarray(2))).toHaveProperty('text', text);
});

it('a reply is read up to 128 MB, also in pieces that end within a character', async () => {
	const whole = Buffer.from('é'.repeat(64 * 1024 * 1024));
	const pieces = [whole.subarray(0, 1), whole.subarray(1)];
	const { text } = (await read(...pieces)) as { text?: string };
	expect(text === whole.toString()).toBe(true);
	expect(await read(...pieces, Buffer.from(' '))).toHaveProperty('text', undefined);
});

it.each<[unknown, number]>([
	...[undefined, 0, -1, NaN, 'soon', null, 0.5].map((value): [unknown, number] => [value, 30_000]),
	['5000', 5_000],
	[1e12, 2 ** 31 - 1],
])('a Timeout of %j means %i ms', (timeout, ms) => {
	expect(parseTimeoutMs({ timeout: timeout as number })).toBe(ms);
});
