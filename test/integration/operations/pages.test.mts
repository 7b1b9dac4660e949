import { describe, expect, it } from 'vitest';
import { demoForms, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';
import { PAGES, pagingStyles, SIZE, TOTAL } from './pagingStyles.mts';
import type { PagingStyle } from './pagingStyles.mts';

const { service, n8n } = await running();
const { contact } = demoForms;

const first = { uuid: 'first', is_incomplete: false, responses: [] };

const getAll = {
	resource: 'response',
	operation: 'getAll',
	formId: locator(contact),
	returnAll: true,
};

/** A first page whose link to the next does not repeat the query. */
const firstPage = (body: object, headers: Record<string, string> = {}): Fault => ({
	name: 'a first page',
	stage: 'instead',
	act: ({ reply }) => void reply.headers(headers).send({ success: true, data: [first], ...body }),
});

const NEXT = `/api/v1/responses/${contact}?page=2`;

it.each([
	['in the list', firstPage({ links: { next: NEXT } })],
	['in the Link header', firstPage({}, { link: `<${NEXT}>; rel="next"` })],
])('a link %s is followed, with what the first page was asked for', async (_where, fault) => {
	service.faults.set({ fault, times: 1, match: { path: /^\/responses/ } });
	const { items } = await n8n.runNode({ ...getAll, status: 'complete' });
	const others = service.store.responses(contact).filter(({ isIncomplete }) => !isIncomplete);
	expect(items.map(({ json }) => json.uuid).sort()).toEqual(
		['first', ...others.map(({ uuid }) => uuid)].sort(),
	);
	expect(service.requests.map(({ query }) => query)).toEqual([
		{ incomplete: 'false' },
		{ incomplete: 'false', page: '2' },
	]);
});

/** Pages that go on for ever, each with a cursor that was not there before. */
const endless = (records: object[]): Fault => {
	let page = 0;
	return {
		name: 'endless pages',
		stage: 'instead',
		act: ({ reply }) =>
			void reply.send({ success: true, data: records, next_cursor: `c${(page += 1)}` }),
	};
};

it('pages that only repeat what was there are not asked for again and again', async () => {
	service.faults.set({ fault: endless([first]), match: { path: /^\/responses/ } });
	const { error } = await n8n.runNode(getAll);
	expect(error?.message).toBe('The pages of the list form a loop');
	expect(service.requests.length).toBeLessThan(5);
});

const all = Array.from({ length: TOTAL }, (_, index) => ({ uuid: `r${index + 1}` }));

/** A service that keeps its responses in pages of that style. */
const paged = ({ startOf, reply: replyOf }: PagingStyle): Fault => ({
	name: 'pages',
	stage: 'instead',
	act: ({ request, reply }) => {
		const query = request.query as Record<string, string>;
		const start = startOf(query);
		const records = all.slice(start, start + SIZE);
		const next = start + SIZE < TOTAL ? start + SIZE : null;
		const page = Math.floor(start / SIZE) + 1;
		const url = (parameters: Record<string, string | number>) => {
			const list = new URL(`${request.protocol}://${request.host}${request.url.split('?')[0]}`);
			for (const [name, value] of Object.entries(parameters)) {
				list.searchParams.set(name, String(value));
			}
			return list.href;
		};
		const part = { records, start, next, page, nextPage: next === null ? null : page + 1 };
		const { body, headers } = replyOf(part, { query, url });
		void reply.headers(headers ?? {}).send(body);
	},
});

describe('25 responses on pages of 10', () => {
	const followed = pagingStyles.filter(({ becomes }) => becomes === 'followed');
	const stopped = pagingStyles.filter(({ becomes }) => becomes === 'stopped');

	it.each(followed)('are followed to the end: $name', async (style) => {
		service.faults.set({ fault: paged(style), match: { path: /^\/responses/ } });
		const { items, error } = await n8n.runNode({ ...getAll, simplify: false });
		const queries = service.requests.map(({ query }) => query);
		expect(error?.message, JSON.stringify(queries)).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(all);
		expect(service.requests.length).toBeLessThanOrEqual(PAGES + 1);
	});

	it.each(stopped)('are an error and never taken for 10: $name', async (style) => {
		service.faults.set({ fault: paged(style), match: { path: /^\/responses/ } });
		const { items, error } = await n8n.runNode(getAll);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(
			/^The (list continues, but the service does not say where|pages of the list form a loop)/,
		);
	});

	it('are not asked for beyond a limit that the first page meets', async () => {
		const style = pagingStyles.find(({ name }) => name === 'Stripe: has_more')!;
		service.faults.set({ fault: paged(style), match: { path: /^\/responses/ } });
		const limited = { ...getAll, returnAll: false, limit: 10, sort: 'listed' };
		const { items } = await n8n.runNode(limited);
		expect(items).toHaveLength(10);
		expect(service.requests).toHaveLength(1);
	});
});

it.each([
	['another scheme', (host: string) => `https://${host}`],
	['another host', () => 'http://forms.internal'],
	['another port', () => 'http://127.0.0.1:1'],
	['another path to the API', (host: string) => `http://${host}/proxied`],
])('a next page that the service knows by %s is asked for at the own address', async (_, other) => {
	const { host } = new URL(service.url);
	const next = `${other(host)}/api/v1/responses/${contact}?page=2`;
	const fault = firstPage({ links: { next } });
	service.faults.set({ fault, times: 1, match: { path: /^\/responses/ } });
	const { error } = await n8n.runNode({ ...getAll, status: 'complete' });
	expect(error).toBeUndefined();
	expect(service.requests.map(({ query }) => query)).toEqual([
		{ incomplete: 'false' },
		{ incomplete: 'false', page: '2' },
	]);
});

it.each([
	'https://forms.internal/api/v1/workspace?page=2',
	`https://forms.internal/api/v1/responses/other?page=2`,
	`https://forms.internal/?/api/v1/responses/${contact}`,
	'file:///etc/passwd',
])('a next page at another address and another path is not asked for: %s', async (next) => {
	const fault = firstPage({ links: { next } });
	service.faults.set({ fault, times: 1, match: { path: /^\/responses/ } });
	const { error } = await n8n.runNode(getAll);
	expect(error?.message).toMatch(/^The next page of the list is at /);
	expect(service.requests).toHaveLength(1);
});
