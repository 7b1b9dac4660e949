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
	const run = async (rows: IDataObject[], skipDuplicatesBy: unknown = [uuids[0]], goesOn = false) =>
		await n8n.runNode({ ...addTo(id), options: { skipDuplicatesBy } } as never, itemsOf(...rows), {
			continueOnFail: goesOn,
		});
	return { id, uuids, run, stored: () => service.store.responses(id) };
}

/** From now on, the service lists this response, whatever is added. */
function listResponse(responses: unknown, attributes: object = {}) {
	const data = [{ id: 'r0', responses, ...attributes }];
	service.faults.set({ fault: success(data), match: { path: /^\/responses\// } });
}

const posts = () => service.requests.filter(({ method }) => method === 'POST');
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

describe('Skip Duplicates By', () => {
	const same = { Email: 'ab', Size: 'm' };
	const deleted = { label: 'Size', value: 'm', uuid: randomUUID() };
	it.each<[string, unknown, string, object?]>([
		['the same answers', same, 'skipped'],
		['the same answers, but is incomplete', same, 'created', { is_incomplete: 1 }],
		['another answer', { ...same, Size: 'L' }, 'created'],
		['an answer to a deleted field', [{ key: 'Email', value: 'ab' }, deleted], 'created'],
		['no answer', { ...same, Size: null, Note: 'x' }, 'created'],
		['an empty answer of an earlier field', { Email: 'ab', Old: null }, 'created'],
		[
			'an answer that may be that of a renamed field',
			{ Email: 'ab', Old: 'm' },
			'Some answers may',
		],
		['an unclear spelling', { ...same, Email: true }, 'The answer to "Email" is ambiguous'],
		['answers of another shape', 42, 'from a number. This item was not added.'],
	])('holds an item against a response that has %s', async (...given) => {
		const [, listed, outcome, attributes] = given;
		const size = { label: 'Size', type: 'dropdown' as const, options: ['M', 'L'] };
		const { uuids, run } = newForm({ label: 'Email' }, size, { label: 'Note' });
		listResponse(listed, attributes);
		const by = uuids.slice(0, 2).join(', ');
		const { items, error } = await run([zipObject(uuids, ['ab', 'M'])], by);
		expect(posts()).toHaveLength(outcome === 'created' ? 1 : 0);
		if (error === undefined) return expect(statusesOf(items)).toEqual([outcome]);
		expect(error.message).toBe("'Skip Duplicates By' can't compare response r0");
		expect(error.description).toContain(outcome);
	});

	const note = { Note: 'x' };
	it.each<[unknown, IDataObject, string]>([
		[['Uses'], note, `can't compare "Uses"`],
		[['CV'], note, `can't compare "CV"`],
		[['Same'], note, `can't compare "Same"`],
		[['None'], note, `can't compare "None"`],
		[['Order'], note, 'needs an answer to "Order"'],
		[['Order'], { Order: '9007199254740993' }, "can't compare this item"],
		[' , ', note, 'has an empty entry'],
		['={{ null }}', note, 'must be a list'],
		[[], note, 'is empty'],
	])('cannot be %j for the answers %j: it %s', async (names, answers, problem) => {
		const { run } = newForm(
			{ label: 'Uses', type: 'multiple_choice', options: ['A'] },
			{ label: 'CV', type: 'file_upload' },
			{ label: 'Order', type: 'number' },
			...['Same', 'Same', 'Note'].map((label) => ({ label })),
		);
		const { error } = await run([answers], names);
		expect(error?.message).toContain(`'Skip Duplicates By' ${problem}`);
		expect(posts()).toEqual([]);
	});

	it('adds the first of equal items, and none if all are run again, with two requests', async () => {
		const { id, uuids, run, stored } = newForm({ label: 'Email' }, { label: 'Row' });
		const rows = ['ada', 'bob', ' ada '].map((email, row) => zipObject(uuids, [email, `${row}`]));
		const { items } = await run(rows);
		expect(statusesOf(items)).toEqual(['created', 'created', 'skipped']);
		expect(items[2].json.uuid).toBe(items[0].json.uuid);
		const added = stored().map(({ answers }) => answers[uuids[1]]);
		expect(added.toSorted()).toEqual(['0', '1']);
		service.requests.length = 0;
		const again = await run(rows);
		const skipped = items.map(({ json }) => ({ json: { ...json, status: 'skipped' } }));
		expect(again.items).toMatchObject(skipped);
		const asked = service.requests.map(({ path, query }) => ({ path, query }));
		expect(sortBy(asked, 'path')).toEqual([
			{ path: `/forms/${id}/fields`, query: {} },
			{ path: `/responses/${id}`, query: { incomplete: 'false' } },
		]);
		service.faults.set({ fault: 'forbidden', match: { method: 'POST' } });
		const { error } = await run([...rows, zipObject(uuids, ['cleo'])]);
		expect(error?.description).not.toContain('already sent');
	});

	it.each([
		['the same fields in another order', ['a@x.de', 'a@x.de'], ['0,1', '1,0']],
		['other fields than an earlier item', ['a@x.de', 'b@x.de'], ['0', '1']],
		['a field twice', ['a@x.de', 'a@x.de'], ['0', '0,0']],
	])('skips an item that equals an earlier item by %s', async (_, emails, chosen) => {
		const { uuids, run, stored } = newForm({ label: 'Email' }, { label: 'Phone' });
		const rows = emails.map((email) => zipObject(uuids, [email, '1']));
		const by = chosen.map((indexes) => indexes.split(',').map((index) => uuids[Number(index)]));
		const { items } = await run(rows, `={{ ${JSON.stringify(by)}[$itemIndex] }}`);
		expect(statusesOf(items)).toEqual(['created', 'skipped']);
		expect(stored()).toHaveLength(1);
		const lists = service.requests.filter(({ path }) => path.startsWith('/responses/'));
		expect(lists).toHaveLength(1);
	});

	it.each([
		['adds an item after an equal one that was refused', 'forbidden', [undefined, 'created']],
		['adds none after one that may have been added', 'dropAfter', [undefined, undefined]],
	] as const)('%s', async (_, fault, statuses) => {
		const { uuids, run, stored } = newForm({ label: 'Email' });
		service.faults.set({ fault, match: { method: 'POST' }, times: 1 });
		const { items } = await run([{ [uuids[0]]: 'a' }, { [uuids[0]]: 'a' }], [uuids[0]], true);
		expect(statusesOf(items)).toEqual(statuses);
		expect(stored()).toHaveLength(1);
	});
});
