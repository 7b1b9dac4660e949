import { expect, it, vi } from 'vitest';
import { n8nFor, time } from '../../harness.mts';
import { elsewhere } from '../../servers.mts';

const forms = { resource: 'form', operation: 'getAll', returnAll: true };

it('a reply that goes on for ever, a little at a time, ends at the timeout with its connection', async () => {
	let open = 0;
	const { url: baseUrl, visits } = await elsewhere((request, reply) => {
		open++;
		reply.writeHead(200, { 'content-type': 'application/json' });
		void time.holdBack(Infinity, request.socket);
		const drip = setInterval(() => reply.write(' '), 50);
		reply.on('close', () => {
			open--;
			clearInterval(drip);
		});
	});
	const { error } = await n8nFor({ baseUrl, accessToken: 'token' }).runNode(forms);
	expect(error?.message).toMatch(/ did not reply in time$/);
	expect(visits).toHaveLength(4);
	await vi.waitFor(() => expect(open).toBe(0));
});
