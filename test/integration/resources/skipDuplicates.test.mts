import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { success } from '../../service/index.mts';
import type { NewField } from '../../service/store.mts';
import { itemsOf } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

let forms = 0;

/** A form whose fields have their labels as UUIDs, and what adds responses to it. */
function newForm(...fields: NewField[]) {
	const withUuids = fields.map((field) => ({ uuid: field.label, ...field }));
	const { id } = service.store.addForm({ id: `${++forms}`, name: 'Orders', fields: withUuids });
	const run = async (rows: IDataObject[], by: unknown = ['Email'], continueOnFail = false) => {
		const given = { ...addTo(id), options: { skipDuplicatesBy: by } } as INodeParameters;
		return await n8n.runNode(given, itemsOf(...rows), { continueOnFail });
	};
	return { run, stored: () => service.store.responses(id) };
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
		['an answer of a renamed field', { Email: 'ab', Old: 'm' }, 'Some answers may belong to a'],
		['an unclear spelling', { ...same, Email: ['ab', 'c'] }, 'The answer to "Email" is ambiguous'],
		['answers of another shape', 42, 'from a number. This item was not added.'],
	])('holds an item against a response that has %s', async (...given) => {
		const [, responses, outcome, attributes] = given;
		const size = { label: 'Size', type: 'dropdown' as const, options: ['M', 'L'] };
		const { run } = newForm({ label: 'Email' }, size, { label: 'Note' });
		const data = [{ id: 'r0', responses, ...attributes }];
		service.faults.set({ fault: success(data), match: { path: /^\/responses\// } });
		const { items, error } = await run([{ Email: 'ab', Size: 'M' }], 'Email, Size');
		expect(posts()).toHaveLength(outcome === 'created' ? 1 : 0);
		if (error === undefined) return expect(statusesOf(items)).toEqual([outcome]);
		expect(error.message).toBe("'Skip Duplicates By' can't compare response r0");
		expect(error.description).toContain(outcome);
	});

	it('adds the first of equal items, and none if all are run again', async () => {
		const { run, stored } = newForm({ label: 'Email' }, { label: 'Row' });
		const rows = ['ada', 'bob', ' ada '].map((Email, Row) => ({ Email, Row }));
		const { items } = await run(rows);
		expect(statusesOf(items)).toEqual(['created', 'created', 'skipped']);
		expect(items[2].json.uuid).toBe(items[0].json.uuid);
		expect(stored().map(({ answers }) => answers.Row)).toEqual([0, 1]);
		const again = await run(rows);
		const skipped = items.map(({ json }) => ({ json: { ...json, status: 'skipped' } }));
		expect(again.items).toMatchObject(skipped);
	});

	it('skips an item that equals an earlier item by the same fields in another order', async () => {
		const { run, stored } = newForm({ label: 'Email' }, { label: 'Phone' });
		const row = { Email: 'a', Phone: '1' };
		const by = '={{ ["Email, Phone", "Phone, Email"][$itemIndex] }}';
		const { items } = await run([row, row], by);
		expect(statusesOf(items)).toEqual(['created', 'skipped']);
		expect(stored()).toHaveLength(1);
	});

	it.each([
		['adds an item after an equal one that was refused', 'forbidden', [undefined, 'created']],
		['adds none after one that may have been added', 'dropAfter', [undefined, 'skipped']],
	] as const)('%s', async (_, fault, statuses) => {
		const { run, stored } = newForm({ label: 'Email' });
		service.faults.set({ fault, match: { method: 'POST' }, times: 1 });
		const { items } = await run([{ Email: 'a' }, { Email: 'a' }], ['Email'], true);
		expect(statusesOf(items)).toEqual(statuses);
		expect(stored()).toHaveLength(1);
	});
});
