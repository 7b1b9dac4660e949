import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, n8nFor, time, type Account } from '../harness.mts';
import { httpServer, rawServer } from '../servers.mts';

/** Longer than any reply takes here. One that never comes is noticed in the tests' time, or at the end of this. */
const requestOptions = { timeout: 60_000 };

const operations: INodeParameters[] = [
	{ resource: 'workspace', operation: 'get' },
	{ resource: 'form', operation: 'getAll', returnAll: true },
	{ resource: 'field', operation: 'getAll', formId: locator('a') },
	{ resource: 'response', operation: 'getAll', returnAll: true, formId: locator('a') },
	{ resource: 'response', operation: 'getPdf', responseId: 'a' },
	{
		resource: 'response',
		operation: 'create',
		formId: locator('a'),
		inputMode: 'json',
		answersJson: '{"0b9d0f6e-5d8f-4c5c-9a55-2f8a3c1c7f10": 1}',
	},
	{ resource: 'settings', operation: 'update', formId: locator('a'), settings: { name: 'a' } },
];

/** What adds a response: it is sent once, whatever comes back. */
const create = operations.at(-2)!;

const FIELDS =
	'{"success":true,"data":[{"uuid":"0b9d0f6e-5d8f-4c5c-9a55-2f8a3c1c7f10","label":"A"}]}';
const JSON_TYPE = { 'content-type': 'application/json' };

type Drawn<T> = T extends fc.Arbitrary<infer U> ? U : never;
type Reply = { status: number; headers: Record<string, string>; body: Buffer };

/**
 * Runs an operation against a server, as an account of its own: what one reply says of limits is no
 * matter of the next. It must end in items or in an error that a person can read.
 */
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

/** Checks what an error is about after a reply of any status, if n8n could unpack the reply. */
function checkError(error: Error, { status, headers }: Reply, parameters: INodeParameters): void {
	const { httpCode } = error as { httpCode?: unknown };
	if (status < 300 || (httpCode === null && 'content-encoding' in headers)) return;
	expect(httpCode).toBe(String(status));
	if (status < 400) return;
	const [passes, login] = ['temporarily-unavailable', 'credential-invalid'];
	const cause = status >= 500 ? passes : status === 401 ? login : 'configuration-invalid';
	expect(error).toMatchObject({ failure: { cause } });
	// a request that was rejected has added nothing, and a service that broke down may have added a response
	const maySay = parameters === create && status >= 500;
	expect(error.message.includes('may or may not have been added')).toBe(maySay);
}

const headers = fc.dictionary(
	fc.constantFrom(
		...['content-type', 'content-encoding', 'location', 'retry-after', 'date', 'link'],
		...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'www-authenticate'],
	),
	fc.oneof(
		// what HTTP allows in the value of a header
		fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,60}[\x21-\x7e])?$/),
		fc.integer({ min: -5, max: 100_000 }).map(String),
		fc.constantFrom('application/json', 'text/html', 'gzip', 'br', 'identity, gzip'),
		fc.constantFrom('//', '/forms', 'http://[', '<?page=2>; rel="next"', 'Digest nonce="a"'),
	),
	{ maxKeys: 5 },
);

/** Objects with the names of the service at every level. */
const named = fc.object({
	key: fc.constantFrom(
		...['success', 'message', 'errors', 'data', 'meta', 'links', 'next', 'uuid', 'id', 'name'],
		...['responses', 'fields', 'key', 'value', 'pdf_url', '__proto__', 'constructor'],
	),
	maxDepth: 4,
});

const json = fc.oneof(
	fc.jsonValue({ maxDepth: 5 }),
	named,
	fc.record({
		success: fc.constantFrom(true, 1, 'false'),
		data: fc.array(named, { maxLength: 4 }),
	}),
);

