import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, n8nFor, time, type Account } from '../harness.mts';
import { addTo } from './adding.mts';
import { httpServer, rawServer } from '../servers.mts';

/** Longer than any reply takes here. One that never comes is noticed in the tests' time, or at the end of this. */
const requestOptions = { timeout: 60_000 };
const JSON_TYPE = { 'content-type': 'application/json' };

const formId = locator('a');
const forms = { resource: 'form', operation: 'getAll', returnAll: true };
const responses = { resource: 'response', operation: 'getAll', returnAll: true, formId };
const answersJson = '{"0b9d0f6e-5d8f-4c5c-9a55-2f8a3c1c7f10": 1}';
const create = { ...addTo('a'), answersJson };

/** Runs an operation against a server. It must end in items or in an error that a person can read. */
async function runAgainst(account: Account, parameters: INodeParameters) {
	const { items, error } = await n8nFor(account).runNode({ requestOptions, ...parameters });
	if (error !== undefined) {
		expect(error.message).toMatch(/^["A-Z1h].{5}/s);
		expect(error.message.length).toBeLessThan(1_500);
		expect(error.message).not.toMatch(
			/Cannot read|is not a function|is not iterable|call stack|Invalid URL|undefined|\[object/,
		);
		expect(error.description).toMatch(/\S/);
		expect(error.context).toMatchObject({ itemIndex: 0 });
	}
	return { items, error };
}

/** An account for each run: what one reply says of limits is no matter of the next. */
let accounts = 0;
const newToken = () => `token-${accounts++}`;

describe('a reply made to do harm', () => {
	const runAt = async (baseUrl: string, parameters: INodeParameters) =>
		await runAgainst({ baseUrl, accessToken: newToken() }, parameters);
	const serve = async (text: string | Buffer, more = {}) =>
		await httpServer((_request, reply) =>
			reply.writeHead(200, { ...JSON_TYPE, ...more }).end(text),
		);

	it('whose names are those of objects themselves changes none', async () => {
		const text =
			'{"data":[{"uuid":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"responses":[{"key":"__proto__","value":"x"},{"key":"constructor","value":"y"}]}]}';
		const { items } = await runAt(await serve(text), responses);
		expect(items).toHaveLength(1);
		expect(Object.values(items[0].json.answers as object)).toEqual(['x', 'y']);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('that goes on for ever, a little at a time, ends at the timeout', async () => {
		const baseUrl = await httpServer((request, reply) => {
			reply.writeHead(200, JSON_TYPE);
			void time.holdBack(Infinity, request.socket);
			const drip = setInterval(() => reply.write(' '), 50);
			reply.on('close', () => clearInterval(drip));
		});
		expect((await runAt(baseUrl, forms)).error?.message).toMatch(/ did not reply in time$/);
	});

	it('that switches protocols does not keep the operation waiting for ever', async () => {
		const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
		const baseUrl = await rawServer((socket) => void socket.write(head));
		// to Node, this request has ended, so that no time passes by itself
		const passing = setInterval(() => time.pass(1_000), 20);
		const { error } = await runAt(baseUrl, { ...create, requestOptions: { timeout: 200 } });
		clearInterval(passing);
		expect(error?.message).toMatch(/ did not reply in time/);
	});

	it('that is small and unpacks to a gigabyte is cut off', async () => {
		// members of a gzip file unpack one after another
		const member = gzipSync(Buffer.alloc(50_000_000, ' '));
		const packed = Buffer.concat(Array<Buffer>(20).fill(member));
		const baseUrl = await serve(packed, { 'content-encoding': 'gzip' });
		const before = process.memoryUsage().rss;
		const { error } = await runAt(baseUrl, forms);
		expect(error?.message).toBe('The reply is too large for n8n to handle safely');
		const tested = await n8nFor({ baseUrl, accessToken: newToken() }).testCredential();
		expect(tested.message).toMatch(/^The reply is too large/);
		expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
	});
});
