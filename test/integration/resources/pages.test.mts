import { describe, expect, it } from 'vitest';
import { demoForms, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';

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

type Reply = { body: object; headers?: Record<string, string> };

/** Replies to the requests for the list, by the query and the number of the request, from 0. */
function servePages(replyTo: (query: Record<string, string>, count: number) => Reply, times = 500) {
	let count = 0;
	const fault: Fault = {
		stage: 'instead',
		act: ({ request, reply }) => {
			const { body, headers = {} } = replyTo(request.query as Record<string, string>, count++);
			void reply.headers(headers).send({ success: true, ...body });
		},
	};
	service.faults.set({ fault, times, match: { path: /^\/responses/ } });
}

const all = Array.from({ length: 25 }, (_, index) => ({ uuid: `r${index + 1}` }));

describe('25 responses on pages of 10', () => {
	const serve = (describePage: (page: number) => object) =>
		servePages(({ page: asked = '1' }) => {
			const page = Number(asked);
			const data = all.slice((page - 1) * 10, page * 10);
			return { body: { data, ...describePage(page) } };
		});
	const byNumber = (page: number) => ({ meta: { current_page: page, last_page: 3 } });

	it('are read to the end', async () => {
		serve(byNumber);
		const { items, error } = await n8n.runNode(getAll);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(all);
		expect(service.requests).toHaveLength(3);
	});

	it('are an error, and never 10 responses, if nothing says where the next page is', async () => {
		serve((page) => ({ has_more: page < 3 }));
		const { items, error } = await n8n.runNode(getAll);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^There are more pages, but .* no link .* \("has_more"\)$/);
		expect(error?.description).toMatch(/^Nothing was returned, because the list may be incomplete/);
	});
});

describe('A link to the next page', () => {
	it.each<[string, object, Record<string, string>?]>([
		['in the body', { links: { next: `${LIST}?page=2` } }],
		['in the Link header', {}, { link: `<${LIST}?page=2>; rel="next"` }],
		['at another host', { next: `http://forms.internal${LIST}?page=2` }],
	])("%s is requested at the list's own URL and query", async (_, body, headers) => {
		servePages(() => ({ body: { data: [{ uuid: 'first' }], ...body }, headers }), 1);
		const { items } = await n8n.runNode({ ...getAll, status: 'complete' });
		const others = service.store.responses(contact).filter(({ isIncomplete }) => !isIncomplete);
		const uuids = ['first', ...others.map(({ uuid }) => uuid)];
		expect(items.map(({ json }) => json.uuid).sort()).toEqual(uuids.sort());
		const queries = [{ incomplete: 'false' }, { incomplete: 'false', page: '2' }];
		expect(service.requests.map(({ query }) => query)).toEqual(queries);
	});

	it.each([
		'/elsewhere?page=2',
		`/api/v1/responses/${demoForms.survey}?page=2`,
		`${LIST}/archived?page=2`,
		'https://forms.internal/api/v1/workspace',
		`https://forms.internal/?${LIST}`,
		'file:///etc/passwd',
	])('to %s is not followed', async (next) => {
		servePages(() => ({ body: { data: [{ uuid: 'first' }], links: { next } } }));
		const { error, items } = await n8n.runNode(getAll);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^There are more pages, but/);
		expect(error?.message).toContain(`(it is at ${next})`);
		expect(service.requests).toHaveLength(1);
	});
});

describe('Pages without end', () => {
	const serve = (recordsOf: (count: number) => object[]) =>
		servePages((_, at) => ({ body: { data: recordsOf(at), next_cursor: `c${at + 1}` } }));

	it('are an error after 480 pages, and the advice works', async () => {
		serve((count) => [{ uuid: `r${count}` }]);
		const { error, items } = await n8n.runNode(getAll);
		expect(items).toEqual([]);
		expect(error?.message).toBe('The list has more than 480 pages');
		expect(service.requests).toHaveLength(480);
		expect(error?.description).toContain("a 'Limit' reads fewer pages if 'Sort' is");
		const limited = { ...getAll, returnAll: false, limit: 5, sort: 'listed' };
		expect((await n8n.runNode(limited)).items).toHaveLength(5);
	});
});
