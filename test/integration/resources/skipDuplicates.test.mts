import { randomUUID } from 'node:crypto';
import { sortBy, uniqBy, zipObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { success } from '../../service/index.mts';
import { itemsOf } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

type Fields = NonNullable<Parameters<typeof service.store.addForm>[0]['fields']>;

/** A form, and what adds responses to it from JSON by the UUIDs of its fields. */
function newForm(fields: Fields) {
	const { id } = service.store.addForm({ name: 'Orders', fields });
	const uuids = service.store.fields(id).map(({ uuid }) => uuid);
	const run = async (rows: IDataObject[], skipIfExists: unknown = [uuids[0]], goesOn = false) =>
		await n8n.runNode({ ...addTo(id), options: { skipIfExists } } as never, itemsOf(...rows), {
			continueOnFail: goesOn,
		});
	return { id, uuids, run, stored: () => service.store.responses(id) };
}

/** From now on, the service lists these answers, one entry for each response, whatever is added. */
function listAnswers(answers: unknown[], attributes: IDataObject = {}) {
	const data = answers.map((responses, index) => ({ uuid: `r${index}`, responses, ...attributes }));
	service.faults.clear();
	service.faults.set({ fault: success(data), match: { path: /^\/responses\// } });
}

/** The answers of one response to one field. */
const listedAs = (value: unknown, key = 'Email') => [[{ key, value }]];

const posts = () => service.requests.filter(({ method }) => method === 'POST');
const statusesOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);

describe('With Skip Duplicates By, an item is', () => {
	it('created if only an incomplete response, or only a deleted field, has its answer', async () => {
		const { uuids, run } = newForm([{ label: 'Email' }]);
		const addOne = async () => statusesOf((await run([{ [uuids[0]]: 'a' }])).items);
		listAnswers(listedAs('a'), { is_incomplete: 1 });
		expect(await addOne()).toEqual(['created']);
		const deleted = { uuid: randomUUID(), label: 'Email', value: 'a' };
		listAnswers([[{ uuid: uuids[0], label: 'Email', value: 'b' }, deleted], [deleted]]);
		expect(await addOne()).toEqual(['created']);
	});

	it('compared by the value of a choice, and refused with a file, a list or a shared label', async () => {
		const { uuids, run } = newForm([
			{ label: 'Email', type: 'dropdown', options: ['Ham', 'Cheese'] },
			{ label: 'Uses', type: 'multiple_choice', options: ['A'] },
			{ label: 'CV', type: 'file_upload' },
			...['Same', 'Same'].map((label) => ({ label })),
		]);
		listAnswers(listedAs('Ham'));
		const addAll = async (...names: string[]) => {
			const answers = ['ham', 'A', 'https://h/a.pdf', 'x', 'y'];
			return await run([zipObject(uuids, answers)], names);
		};
		expect(statusesOf((await addAll(uuids[0])).items)).toEqual(['skipped']);
		const reasons = [/several choices/, /takes files/, /the label of another/, /"Same \(2\)" has/];
		for (const [index, reason] of reasons.entries()) {
			const { error } = await addAll(uuids[index + 1]);
			expect(error?.message).toMatch(reason);
			expect(error?.description).toMatch(/Fields for 'Skip Duplicates By' are ".*"\.$/);
		}
		expect(posts()).toEqual([]);
	});

	it.each<[string, unknown[], string]>([
		['an answer in an unclear spelling', listedAs(true), 'The answer to "Email" has an unclear'],
		['answers that could not be read', [42], 'The answers could not be read from a number.'],
		['answers under an earlier label', listedAs('a', 'Mail'), 'Its answers may have an earlier'],
	])('refused if the listing has %s', async (_, listed, reason) => {
		const { uuids, run } = newForm([{ label: 'Email' }]);
		listAnswers(listed);
		const { error } = await run([{ [uuids[0]]: 'x' }]);
		expect(error?.message).toBe("'Skip Duplicates By' can't compare response r0");
		expect(error?.description).toContain(reason);
		expect(error?.description).toMatch(/ This item was not added\./);
		expect(posts()).toEqual([]);
	});
});

describe('Skip Duplicates By', () => {
	const labels = ['A', 'B', 'C'];
	const stored = [['x', 'y', null], ['x', null, 'y'], [null, 'x', 'x']]; // prettier-ignore
	const given = [...'xyz'].flatMap((a) =>
		[...'xyz'].flatMap((b) => ['x', 'y'].map((c) => [a, b, c])),
	);

	it.each([
		['all of them, by their labels', false, false],
		['only what was answered', true, false],
		['all of them, one by an earlier label', false, true],
		['only what was answered, by an earlier label', true, true],
	])('never adds what exists nor skips what does not: %s', async (...[, omits, renames]) => {
		for (const identity of [[0], [1], [0, 2], [0, 1, 2]]) {
			const { uuids, run } = newForm(labels.map((label) => ({ label })));
			const names = labels.with(0, renames ? 'Earlier' : 'A');
			const list = (answers: Array<string | null>) =>
				answers
					.map((value, at) => ({ key: names[at], value }))
					.filter(({ value }) => value !== null || !omits);
			listAnswers(stored.map(list));
			service.requests.length = 0;
			const keyOf = (answers: Array<string | null>) => identity.map((at) => answers[at]).join();
			// equal items of a run are added once, whatever exists
			const rows = uniqBy(given, keyOf);
			const input = rows.map((row) => zipObject(uuids, row));
			const { items } = await run(
				input,
				identity.map((at) => uuids[at]),
				true,
			);
			expect(items).toHaveLength(rows.length);
			for (const [index, { json }] of items.entries()) {
				const exists = stored.some((answers) => keyOf(answers) === keyOf(rows[index]));
				if (json.error === undefined) expect(json.status).toBe(exists ? 'skipped' : 'created');
				else expect(json.error).toMatch(/^'Skip Duplicates By' can't compare/);
				expect(json.error === undefined || renames).toBe(true);
			}
			expect(posts()).toHaveLength(items.filter(({ json }) => json.status === 'created').length);
		}
	});
});

describe('Skip Duplicates By and the items of one run', () => {
	it('adds the first of equal items, and returns its UUID for the others', async () => {
		const { uuids, run, stored } = newForm([{ label: 'Email' }, { label: 'Comment' }]);
		const rows = ['a', 'b', 'c'].map((text) => ({ [uuids[0]]: ' ada ', [uuids[1]]: text }));
		const { items } = await run(rows);
		const [{ uuid, answers }] = stored();
		expect(stored()).toHaveLength(1);
		expect(answers[uuids[1]]).toBe('a');
		expect(statusesOf(items)).toEqual(['created', 'skipped', 'skipped']);
		expect(items.map(({ json }) => json.uuid)).toEqual([uuid, uuid, uuid]);
	});

	it('adds 50 items once, and none of them when they are run again, with two requests', async () => {
		const { id, uuids, run, stored } = newForm([{ label: 'Email' }]);
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

	it('adds an item after an equal one that was refused', async () => {
		const { uuids, run } = newForm([{ label: 'Email' }]);
		service.faults.set({ fault: 'forbidden', match: { method: 'POST' }, times: 1 });
		const { items } = await run([{ [uuids[0]]: 'a' }, { [uuids[0]]: 'a' }], [uuids[0]], true);
		expect(statusesOf(items)).toEqual([undefined, 'created']);
	});
});

it.each([' , ', '={{ null }}', [[]]])('Skip Duplicates By cannot be %j', async (given) => {
	const { uuids, run } = newForm([{ label: 'Email' }]);
	const { error } = await run([{ [uuids[0]]: 'a' }], given);
	expect(error?.message).toMatch(/^'Skip Duplicates By' /);
	expect(service.requests).toEqual([]);
});
