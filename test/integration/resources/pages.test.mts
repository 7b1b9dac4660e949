import { describe, expect, it } from 'vitest';
import { demoForms, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

/** How a listing is read page by page; `unit/api/replies` has the places of lists and links. */

const { service, n8n } = await running();
const { contact } = demoForms;
const getAll = {
	resource: 'response',
	operation: 'getAll',
	formId: locator(contact),
	returnAll: true,
	simplify: false,
};

/** Replies to the requests for the list, by the number of the request, from 0. */
function servePages(replyTo: (count: number) => object, times = 500) {
	let count = 0;
	const fault: Fault = {
		stage: 'instead',
		act: ({ reply }) => void reply.send({ success: true, ...replyTo(count++) }),
	};
	service.faults.set({ fault, times, match: { path: /^\/responses/ } });
}

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

it.each<[string, number, (at: number) => object]>([
	['lead to an earlier one', 1, (at) => ({ data: [{ uuid: `r${at}` }], next_page_url: '?page=2' })],
])('Pages that %s are an error that says so', async (_what, pages, replyTo) => {
	servePages(replyTo);
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toContain(
		'expected another page of the list, found a page that was already read',
	);
	expect(service.requests).toHaveLength(pages + 1);
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

	it('is an error if a response stays hidden, and says how many were found', async () => {
		const form = addForm(60);
		Object.assign(service.shapes, { pageSize: 15, ties: 'byPage', paging: 'meta' });
		const { error, items } = await n8n.runNode(getAllOf(form));
		expect(items).toEqual([]);
		expect(error?.message).toMatch(
			/^The list stays incomplete: 3 readings found \d+ of 60 records$/,
		);
		expect(service.requests).toHaveLength(12);
	});

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

it('Response: Get reads the list once for all items', async () => {
	const { id } = service.store.addForm({ name: 'Long', fields: [{ label: 'Name' }] });
	for (let number = 0; number < 60; number++) service.store.addResponse(id);
	Object.assign(service.shapes, { pageSize: 15, paging: 'meta' });
	const responses = service.store.responses(id).toReversed();
	const uuids = [40, 1, 16].map((index) => responses[index].uuid);
	const get = { resource: 'response', operation: 'get', formId: locator(id) };
	const input = uuids.map((uuid) => ({ json: { uuid } }));
	const { items } = await n8n.runNode({ ...get, responseId: '={{ $json.uuid }}' }, input);
	expect(items.map(({ json }) => json.uuid)).toEqual(uuids);
	expect(service.requests).toHaveLength(4);
});
