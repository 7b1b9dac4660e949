import { describe, expect, it } from 'vitest';
import type { NewForm, Service } from '../index.mts';
import { serviceForTest } from '../testClient.mts';

const submit = async (
	service: Service,
	path: string,
	values: FormData | Record<string, string> | string[][],
) => {
	const body = values instanceof FormData ? values : new URLSearchParams(values);
	const reply = await fetch(service.url + path, { method: 'POST', body, redirect: 'manual' });
	return { status: reply.status, text: await reply.text() };
};

/** A service with one form, and its fields' UUIDs in order. */
async function withForm(form: Partial<NewForm>) {
	const { service } = await serviceForTest({ seed: false });
	const { id } = service.store.addForm({ name: 'Form', ...form });
	const uuids = service.store.fields(id).map(({ uuid }) => uuid);
	return { service, id, path: `/f/${id}`, uuids, responses: () => service.store.responses(id) };
}

describe('a submission', () => {
	it('becomes a complete response with values of their kind', async () => {
		const { service, path, uuids, responses } = await withForm({
			fields: [
				{ label: 'Text' },
				{ label: 'Number', type: 'number' },
				{ label: 'Several', type: 'multiple_choice', options: ['a', 'b', 'c'] },
				{ label: 'Empty' },
			],
		});
		const [text, number, several, empty] = uuids as [string, string, string, string];
		const values = [
			[text, 'line 1\r\nline 2'],
			[number, '4.5'],
			[several, 'a'],
			[several, 'c'],
			[empty, ''],
		];
		const { status, text: thanks } = await submit(service, path, values);
		expect(status).toBe(200);
		expect(thanks).toContain('Thank you');
		expect(responses()).toMatchObject([
			{
				isIncomplete: false,
				answers: { [text]: 'line 1\nline 2', [number]: 4.5, [several]: ['a', 'c'], [empty]: null },
			},
		]);
	});

	it('can bring a file, which the service then serves', async () => {
		const { service, path, uuids, responses } = await withForm({
			fields: [{ label: 'File', type: 'file_upload' }],
		});
		const data = new FormData();
		data.append(uuids[0]!, new File(['content ä'], 'über us.txt', { type: 'text/plain' }));
		await submit(service, path, data);
		const [stored] = responses();
		const [name, address] = (stored!.answers[uuids[0]!] as string[])[0]!.split('|') as [
			string,
			string,
		];
		expect(name).toBe('über us.txt');
		const reply = await fetch(service.filesUrl + address);
		expect(reply.headers.get('content-type')).toContain('text/plain');
		expect(await reply.text()).toBe('content ä');
	});
});

describe('what is typed before it is submitted', () => {
	const tracked = async () =>
		await withForm({ trackIncomplete: true, fields: [{ label: 'Name', mandatory: true }] });

	it('is an incomplete response, which follows the typing', async () => {
		const { service, path, uuids, responses } = await tracked();
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'A' });
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'Ada' });
		expect(responses()).toMatchObject([{ isIncomplete: true, answers: { [uuids[0]!]: 'Ada' } }]);
	});

	it('becomes the complete one, with the same UUID', async () => {
		const { service, path, uuids, responses } = await tracked();
		await submit(service, `${path}/partial`, { draft: 'd1', [uuids[0]!]: 'Ada' });
		const { uuid } = responses()[0]!;
		await submit(service, path, { draft: 'd1', [uuids[0]!]: 'Ada Lovelace' });
		expect(responses()).toMatchObject([
			{ uuid, isIncomplete: false, answers: { [uuids[0]!]: 'Ada Lovelace' } },
		]);
	});
});
