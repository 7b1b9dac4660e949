import { beforeEach, describe, expect, it } from 'vitest';
import { status } from '../../service/index.mts';
import { time } from '../n8n/package.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';
import { HOUR_MS, namesIn, newForm, watch } from './watching.mts';

const { service, n8n } = await running();
const { store } = service;
let form: string;
const submit = (name: string, more: { incomplete?: boolean; createdAt?: string } = {}) =>
	store.addResponse(form, { answers: { Name: name }, ...more }).uuid;

function submitFile(...names: string[]) {
	const data = new TextEncoder().encode('Computing machinery');
	const answer = (names.length > 0 ? names : ['cv.txt']).map((name) => {
		const { id } = store.addFile({ name, type: 'text/plain', data });
		return `${name}|${service.url}/files/${id}/${name}`;
	});
	return store.addResponse(form, { answers: { Name: answer } });
}

beforeEach(() => {
	form = newForm(service, { trackIncomplete: true });
});

describe('A trigger that watches a form', () => {
	it('starts nothing on what is there at its first poll', async () => {
		submit('Ada');
		const trigger = watch(n8n, form);
		expect(await trigger.poll()).toEqual([]);
		expect(await trigger.poll()).toEqual([]);
	});

	it('starts the workflow once on a new response, simplified', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll();
		const uuid = submit('Ada');
		expect(await trigger.poll()).toEqual([
			{
				json: {
					event: 'responseCompleted',
					form: { id: form, name: 'Watched' },
					uuid,
					number: 1,
					number_formatted: expect.any(String),
					is_incomplete: false,
					created_at: expect.any(String),
					referrer: null,
					answers: { Name: 'Ada' },
				},
			},
		]);
		expect(await trigger.poll()).toEqual([]);
	});

	it('gives the record as it came without Simplify, with the event and the form', async () => {
		const trigger = watch(n8n, form, { simplify: false });
		await trigger.poll();
		submit('Ada');
		const [item] = await trigger.poll();
		expect(item.json).toMatchObject({
			event: 'responseCompleted',
			form: { id: form, name: 'Watched' },
			responses: [{ key: 'Name', value: 'Ada' }],
		});
	});

	it.each([
		['Sale (closed)', 'Sale (closed)'],
		['Sale', 'Sale (closed)'],
		['Sale', 'Sale'],
	])('names the form %s that the editor stored as %s', async (name, cachedResultName) => {
		form = store.addForm({ name, fields: [{ label: 'Name' }] }).id;
		const formId = { __rl: true, mode: 'list', value: form, cachedResultName };
		const trigger = watch(n8n, form, { formId });
		await trigger.poll();
		submit('Ada');
		const [item] = await trigger.poll();
		expect(item.json.form).toEqual({ id: form, name });
	});

	it('starts the workflow on a partial submission if it is asked to', async () => {
		const trigger = watch(n8n, form, { events: ['responseStarted', 'responseCompleted'] });
		await trigger.poll();
		const uuid = submit('Ada', { incomplete: true });
		submit('Grace');
		const first = await trigger.poll();
		expect(first.map(({ json }) => json.event)).toEqual(['responseStarted', 'responseCompleted']);
		store.completeResponse(uuid);
		const second = await trigger.poll();
		expect(second.map(({ json }) => [json.event, json.uuid])).toEqual([
			['responseCompleted', uuid],
		]);
	});

	it('gives each field as a column, typed and named as Get Many has them', async () => {
		const options = { columns: true, details: true, answerKeys: 'customKey', downloadFiles: true };
		const trigger = watch(n8n, form, { options });
		await trigger.poll();
		submitFile();
		const [item] = await trigger.poll();
		const fields = service.store.fields(form).map(({ customKey, label }) => customKey ?? label);
		expect(Object.keys(item.json).slice(0, fields.length)).toEqual(fields);
		expect(item.json).toMatchObject({ event: 'responseCompleted', otherAnswers: null });
		const getAll = { resource: 'response', operation: 'getAll', formId: locator(form), options };
		const { items } = await n8n.runNode(getAll);
		const { event, form: of, ...columns } = item.json;
		expect([event, of]).toEqual(['responseCompleted', { id: form, name: 'Watched' }]);
		expect(items[0].json).toEqual(columns);
	});

	describe('that downloads files', () => {
		const options = { downloadFiles: true, filePrefix: 'cv_' };

		it('puts them into binary fields', async () => {
			const trigger = watch(n8n, form, { options });
			await trigger.poll();
			submitFile();
			const [item] = await trigger.poll();
			expect(item.binary?.cv_name).toMatchObject({ fileName: 'cv.txt', mimeType: 'text/plain' });
		});

		it('delivers a response at once whose file is gone, and says so', async () => {
			const trigger = watch(n8n, form, { options });
			await trigger.poll();
			submitFile();
			service.faults.set({ fault: status(410, 'Gone'), match: { path: /files/ } });
			const [item] = await trigger.poll();
			expect(item.binary).toBeUndefined();
			expect(item.json.fileError).toContain('410');
		});

		it('waits for a file that may come back', async () => {
			const trigger = watch(n8n, form, { options });
			await trigger.poll();
			submitFile();
			service.faults.set({ fault: 'unavailable', match: { path: /files/ } });
			const before = trigger.saved();
			expect(await trigger.poll({ activation: 'update', budgetMs: 36_000 })).toEqual([]);
			expect(trigger.saved()).toEqual(before);
		});

		it('delivers a response with its other files when one does not come back', async () => {
			const trigger = watch(n8n, form, { options });
			await trigger.poll();
			submitFile('first.txt', 'lost.txt', 'last.txt');
			service.faults.set({ fault: 'unavailable', match: { path: /lost/ } });
			const tick = { activation: 'update', budgetMs: 36_000 } as const;
			for (let poll = 1; poll < 3; poll++) {
				expect(await trigger.poll(tick)).toEqual([]);
				await time.sleep(HOUR_MS);
			}
			const [item] = await trigger.poll(tick);
			const files = Object.values(item.binary ?? {}).map(({ fileName }) => fileName);
			expect(files).toEqual(['first.txt', 'last.txt']);
			expect(item.json.fileError).toMatch(/^lost\.txt: .*503/);
		});
	});
});

