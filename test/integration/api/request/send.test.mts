import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { n8nFor, time } from '../../harness.mts';
import { elsewhere } from '../../servers.mts';

const JSON_TYPE = { 'content-type': 'application/json' };
const forms = { resource: 'form', operation: 'getAll', returnAll: true };

/** An account for each run: what one reply says of limits is no matter of the next. */
let accounts = 0;
const n8nAt = (baseUrl: string) => n8nFor({ baseUrl, accessToken: `token-${accounts++}` });

it('a reply that goes on for ever, a little at a time, ends at the timeout', async () => {
	const { url: baseUrl } = await elsewhere((request, reply) => {
		reply.writeHead(200, JSON_TYPE);
		void time.holdBack(Infinity, request.socket);
		const drip = setInterval(() => reply.write(' '), 50);
		reply.on('close', () => clearInterval(drip));
	});
	const { error } = await n8nAt(baseUrl).runNode(forms);
	expect(error?.message).toMatch(/ did not reply in time$/);
});

it('a reply that is small and unpacks to a gigabyte is cut off, also in the credential test', async () => {
	// members of a gzip file unpack one after another
	const member = gzipSync(Buffer.alloc(50_000_000, ' '));
	const packed = Buffer.concat(Array<Buffer>(20).fill(member));
	const { url: baseUrl } = await elsewhere((_request, reply) =>
		reply.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(packed),
	);
	const before = process.memoryUsage().rss;
	const requestOptions = { timeout: 600_000 };
	const { error } = await n8nAt(baseUrl).runNode({ ...forms, requestOptions });
	expect(error?.message).toBe('The reply is too large for n8n to handle safely');
	expect((await n8nAt(baseUrl).testCredential()).message).toMatch(/^The reply is too large/);
	expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
});