const body = fc.oneof(
	json.map((value) => Buffer.from(JSON.stringify(value))),
	fc
		.tuple(json, fc.nat(80))
		.map(([value, cut]) => Buffer.from(JSON.stringify(value).slice(0, cut))),
	fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

// A service in trouble is asked again after seconds; the table of faults has those.
const settled = fc.integer({ min: 200, max: 501 }).filter((status) => ![429, 500].includes(status));

/** The token of the account that sent a request, which tells the replies of one moment apart. */
let accounts = 0;
const newToken = () => `token-${accounts++}`;

describe('whatever a server replies', () => {
	it('an operation ends in items, or in an error that can be read: 300 random replies', async () => {
		const replies = new Map<string, Reply & { isToCreate: boolean }>();
		const baseUrl = await httpServer((request, reply) => {
			const given = replies.get(request.headers.authorization!)!;
			// a response is added once the fields of its form are read
			if (given.isToCreate && request.method === 'GET') reply.writeHead(200, JSON_TYPE).end(FIELDS);
			else reply.writeHead(given.status, given.headers).end(given.body);
		});
		const reply = fc.record({ status: settled, headers, body });
		const any = fc.record({ reply, parameters: fc.constantFrom(...operations) });
		const check = async ({ reply, parameters }: Drawn<typeof any>) => {
			const accessToken = newToken();
			replies.set(`Bearer ${accessToken}`, { ...reply, isToCreate: parameters === create });
			const { error } = await runAgainst({ baseUrl, accessToken }, parameters);
			if (error) checkError(error, reply, parameters);
			else expect(Math.trunc(reply.status / 100)).toBe(2);
		};
		// at once, since some meet a reply that looks like trouble that passes, and ask again after seconds
		const some = fc.array(any, { minLength: 50, maxLength: 50 });
		const checkAll = async (all: Array<Drawn<typeof any>>) =>
			void (await Promise.all(all.map(check)));
		await fc.assert(fc.asyncProperty(some, checkAll), { numRuns: 6, endOnFailure: true });
	});

	it.each([
		...['', 'HTTP/1.1 200\r\n\r\n', 'HTTP/1.1 999 Odd\r\n\r\n', 'HTTP/2 200\r\n\r\n'],
		...['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'],
	])('bytes that are no HTTP end in an error that can be read: %j', async (head) => {
		const baseUrl = await rawServer((socket) => socket.end(`${head}\xff\x00 and more`));
		const { error } = await runAgainst({ baseUrl, accessToken: newToken() }, create);
		expect(error).toBeDefined();
	});
});

describe('a reply made to do harm', () => {
	const [, forms, , responses] = operations;
	const runAt = async (baseUrl: string, parameters: INodeParameters) =>
		await runAgainst({ baseUrl, accessToken: newToken() }, parameters);
	const serve = async (text: string | Buffer, more = {}) =>
		await httpServer((_request, reply) =>
			reply.writeHead(200, { ...JSON_TYPE, ...more }).end(text),
		);

	it('of data in data 50,000 levels deep ends in an error that can be read', async () => {
		const text = '{"data":'.repeat(50_000) + '1' + '}'.repeat(50_000);
		const { error, items } = await runAt(await serve(text), responses);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^Form Service sent/);
	});

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
		// real time: to Node, this request has ended
		const { error } = await runAt(baseUrl, { ...create, requestOptions: { timeout: 200 } });
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
		expect(tested.message).toMatch(/ is not a Form Service address\. Check the 'Base URL'/);
		expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
	});

	it.each([
		['a million records is read', '', undefined],
		['one more is refused', ',"next":"?page=2"', 'The list has more than 1,000,000 records'],
	])('of %s', async (_what, next, message) => {
		const million = `{"data":[${'{"id":1},'.repeat(999_999)}{"id":1}]${next}}`;
		const baseUrl = await httpServer(({ url = '' }, reply) =>
			reply.writeHead(200, JSON_TYPE).end(url.includes('page') ? '{"data":[{"id":2}]}' : million),
		);
		const { items, error } = await runAt(baseUrl, { ...forms, returnAll: false, limit: 10 });
		expect(items).toHaveLength(message === undefined ? 10 : 0);
		expect(error?.message).toBe(message);
	});
});