describe('A poll that fails', () => {
	it('is told at once when the workflow is published with a refused token', async () => {
		service.faults.set({ fault: 'unauthorized' });
		const trigger = watch(n8n, form);
		await expect(trigger.poll()).rejects.toMatchObject({
			message: expect.stringContaining('access token'),
			failure: { cause: 'credential-invalid' },
		});
	});
});

it('An error of the trigger names no setting that the trigger does not have', async () => {
	service.faults.set({ fault: 'silentBefore' });
	const error = await watch(n8n, form)
		.poll()
		.then(
			() => undefined,
			(thrown: Error & { description?: string }) => thrown,
		);
	expect(error?.description).not.toMatch(/request options/i);
	expect(error?.message).toBeDefined();
});

describe('Fetch test event', () => {
	it('shows the newest response and remembers nothing', async () => {
		submit('Ada');
		submit('Grace');
		const trigger = watch(n8n, form);
		expect(namesIn(await trigger.poll({ mode: 'manual' }))).toEqual(['Grace']);
		expect(trigger.saved()).toEqual({});
	});

	it('takes nothing away from a trigger that is active', async () => {
		const trigger = watch(n8n, form);
		await trigger.poll();
		submit('Ada');
		const before = trigger.saved();
		expect(namesIn(await trigger.poll({ mode: 'manual' }))).toEqual(['Ada']);
		expect(trigger.saved()).toEqual(before);
		expect(namesIn(await trigger.poll())).toEqual(['Ada']);
	});

	it.each([status(410, 'Gone'), 'unavailable' as const])(
		'shows the response without its files when they cannot be had, as the trigger would (%#)',
		async (fault) => {
			submitFile();
			service.faults.set({ fault, match: { path: /files/ } });
			const trigger = watch(n8n, form, { options: { downloadFiles: true } });
			const [item] = await trigger.poll({ mode: 'manual' });
			expect(item.binary).toBeUndefined();
			expect(item.json).toMatchObject({
				event: 'responseCompleted',
				fileError: expect.any(String),
			});
		},
	);
});
