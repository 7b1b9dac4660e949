import { randomUUID } from 'node:crypto';
import { sortBy, zipObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { success } from '../../service/index.mts';
import { itemsOf } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

type Fields = NonNullable<Parameters<typeof service.store.addForm>[0]['fields']>;

/** A form, and what adds responses to it from JSON by the UUIDs of its fields. */
function newForm(...fields: Fields) {
	const { id } = service.store.addForm({ name: 'Orders', fields });
	const uuids = service.store.fields(id).map(({ uuid }) => uuid);
	const run = async (rows: IDataObject[], skipIfExists: unknown = [uuids[0]], goesOn = false) =>
		await n8n.runNode({ ...addTo(id), options: { skipIfExists } } as never, itemsOf(...rows), {
			continueOnFail: goesOn,
		});
	return { id, uuids, run, stored: () => service.store.responses(id) };
}

/** From now on, the service lists this response, whatever is added. */
function listResponse(responses: unknown, attributes: object = {}) {
	const data = [{ uuid: 'r0', responses, ...attributes }];
	service.faults.set({ fault: success(data), match: { path: /^\/responses\// } });
}

const posts = () => service.requests.filter(({ method }) => method === 'POST');
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

describe('Skip Duplicates By', () => {
	const same = { Email: 'a', Size: 'm' };
	const deleted = { label: 'Size', value: 'm', uuid: randomUUID() };
	it.each<[string, unknown, string, object?]>([
		['the same answers', same, 'skipped'],
		['the same answers, but is incomplete', same, 'created', { is_incomplete: 1 }],
		['another answer', { ...same, Size: 'L' }, 'created'],
		['an answer to a deleted field', [{ key: 'Email', value: 'a' }, deleted], 'created'],
		['no answer', { ...same, Size: null, Note: 'x' }, 'created'],
		['no entry', { Email: 'a' }, 'created'],
		['an empty answer of an earlier field', { Email: 'a', Old: null }, 'created'],
		['an answer that may be that of a renamed field', { Email: 'a', Old: 'm' }, 'Its answers may'],
		['an unclear spelling', { ...same, Email: true }, 'The answer to "Email" has an unclear'],
		['answers of another shape', 42, 'from a number. This item was not added.'],
	])('holds an item against a response that has %s', async (...given) => {
		const [, listed, outcome, attributes] = given;
		const size = { label: 'Size', type: 'dropdown' as const, options: ['M', 'L'] };
		const { uuids, run } = newForm({ label: 'Email' }, size, { label: 'Note' });
		listResponse(listed, attributes);
		const { items, error } = await run([zipObject(uuids, ['a', 'M'])], uuids.slice(0, 2));
		expect(posts()).toHaveLength(outcome === 'created' ? 1 : 0);
		if (error === undefined) return expect(statusesOf(items)).toEqual([outcome]);
		expect(error.message).toBe("'Skip Duplicates By' can't compare response r0");
		expect(error.description).toContain(outcome);
	});

	it.each(['Uses', 'CV', 'Same', 'Same (2)', 'None'])('cannot compare %s', async (name) => {
		const { uuids, run } = newForm(
			{ label: 'Uses', type: 'multiple_choice', options: ['A'] },
			{ label: 'CV', type: 'file_upload' },
			...['Same', 'Same', 'Other'].map((label) => ({ label })),
		);
		const { error } = await run([{ [uuids[4]]: 'x' }], [name]);
		expect(error?.message).toBe(`'Skip Duplicates By' can't compare "${name}"`);
		expect(posts()).toEqual([]);
	});

	it.each([
		[{ Note: 'x' }, `"Order" has no answer. 'Skip Duplicates By' compares this field`],
		[{ Order: '9007199254740993' }, "'Skip Duplicates By' can't compare this item"],
	])('needs an answer of each item that can be compared, not %j', async (answers, message) => {
		const { run } = newForm({ label: 'Order', type: 'number' }, { label: 'Note' });
		const { error } = await run([answers], ['Order']);
		expect(error?.message).toBe(message);
		expect(posts()).toEqual([]);
	});

	it.each([' , ', '={{ null }}', [[]]])('cannot be %j', async (given) => {
		const { uuids, run } = newForm({ label: 'Email' });
		const { error } = await run([{ [uuids[0]]: 'a' }], given);
		expect(error?.message).toMatch(/^'Skip Duplicates By' /);
		expect(service.requests).toEqual([]);
	});

	it('adds the first of equal items, and returns its UUID for the others', async () => {
		const { uuids, run, stored } = newForm({ label: 'Email' }, { label: 'Comment' });
		const rows = ['a', 'b', 'c'].map((text) => ({ [uuids[0]]: ' ada ', [uuids[1]]: text }));
		const { items } = await run(rows);
		const [{ uuid, answers }] = stored();
		expect(stored()).toHaveLength(1);
		expect(answers[uuids[1]]).toBe('a');
		expect(statusesOf(items)).toEqual(['created', 'skipped', 'skipped']);
		expect(items.map(({ json }) => json.uuid)).toEqual([uuid, uuid, uuid]);
	});

	it('adds 50 items once, and none of them when they are run again, with two requests', async () => {
		const { id, uuids, run, stored } = newForm({ label: 'Email' });
		const rows = Array.from({ length: 50 }, (_, index) => ({ [uuids[0]]: `p${index}` }));
		const first = await run(rows);
		expect(new Set(statusesOf(first.items))).toEqual(new Set(['created']));
		service.requests.length = 0;
		const again = await run(rows);
		const skipped = first.items.map(({ json }) => ({ json: { ...json, status: 'skipped' } }));
		expect(again.items).toMatchObject(skipped);
		expect(stored()).toHaveLength(50);
		const asked = service.requests.map(({ path, query }) => ({ path, query }));
		expect(sortBy(asked, 'path')).toEqual([
			{ path: `/forms/${id}/fields`, query: {} },
			{ path: `/responses/${id}`, query: { incomplete: 'false' } },
		]);
	});

	it('compares each item by its own fields, if an expression names them', async () => {
		const { uuids, run } = newForm({ label: 'Email' }, { label: 'Order' });
		const [email, order] = uuids;
		listResponse({ Email: 'a', Order: '1' });
		const rows = [
			{ [email]: 'a', [order]: '2' },
			{ [email]: 'b', [order]: '1' },
		];
		const by = `={{ $json["${order}"] === "1" ? "${order}" : "${email}" }}`;
		expect(statusesOf((await run(rows, by)).items)).toEqual(['skipped', 'skipped']);
	});

	it('adds an item after an equal one that was refused', async () => {
		const { uuids, run } = newForm({ label: 'Email' });
		service.faults.set({ fault: 'forbidden', match: { method: 'POST' }, times: 1 });
		const { items } = await run([{ [uuids[0]]: 'a' }, { [uuids[0]]: 'a' }], [uuids[0]], true);
		expect(statusesOf(items)).toEqual([undefined, 'created']);
	});
});
