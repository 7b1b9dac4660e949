import type { INodeListSearchResult } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { rawReply, demoForms, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

/** How a listing is read page by page; `unit/api/replies` has the places of lists and links. */

const { service, n8n } = await running();
const { contact } = demoForms;
const LIST = `/api/v1/responses/${contact}`;
const getAll = {
	resource: 'response',
	operation: 'getAll',
	formId: locator(contact),
	returnAll: true,
	simplify: false,
};

const firstPage = { data: [{ uuid: 'a' }, { uuid: 'b' }, { uuid: 'c' }] };
const secondPage = { data: [{ uuid: 'd' }, { uuid: 'e' }] };

/** Replies to the requests for the list, by the number of the request, from 0. */
function servePages(replyTo: (count: number) => object, times = 500) {
	let count = 0;
	const fault: Fault = {
		stage: 'instead',
		act: ({ reply }) => void reply.send({ success: true, ...replyTo(count++) }),
	};
	service.faults.set({ fault, times, match: { path: /^\/responses/ } });
}

describe('A link to the next page', () => {
	const linked = [`${LIST}?page=2`, `${service.url}${LIST}/?page=2`, '?page=2'];
	it.each(linked)('%s is followed with the query of the list', async (next) => {
		servePages(() => ({ data: [{ uuid: 'first', is_incomplete: false }], links: { next } }), 1);
		const { items } = await n8n.runNode({ ...getAll, status: 'complete' });
		const others = service.store.responses(contact).filter(({ isIncomplete }) => !isIncomplete);
		const uuids = ['first', ...others.map(({ uuid }) => uuid)];
		expect(items.map(({ json }) => json.uuid).sort()).toEqual(uuids.sort());
		const queries = [{ incomplete: 'false' }, { incomplete: 'false', page: '2' }];
		expect(service.requests.map(({ query }) => query)).toEqual(queries);
	});

	it.each([
		`/api/v1/responses/${demoForms.survey}?page=2`,
		`http://forms.internal${LIST}?page=2`,
		'file:///etc/passwd',
	])('to %s is an error, and nothing is returned', async (next) => {
		servePages(() => ({ data: [{ uuid: 'first' }], links: { next } }));
		const { error, items } = await n8n.runNode(getAll);
		expect(items).toEqual([]);
		expect(error?.message).toContain(
			'expected a link to the next page, found "links.next", a string',
		);
		expect(service.requests).toHaveLength(1);
	});
});

it('A list is read if the reply starts with a byte order mark', async () => {
	const text = `\ufeff${JSON.stringify({ success: true, data: [{ uuid: 'a' }] })}`;
	service.faults.set({ fault: rawReply(200, 'text/html', text), match: { path: /^\/responses/ } });
	const { items } = await n8n.runNode(getAll);
	expect(items.map(({ json }) => json.uuid)).toEqual(['a']);
	expect(service.requests).toHaveLength(1);
});

it('A list whose total falls is read again, and a rising total costs no reading', async () => {
	const pages = [
		{ ...firstPage, current_page: 1, last_page: 2, total: 6 },
		{ ...secondPage, current_page: 2, last_page: 2, total: 5 },
		{ ...firstPage, current_page: 1, last_page: 2, total: 5 },
		{ ...secondPage, current_page: 2, last_page: 2, total: 6 },
	];
	servePages((count) => pages[count]);
	const { items } = await n8n.runNode(getAll);
	expect(items.map(({ json }) => json.uuid)).toEqual(['a', 'b', 'c', 'd', 'e']);
	expect(service.requests).toHaveLength(4);
});

it('Limit sends no further request once enough responses were found, even if pages repeat some', async () => {
	const pages = [
		['a', 'b', 'c'],
		['c', 'd', 'e', 'f'],
	];
	servePages((count) => ({
		data: (pages[count] ?? []).map((uuid) => ({ uuid })),
		next_page_url: count === 0 ? '?page=2' : null,
	}));
	const limited = { ...getAll, returnAll: false, sort: { order: 'listed' }, limit: 5 };
	const { items } = await n8n.runNode(limited);
	expect(items.map(({ json }) => json.uuid)).toEqual(['a', 'b', 'c', 'd', 'e']);
	expect(service.requests).toHaveLength(2);
});

it('A UUID is the same in capital and in small letters, on any page', async () => {
	const [a, b, c] = [1, 2, 3].map((digit) => `${digit}b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d`);
	const listed = [
		[a, b],
		[b.toUpperCase(), c],
		['new', a],
		[b, c],
	];
	servePages((at) => ({
		data: listed[at].map((uuid) => ({ uuid })),
		last_page: 2,
		current_page: (at % 2) + 1,
	}));
	const { items } = await n8n.runNode(getAll);
	expect(items.map(({ json }) => json.uuid)).toEqual(['new', a, b, c]);
});

it.each<[string, number, (at: number) => object]>([
	['lead to an earlier one', 1, (at) => ({ data: [{ uuid: `r${at}` }], next_page_url: '?page=2' })],
	['are the first one each time', 1, () => ({ ...firstPage, current_page: 1, last_page: 3 })],
])('Pages that %s are an error that says so', async (_what, pages, replyTo) => {
	servePages(replyTo);
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toContain(
		'expected another page of the list, found a page that was already read',
	);
	expect(service.requests).toHaveLength(pages + 1);
});

it.each([
	['5 of 6 records', 6],
	['5 records, some of them twice', undefined],
])('An incomplete list says that %s were found', async (found, total) => {
	const pages = [firstPage, firstPage, secondPage];
	servePages((at) => ({ ...pages[at % 3], current_page: (at % 3) + 1, last_page: 3, total }));
	const { error } = await n8n.runNode(getAll);
	expect(error?.message).toBe(`The list stays incomplete: 3 readings found ${found}`);
	expect(service.requests).toHaveLength(9);
});

it('Pages without end are an error after 480 of them, and the advice works', async () => {
	servePages((at) => ({ data: [{ uuid: `r${at}` }], next_page_url: `?page=${at + 2}` }));
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toBe('The list is too long: it has more than 480 pages');
	expect(service.requests).toHaveLength(480);
	expect(error?.description).toContain("a 'Limit' reads fewer pages if 'Sort' is");
	const limited = { ...getAll, returnAll: false, limit: 5, sort: { order: 'listed' } };
	expect((await n8n.runNode(limited)).items).toHaveLength(5);
	expect(service.requests).toHaveLength(485);
});

describe('A list whose pages overlap', () => {
	const createdAt = '2026-11-20T10:00:00.000000Z';
	const addForm = (count: number) => {
		const fields = [{ label: 'Email', type: 'email' }];
		const { id } = service.store.addForm({ name: 'Imported', fields });
		for (let number = 0; number < count; number++) {
			const answers = { Email: `${number}@example.com` };
			service.store.addResponse(id, { answers, createdAt });
		}
		return id;
	};
	const getAllOf = (form: string, more: object = {}) => ({
		...getAll,
		formId: locator(form),
		...more,
	});

	it.each(['links', 'meta', 'inData', 'simple', 'numbers', 'header'] as const)(
		'is complete or an error, as the shape %s lists ties by page',
		async (paging) => {
			const form = addForm(60);
			Object.assign(service.shapes, { pageSize: 15, ties: 'byPage', paging });
			const { error, items } = await n8n.runNode(getAllOf(form, { sort: { order: 'newest' } }));
			expect(items).toEqual([]);
			expect(error?.message).toMatch(
				/^The list stays incomplete: 3 readings found \d+ (of 60 records|records, some of them twice)$/,
			);
			expect(error?.description).toMatch(/ The list may have changed while it was read\./);
			expect(service.requests).toHaveLength(12);
		},
	);

	it.each([{}, { text: '@example.com' }, { after: '2026-11-01' }])(
		'has all responses or is an error, as ties are listed in another order each time, with the filters %j',
		async (filters) => {
			const form = addForm(20);
			Object.assign(service.shapes, { pageSize: 15, ties: 'byRequest', paging: 'meta' });
			const { items, error } = await n8n.runNode(getAllOf(form, { filters }));
			const { size } = new Set(items.map(({ json }) => json.uuid));
			expect(error ? 0 : 20).toBe(size);
			expect(error?.message ?? '').toMatch(/^(The list stays incomplete: .*)?$/);
		},
	);

	it('adds nothing with Skip Duplicates By while an existing response may be missing', async () => {
		const form = addForm(60);
		Object.assign(service.shapes, { pageSize: 15, ties: 'byPage', paging: 'meta' });
		const [{ uuid }] = service.store.fields(form);
		const { error } = await n8n.runNode(
			{
				resource: 'response',
				operation: 'create',
				formId: locator(form),
				inputMode: 'auto',
				options: { skipDuplicatesBy: [uuid] },
			},
			[{ json: { Email: '1@example.com' } }],
		);
		expect(error?.message).toMatch(/^The list stays incomplete/);
		expect(service.store.responses(form)).toHaveLength(60);
	});

	it('is read again if a response is deleted meanwhile, and not if one is added', async () => {
		const form = addForm(45);
		Object.assign(service.shapes, { pageSize: 15, paging: 'meta' });
		const { responses } = service.store.form(form)!;
		const changeBefore = (page: number, change: () => unknown) =>
			service.faults.set({
				fault: () => void change(),
				match: { path: new RegExp(`page=${page}`) },
				times: 1,
			});
		changeBefore(2, () => responses.pop());
		const deleted = await n8n.runNode(getAllOf(form, { sort: { order: 'listed' } }));
		expect(deleted.items.map(({ json }) => json.uuid)).toEqual(
			responses.map(({ uuid }) => uuid).toReversed(),
		);
		service.requests.length = 0;
		const listed = responses.map(({ uuid }) => uuid).toReversed();
		changeBefore(2, () => service.store.addResponse(form));
		const added = await n8n.runNode(getAllOf(form, { sort: { order: 'listed' } }));
		expect(added.items.map(({ json }) => json.uuid)).toEqual(listed);
		expect(service.requests).toHaveLength(3);
	});
});

describe('On a list of 67 pages, newest first,', () => {
	const fields = [{ label: 'Name' }];
	const addLongForm = () => {
		const { id } = service.store.addForm({ name: 'Long', fields });
		for (let number = 0; number < 1000; number++) {
			const createdAt = new Date(1_760_000_000_000 + number * 60_000).toISOString();
			service.store.addResponse(id, { answers: { Name: `Person ${number}` }, createdAt });
		}
		Object.assign(service.shapes, { pageSize: 15, paging: 'meta' });
		return { id, responses: service.store.responses(id).toReversed() };
	};

	it('Response: Get reads the list once for all items', async () => {
		const { id, responses } = addLongForm();
		const get = { resource: 'response', operation: 'get', formId: locator(id) };
		const uuids = [40, 1, 16].map((index) => responses[index].uuid);
		const input = uuids.map((uuid) => ({ json: { uuid } }));
		const { items } = await n8n.runNode({ ...get, responseId: '={{ $json.uuid }}' }, input);
		expect(items.map(({ json }) => json.uuid)).toEqual(uuids);
		expect(service.requests).toHaveLength(67);
	});

	it("the editor's list reads the newest 100, and a search reads the others", async () => {
		const { id, responses } = addLongForm();
		const search = async (...filter: string[]) => {
			const given = { resource: 'response', operation: 'get', formId: locator(id) };
			const method = 'searchResponses';
			return await n8n.callMethod<INodeListSearchResult>('listSearch', method, given, ...filter);
		};
		const { results } = await search();
		expect(results.map(({ value }) => value)).toEqual(
			responses.slice(0, 100).map(({ uuid }) => uuid),
		);
		expect(service.requests).toHaveLength(7);
		expect((await search('person 0')).results).toHaveLength(1);
		expect(service.requests).toHaveLength(74);
	});

	it('Fetch Test Event reads three pages if no response meets the filters', async () => {
		const { id } = addLongForm();
		const conditions = [{ field: 'attribute:number', operator: 'less', value: '1' }];
		const filters = { conditions: { conditions } };
		const given = { formId: locator(id), events: ['responseCompleted'], filters };
		await expect(n8n.runPoll(given, { mode: 'manual' })).rejects.toThrow('No response meets');
		const isList = ({ path }: { path: string }) => path.startsWith('/responses');
		expect(service.requests.filter(isList)).toHaveLength(3);
	});
});
