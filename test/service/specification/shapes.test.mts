import { describe, expect, it } from 'vitest';
import type { Shapes } from '../index.mts';
import { serviceForTest } from '../testClient.mts';

/** A form with this many responses, whose numbers tell them apart. */
async function withResponses(count: number, shapes: Partial<Shapes>) {
	const started = await serviceForTest({ seed: false, perMinute: 1000 });
	const { store } = started.service;
	const form = store.addForm({ name: 'Form', fields: [{ label: 'Same' }, { label: 'Same' }] });
	store.transaction(() => {
		for (let added = 0; added < count; added++) store.addResponse(form.id);
	});
	Object.assign(started.service.shapes, shapes);
	return { ...started, form, path: `/responses/${form.id}` };
}

const numbers = (records: Array<{ number: number }>) => records.map(({ number }) => number);

describe('a listing', () => {
	it('can be an object with numeric keys that has gaps', async () => {
		const { get, path } = await withResponses(3, { list: 'numericObject', order: 'asc' });
		const { data } = (await get(path)).body;
		expect(Object.keys(data)).toEqual(['0', '2', '4']);
		expect(numbers(Object.values(data))).toEqual([1, 2, 3]);
	});

	it('is an array again when an object with numeric keys would be empty', async () => {
		const { get, path } = await withResponses(0, { list: 'numericObject' });
		expect((await get(path)).body).toEqual({ success: true, data: [] });
	});

	it('can be nested', async () => {
		const { get, path } = await withResponses(2, { list: 'nested', order: 'asc' });
		expect(numbers((await get(path)).body.data.data)).toEqual([1, 2]);
	});

	it('can be the array alone', async () => {
		const { get, path } = await withResponses(2, { list: 'bare', order: 'asc' });
		expect(numbers((await get(path)).body)).toEqual([1, 2]);
	});
});

/** Where the shapes say how a listing goes on; each has one of these. */
type Paged = {
	links: { next: string | null };
	meta: { current_page: number; last_page: number; next_cursor: string | null };
	data: { next_page_url: string | null };
};

describe('pages', () => {
	const follow = async (shapes: Partial<Shapes>, next: (body: Paged) => string | null) => {
		const { service, get, path } = await withResponses(7, { pageSize: 3, order: 'asc', ...shapes });
		const pages: number[][] = [];
		let query: string | null = '?incomplete=false';
		while (query !== null && pages.length < 10) {
			const { body } = await get(path + query);
			pages.push(numbers(shapes.list === 'nested' ? body.data.data : body.data));
			query = next(body);
		}
		expect(service.requests.every((request) => request.query.incomplete === 'false')).toBe(true);
		return pages;
	};
	const search = (link: string | null) => link && new URL(link, 'http://host').search;
	const all = [[1, 2, 3], [4, 5, 6], [7]];

	it.each(['linkAbsolute', 'linkRelative'] as const)('go on by %s', async (paging) => {
		expect(await follow({ paging }, (body) => search(body.links.next))).toEqual(all);
	});

	it('go on by a link beside a nested list', async () => {
		const shapes = { paging: 'linkAbsolute', list: 'nested' } as const;
		expect(await follow(shapes, (body) => search(body.data.next_page_url))).toEqual(all);
	});

	it('go on by number until the last page', async () => {
		const next = ({ meta }: Paged) =>
			meta.current_page < meta.last_page ? `?incomplete=false&page=${meta.current_page + 1}` : null;
		expect(await follow({ paging: 'number' }, next)).toEqual(all);
	});

	it('go on by cursor', async () => {
		const next = ({ meta }: Paged) =>
			meta.next_cursor && `?incomplete=false&cursor=${meta.next_cursor}`;
		expect(await follow({ paging: 'cursor' }, next)).toEqual(all);
	});

	it.each([
		['linkAbsolute', true, 7],
		['cursor', true, 7],
		['number', false, 7],
		['linkAbsolute', false, undefined],
		['cursor', false, undefined],
	] as const)('by %s say how many records there are, where that is set (%s)', async (...given) => {
		const [paging, total, told] = given;
		const { get, path } = await withResponses(7, { paging, total, pageSize: 3 });
		expect((await get(path)).body.meta?.total).toBe(told);
	});

	it('can name a wrong next link', async () => {
		const nextLink = 'https://elsewhere.example/responses';
		const shapes = { paging: 'linkAbsolute', pageSize: 1, nextLink } as const;
		const { get, path } = await withResponses(2, shapes);
		expect((await get(path)).body.links.next).toBe(nextLink);
	});
});

