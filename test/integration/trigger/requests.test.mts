import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow } from '../../service/index.mts';
import { n8nFor, time } from '../harness.mts';
import { withWorld, type World } from '../world.mts';
import { watch } from './watching.mts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const tick = { activation: 'update', budgetMs: 36_000 } as const;

const newForm = ({ service }: World, name: string) =>
	service.store.addForm({ name, fields: [{ label: 'Name' }] }).id;

const requests = ({ service }: World, path: RegExp) =>
	service.requests.filter((request) => path.test(request.path)).length;

describe('A trigger reads only what its events need:', () => {
	it('Form Created alone reads no responses', async () =>
		await withWorld(async (world) => {
			newForm(world, 'A');
			const events = ['formCreated'];
			const trigger = watch(world.n8n, '', { watch: 'all', events });
			await trigger.poll();
			newForm(world, 'New');
			const names: unknown[] = [];
			for (let poll = 0; poll < 10; poll++) {
				await time.sleep(HOUR_MS / 4);
				const items = await trigger.poll(tick);
				names.push(...items.map(({ json }) => (json.form as IDataObject).name));
			}
			expect(names).toEqual(['New']);
			expect(requests(world, /responses/)).toBe(0);
		}));

	it('responses that came while only Form Created was chosen start nothing later', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, 'A');
			const submit = (name: string) =>
				world.service.store.addResponse(form, { answers: { Name: name } });
			const trigger = watch(world.n8n, '', { watch: 'all' });
			await trigger.poll();
			expect(await trigger.poll({}, { events: ['formCreated'] })).toEqual([]);
			submit('Ada');
			await time.sleep(2 * HOUR_MS);
			expect(await trigger.poll(tick, { events: ['formCreated'] })).toEqual([]);
			await time.sleep(MINUTE_MS);
			expect(await trigger.poll()).toEqual([]);
			await time.sleep(MINUTE_MS);
			submit('Grace');
			expect(await trigger.poll(tick)).toHaveLength(1);
		}));
});

describe('A list of forms that is read only for the name of a form', () => {
	it('delays and loses nothing when it hangs', async () =>
		await withWorld(async (world) => {
			const form = newForm(world, 'A');
			const trigger = watch(world.n8n, form);
			await trigger.poll();
			world.service.store.addResponse(form, { answers: { Name: 'Ada' } });
			world.service.faults.set({ fault: slow(HOUR_MS), match: { path: /forms$/ } });
			const before = time.now();
			const items = await trigger.poll(tick);
			expect(items.map(({ json }) => json.form)).toEqual([{ id: form, name: null }]);
			expect(time.now() - before).toBeLessThan(5_000);
		}));
});

/** A service whose ETag does not change with its responses, as one that covers the form alone. */
async function withWrongEtags(
	work: (poll: () => Promise<unknown[]>, responses: IDataObject[]) => Promise<void>,
) {
	const responses: IDataObject[] = [{ uuid: 'first' }];
	const answer: RequestListener = ({ url, headers }, reply) => {
		const isKnown = headers['if-none-match'] === '"form"' && url?.includes('/responses/');
		reply.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/json', etag: '"form"' });
		reply.end(isKnown ? undefined : JSON.stringify({ success: true, data: responses }));
	};
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const n8n = n8nFor({ accessToken: 'token', baseUrl: `http://127.0.0.1:${port}` });
	const trigger = watch(n8n, 'form', { options: { requestsPerDay: 720 } });
	const poll = async () => (await trigger.poll(tick)).map(({ json }) => json.uuid);
	try {
		await trigger.poll();
		await work(poll, responses);
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}

it('A service that wrongly says that nothing has changed is not believed for more than an hour', async () => {
	await withWrongEtags(async (poll, responses) => {
		responses.push({ uuid: 'second' });
		const found: unknown[] = [];
		for (let minute = 0; minute < 70; minute += 2) {
			await time.sleep(2 * MINUTE_MS);
			found.push(...(await poll()));
		}
		expect(found).toEqual(['second']);
	});
});
