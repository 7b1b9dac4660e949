import { expect, it } from 'vitest';
import { demoForms, type Fault } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { withWorld } from '../world.mts';

const { contact } = demoForms;

const first = { uuid: 'first', is_incomplete: false, responses: [] };

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
	await withWorld(async ({ service, n8n }) => {
		service.faults.set({ fault, times: 1, match: { path: /^\/responses/ } });
		const { items } = await n8n.runNode({
			resource: 'response',
			operation: 'getAll',
			formId: locator(contact),
			returnAll: true,
			status: 'complete',
		});
		const others = service.store.responses(contact).filter(({ isIncomplete }) => !isIncomplete);
		expect(items.map(({ json }) => json.uuid).sort()).toEqual(
			['first', ...others.map(({ uuid }) => uuid)].sort(),
		);
		expect(service.requests.map(({ query }) => query)).toEqual([
			{ incomplete: 'false' },
			{ incomplete: 'false', page: '2' },
		]);
	});
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
	await withWorld(async ({ service, n8n }) => {
		service.faults.set({ fault: endless([first]), match: { path: /^\/responses/ } });
		const list = { resource: 'response', operation: 'getAll', formId: locator(contact) };
		const { error } = await n8n.runNode({ ...list, returnAll: true });
		expect(error?.message).toBe('The pages of the list lead in a circle');
		expect(service.requests.length).toBeLessThan(5);
	});
});
