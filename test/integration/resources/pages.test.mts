import { shuffle } from 'lodash';
import { expect, it } from 'vitest';
import { demoForms, type Fault, type Service } from '../../service/index.mts';
import type { Form } from '../../service/store.mts';
import { locator } from '../harness.mts';
import { running } from '../world.mts';
import { testRuns, type Given } from './runs.mts';

/** How a list of several pages is read; the contract has the replies and their links. */

const { service, n8n } = await running();
const { contact } = demoForms;
const raw = { returnAll: true, simplify: false };
const listed = { sort: { order: 'listed' } };
const getAll = { resource: 'response', operation: 'getAll', formId: locator(contact), ...raw };
const limited = { returnAll: false, ...listed, limit: 5 };

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

const fivePages = (at: number) => pageOf('abcde'[at % 5], at % 5 < 4 ? (at % 5) + 2 : undefined);
const overlapping = (at: number) => (at === 0 ? pageOf('abc', 2) : pageOf('cdef', 3));
const ids = { responseId: locator('={{ $json.id }}'), simplify: false };

const readings = ['abc', 'e', 'bcd', 'd', 'bcd', 'e'];
/** The first page changes while it is read, by a deletion, and the next reading hides one. */
const changing = (at: number) =>
	pageOf(readings[at], at % 2 === 0 ? 2 : undefined, { total: at === 0 ? 5 : 4 });

const shifted = ['ab', 'bd', 'ac', 'cb'];
/** Each reading misses another one of the four records. */
const shifting = (at: number) =>
	pageOf(shifted[at % 4], at % 2 === 0 ? 2 : undefined, { total: 4 });

testRuns('Response: Get Many', {
	'joins the records of two readings': onPages(shifting, raw),
	'reads no page after the limit': onPages(overlapping, { ...raw, ...limited }),
	'reads no page twice': onPages((at) => pageOf('abc'[at], 2), raw),
	'puts no deleted record in the place of a hidden one': onPages(changing, raw),
});

testRuns('Response: Get', {
	'reads no page after the one with the response': onPages(fivePages, ids, { id: 'b' }),
	'reads all pages once for several items': onPages(fivePages, ids, { id: 'a' }, { id: 'd' }),
});

it('Pages without end are an error after 480 of them, and the advice works', async () => {
	servePages(service, (at) => ({ data: [{ uuid: `r${at}` }], next_page_url: `?page=${at + 2}` }));
	const { error, items } = await n8n.runNode(getAll);
	expect(items).toEqual([]);
	expect(error?.message).toBe('The list stays incomplete: it has more than 480 pages');
	expect(service.requests).toHaveLength(480);
	expect(error?.description).toContain("a 'Limit' reads fewer pages if 'Sort' is");
	expect((await n8n.runNode({ ...getAll, ...limited })).items).toHaveLength(5);
	expect(service.requests).toHaveLength(485);
});

/** A form with so many responses, all of one time, listed 15 at a time. */
function addForm(count: number): Form {
	const form = service.store.addForm({ name: 'Imported', fields: [{ label: 'Email' }] });
	const createdAt = '2026-11-20T10:00:00.000000Z';
	for (let number = 0; number < count; number++)
		service.store.addResponse(form.id, { answers: { Email: `${number}@example.com` }, createdAt });
	service.shapes.pageSize = 15;
	return form;
}

const INCOMPLETE = /^The list stays incomplete: 3 readings found \d+ of \d+ records$/;

it('A list whose pages overlap has all responses, or is an error', async () => {
	const { id, responses } = addForm(20);
	// those of one second are in another order on each page
	const reorder = () => void responses.splice(0, 20, ...shuffle(responses));
	service.faults.set({ fault: reorder, match: { path: /^\/responses/ } });
	const { items, error } = await n8n.runNode({ ...getAll, formId: locator(id) });
	const { size } = new Set(items.map(({ json }) => json.uuid));
	expect(size).toBe(error === undefined ? 20 : 0);
	if (error !== undefined) expect(error.message).toMatch(INCOMPLETE);
});

it('A list is read again if a response is deleted meanwhile, and not if one is added', async () => {
	const { id, responses } = addForm(45);
	const findListed = () => responses.map(({ uuid }) => uuid).toReversed();
	const runWith = async (change: () => unknown) => {
		service.faults.set({ fault: () => void change(), match: { path: /page=2/ }, times: 1 });
		const given = { ...getAll, ...listed, formId: locator(id) };
		return (await n8n.runNode(given)).items.map(({ json }) => json.uuid);
	};
	expect(await runWith(() => responses.pop())).toEqual(findListed());
	service.requests.length = 0;
	const before = findListed();
	expect(await runWith(() => service.store.addResponse(id))).toEqual(before);
	expect(service.requests).toHaveLength(3);
});
