import type { RequestListener } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { slow } from '../../service/index.mts';
import { time } from '../harness.mts';
import { withWorld, type World } from '../world.mts';
import { HOUR_MS, MINUTE_MS, n8nOf, tick, watch } from './watching.mts';

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

it('A service that wrongly says that nothing has changed is not believed for more than an hour', async () => {
	const responses: IDataObject[] = [{ uuid: 'first' }];
	// its ETag covers the form alone
	const answer: RequestListener = ({ url, headers }, reply) => {
		const isKnown = headers['if-none-match'] === '"form"' && url?.includes('/responses/');
		reply.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/json', etag: '"form"' });
		reply.end(isKnown ? undefined : JSON.stringify({ success: true, data: responses }));
	};
	const trigger = watch(await n8nOf(answer), 'form', { options: { requestsPerDay: 720 } });
	await trigger.poll();
	responses.push({ uuid: 'second' });
	const found: unknown[] = [];
	for (let minute = 0; minute < 70; minute += 2) {
		await time.sleep(2 * MINUTE_MS);
		found.push(...(await trigger.poll(tick)).map(({ json }) => json.uuid));
	}
	expect(found).toEqual(['second']);
});
