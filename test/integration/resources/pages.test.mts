import { describe, expect, it } from 'vitest';
import { demoForms, status, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

/** How a listing is read page by page; `unit/api/replies` has the ways to find the next page. */

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
	it.each([`${LIST}?page=2`, `${LIST}/?page=2`, `http://forms.internal${LIST}?page=2`])(
		"%s is requested at the list's own URL and query",
		async (next) => {
			servePages(() => ({ data: [{ uuid: 'first', is_incomplete: false }], next }), 1);
			const { items } = await n8n.runNode({ ...getAll, status: 'complete' });
			const others = service.store.responses(contact).filter(({ isIncomplete }) => !isIncomplete);
			const uuids = ['first', ...others.map(({ uuid }) => uuid)];
			expect(items.map(({ json }) => json.uuid).sort()).toEqual(uuids.sort());
			const queries = [{ incomplete: 'false' }, { incomplete: 'false', page: '2' }];
			expect(service.requests.map(({ query }) => query)).toEqual(queries);
		},
	);

	it.each([
		`/api/v1/responses/${demoForms.survey}?page=2`,
		`${LIST}/archived?page=2`,
		`https://forms.internal/?${LIST}`,
		'file:///etc/passwd',
	])('to %s is not followed, and nothing is returned', async (next) => {
		servePages(() => ({ data: [{ uuid: 'first' }], links: { next } }));
		const { error, items } = await n8n.runNode(getAll);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^There are more pages, but .* no link to the next one/);
		expect(error?.message).toContain(`(it is at ${next})`);
		expect(error?.description).toMatch(/^Nothing was returned, because the list may be incomplete/);
		expect(service.requests).toHaveLength(1);
	});
});

it('A response that moves to the next page while pages are read is returned once', async () => {
	const pages = [
		['b', 'a'],
		['a', 'c', ''],
		['d', ''],
	];
	const listed = pages.map((page) => page.map((uuid, index) => ({ uuid, index })));
	servePages((at) => ({
		data: listed[at],
		meta: { current_page: at + 1, last_page: 3, total: 7 },
	}));
	const { items } = await n8n.runNode(getAll);
	expect(items.map(({ json }) => json.uuid)).toEqual(['b', 'a', 'c', '', 'd', '']);
});

it('A UUID is the same in capital and in small letters, on any page', async () => {
	const [a, b, c] = [1, 2, 3].map((digit) => `${digit}b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d`);
	const listed = [
		[a, b],
		[b.toUpperCase(), c],
	];
	servePages((at) => ({
		data: listed[at].map((uuid) => ({ uuid })),
		last_page: 2,
		current_page: at + 1,
	}));
	const { items } = await n8n.runNode(getAll);
	expect(items.map(({ json }) => json.uuid)).toEqual([a, b, c]);
});

it.each([
	['lead to an earlier one', 2, (at: number) => ({ data: [{ uuid: `r${at}` }], next: '?page=2' })],
	['begin alike', 4, (at: number) => ({ data: [{ uuid: 'a' }, { at }], next: `?page=${at + 2}` })],
])('Pages that %s are an error', async (_what, count, replyTo) => {
	servePages(replyTo);
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toBe('The pages of the list form a loop');
	expect(service.requests).toHaveLength(count);
});

it.each([400, 404, 410, 422])(
	'A later page with status %i has an expired position',
	async (code) => {
		servePages(() => ({ data: [{ uuid: 'a' }], next_cursor: 'old' }), 1);
		service.faults.set({ fault: status(code, 'No'), match: { path: /^\/responses/ } });
		const { error } = await n8n.runNode(getAll);
		expect(error).toMatchObject({
			message: `The position in the list has expired or is no longer valid (status ${code})`,
			description: 'Run this again to read the list from its first page.',
		});
	},
);

it('Pages without end are an error after 480 of them, and the advice works', async () => {
	servePages((at) => ({ data: [{ uuid: `r${at}` }], next_cursor: `c${at + 1}` }));
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toBe('The list has more than 480 pages');
	expect(service.requests).toHaveLength(480);
	expect(error?.description).toContain("a 'Limit' reads fewer pages if 'Sort' is");
	const limited = { ...getAll, returnAll: false, limit: 5, sort: 'listed' };
	expect((await n8n.runNode(limited)).items).toHaveLength(5);
	expect(service.requests).toHaveLength(485);
});
