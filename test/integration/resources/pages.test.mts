import { expect, it } from 'vitest';
import { demoForms, type Fault, type Service } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { createWorld } from '../world.mts';
import { testRuns, type Given } from './runs.mts';

/** How a list of several pages is read; the contract has the replies and their links. */

const raw = { returnAll: true, simplify: false };
const limited = { returnAll: false, sort: { order: 'listed' }, limit: 5 };

/** A reply with these responses, which have one letter each, and a link to another page. */
const pageOf = (uuids: string, page?: number, more: object = {}) => ({
	data: Array.from(uuids, (uuid) => ({ uuid })),
	next_page_url: page === undefined ? null : `?page=${page}`,
	...more,
});

/** Replies to the requests for the list, by the number of the request, from 0. */
function servePages({ faults }: Service, replyTo: (count: number) => object): void {
	let count = 0;
	const fault: Fault = {
		stage: 'instead',
		act: ({ reply }) => void reply.send({ success: true, ...replyTo(count++) }),
	};
	faults.set({ fault, match: { path: /^\/responses/ } });
}

const onPages = (replyTo: (count: number) => object, ...given: Given) => ({
	given,
	prepare: (service: Service) => servePages(service, replyTo),
});

/** Each reading has two pages. The first one of all announces a total, and all others the later total. */
const onTwoPages = (pages: string[], total: number, laterTotal = total) =>
	onPages((at) => {
		const announced = at === 0 ? total : laterTotal;
		return pageOf(pages[at], at % 2 === 0 ? 2 : undefined, { total: announced });
	}, raw);

const overlapping = (at: number) => (at === 0 ? pageOf('abc', 2) : pageOf('cdef', 3));

testRuns('Response: Get Many', {
	'joins the records of two readings, of which each misses one': onTwoPages(
		['ab', 'bd', 'ac', 'cb'],
		4,
	),
	'reads no list again to which one was added': onTwoPages(['ab', 'bc'], 3, 4),
	'puts no deleted record in the place of a hidden one': onTwoPages(
		['abc', 'e', 'bcd', 'd', 'bcd', 'e'],
		5,
		4,
	),
	'reads no page after the limit': onPages(overlapping, { ...raw, ...limited }),
	'reads no page twice': onPages((at) => pageOf('abc'[at], 2), raw),
});

it('Pages without end are an error after 480 of them', async () => {
	const { service, n8n } = await createWorld({ perMinute: 10_000 });
	servePages(service, (at) => ({ data: [{ uuid: `r${at}` }], next_page_url: `?page=${at + 2}` }));
	const getAll = { resource: 'response', operation: 'getAll', formId: locator(demoForms.contact) };
	const { error, items } = await n8n.runNode({ ...getAll, ...raw });
	expect(items).toEqual([]);
	expect(error?.message).toBe('The list stays incomplete: it has more than 480 pages');
	expect(service.requests).toHaveLength(480);
});
