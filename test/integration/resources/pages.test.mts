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

it('Response: Get reads no page after the one with the response, and for several items all pages once', async () => {
	const replyTo = (at: number) => ({
		data: [{ uuid: `r${at % 5}`, responses: [] }],
		next_page_url: at % 5 < 4 ? `?page=${(at % 5) + 2}` : null,
	});
	const get = { ...getAll, operation: 'get', responseId: locator('={{ $json.uuid }}') };
	servePages(replyTo);
	const several = ['r0', 'r3'].map((uuid) => ({ json: { uuid } }));
	expect((await n8n.runNode(get, several)).items).toHaveLength(2);
	expect(service.requests).toHaveLength(5);
	expect((await n8n.runNode(get, [{ json: { uuid: 'r1' } }])).items).toHaveLength(1);
	expect(service.requests).toHaveLength(5 + 2);
});

it('A page that leads to an earlier one is an error', async () => {
	servePages((at) => ({ data: [{ uuid: `r${at}` }], next_page_url: '?page=2' }));
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toContain('found a page that was already read');
	expect(service.requests).toHaveLength(2);
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

it('A record that was found before a deletion never takes the place of one that is hidden', async () => {
	const pages = ['abc', 'e', 'bcd', 'd', 'bcd', 'e'];
	servePages((at) => ({
		data: Array.from(pages[at], (uuid) => ({ uuid })),
		total: at === 0 ? 5 : 4,
		next_page_url: at % 2 === 0 ? '?page=2' : null,
	}));
	const { items } = await n8n.runNode(getAll);
	expect(items.map(({ json }) => json.uuid).toSorted()).toEqual(['b', 'c', 'd', 'e']);
});

describe('A list whose pages overlap', () => {
	/** A form with so many responses, all of one time, listed 15 at a time. */
	const addForm = (count: number, shapes: Partial<typeof service.shapes> = {}) => {
		const { id } = service.store.addForm({ name: 'Imported', fields: [{ label: 'Email' }] });
		for (let number = 0; number < count; number++) {
			const answers = { Email: `${number}@example.com` };
			service.store.addResponse(id, { answers, createdAt: '2026-11-20T10:00:00.000000Z' });
		}
		Object.assign(service.shapes, { pageSize: 15, paging: 'meta', ...shapes });
		return id;
	};
	const run = async (form: string, more: object = {}) =>
		await n8n.runNode({ ...getAll, formId: locator(form), ...more });

	it('is an error if a response stays hidden, and says how many were found', async () => {
		const { error, items } = await run(addForm(60, { ties: 'byPage' }));
		expect(items).toEqual([]);
		const message = /^The list stays incomplete: 3 readings found \d+ of 60 records$/;
		expect(error?.message).toMatch(message);
		expect(service.requests).toHaveLength(12);
	});

	it.each([{}, { text: '@example.com' }, { after: '2026-11-01' }])(
		'has all responses or is an error, as ties are listed in another order each time, with the filters %j',
		async (filters) => {
			const { items, error } = await run(addForm(20, { ties: 'byRequest' }), { filters });
			const { size } = new Set(items.map(({ json }) => json.uuid));
			expect(error ? 0 : 20).toBe(size);
			expect(error?.message ?? '').toMatch(/^(The list stays incomplete: .*)?$/);
		},
	);

	it('adds nothing with Skip Duplicates By while an existing response may be missing', async () => {
		const form = addForm(60, { ties: 'byPage' });
		const create = { operation: 'create', inputMode: 'json', answersJson: '{"Email": "1@x.de"}' };
		const { error } = await run(form, { ...create, options: { skipDuplicatesBy: ['Email'] } });
		expect(error?.message).toMatch(/^The list stays incomplete/);
		expect(service.store.responses(form)).toHaveLength(60);
	});

	it('is read again if a response is deleted meanwhile, and not if one is added', async () => {
		const form = addForm(45);
		const { responses } = service.store.form(form)!;
		const listed = () => responses.map(({ uuid }) => uuid).toReversed();
		const runWith = async (change: () => unknown) => {
			const match = { path: /page=2/ };
			service.faults.set({ fault: () => void change(), match, times: 1 });
			const { items } = await run(form, { sort: { order: 'listed' } });
			return items.map(({ json }) => json.uuid);
		};
		expect(await runWith(() => responses.pop())).toEqual(listed());
		service.requests.length = 0;
		const before = listed();
		expect(await runWith(() => service.store.addResponse(form))).toEqual(before);
		expect(service.requests).toHaveLength(3);
	});
});