describe('the order of responses', () => {
	const ordered = async (shapes: Partial<Shapes>) => {
		const { get, path } = await withResponses(20, shapes);
		return numbers((await get(path)).body.data);
	};
	const rising = Array.from({ length: 20 }, (_, index) => index + 1);

	it('is newest first unless another is set', async () => {
		expect(await ordered({})).toEqual(rising.toReversed());
	});

	it('can be shuffled, in a way that a seed repeats', async () => {
		const shuffled = await ordered({ order: 'random', seed: 5 });
		expect(shuffled).not.toEqual(rising);
		expect(shuffled.toSorted((a, b) => a - b)).toEqual(rising);
		expect(await ordered({ order: 'random', seed: 5 })).toEqual(shuffled);
		expect(await ordered({ order: 'random', seed: 6 })).not.toEqual(shuffled);
	});

	it('can be hidden or cut', async () => {
		expect(await ordered({ visible: 0 })).toEqual([]);
		expect(await ordered({ visible: 2, order: 'asc' })).toEqual([1, 2]);
	});
});

describe('answers', () => {
	const answersAs = async (mapAnswers: Shapes['mapAnswers']) => {
		const { service, get, form, path } = await withResponses(0, { mapAnswers });
		const [first, second] = service.store.fields(form.id);
		const answers = { [first!.uuid]: 'a', [second!.uuid]: 'b' };
		service.store.addResponse(form.id, { answers });
		return { first, second, answers: (await get(path)).body.data[0].responses };
	};

	it('can be pairs', async () => {
		const { answers } = await answersAs('pairs');
		expect(answers).toEqual([
			{ key: 'Same', value: 'a' },
			{ key: 'Same', value: 'b' },
		]);
	});

	it('can be a list that names the field', async () => {
		const { answers, first, second } = await answersAs('list');
		expect(answers).toEqual([
			{ label: 'Same', response: 'a', uuid: first!.uuid, custom_key: null },
			{ label: 'Same', response: 'b', uuid: second!.uuid, custom_key: null },
		]);
	});

	it('can be a map, which keeps one of two equal labels', async () => {
		expect((await answersAs('map')).answers).toEqual({ Same: 'b' });
	});
});

describe('other shapes', () => {
	it('fields can have id, name and required', async () => {
		const { service, get, form } = await withResponses(0, { fieldNames: 'idName' });
		const [field] = service.store.fields(form.id);
		const { body } = await get(`/forms/${form.id}/fields`);
		expect(body.data[0]).toMatchObject({ id: field!.uuid, name: 'Same', required: false });
		expect(body.data[0]).not.toHaveProperty('uuid');
	});

	it.each([
		['topPdfUrl', 'pdf_url'],
		['topUrl', 'url'],
	] as const)('the link to a PDF can be %s', async (pdf, key) => {
		const { service, get, form } = await withResponses(1, { pdf });
		const [response] = service.store.responses(form.id);
		const { body } = await get(`/response/${response!.uuid}/pdf`);
		expect(body).toEqual({ success: true, [key]: expect.stringContaining('/pdf/') });
	});

	it.each([
		['uuid', ['success', 'message', 'uuid']],
		['id', ['success', 'message', 'id']],
		['message', ['success', 'message']],
	] as const)('the confirmation of a response can be %s', async (created, keys) => {
		const { service, post, form } = await withResponses(0, { created });
		const [field] = service.store.fields(form.id);
		const { body } = await post(`/forms/${form.id}/response`, { data: { [field!.uuid]: 'x' } });
		expect(Object.keys(body)).toEqual(keys);
	});

	it('reset goes back to what has been seen', async () => {
		const { service, get, path } = await withResponses(1, {
			list: 'bare',
			visible: 0,
			order: 'asc',
		});
		service.shapes.reset();
		expect((await get(path)).body.data).toHaveLength(1);
	});
});
