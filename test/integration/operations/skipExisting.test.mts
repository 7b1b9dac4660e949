import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';
import { itemsOf, locator } from '../harness.mts';
import { decrypting } from '../n8n/credentials.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

/** A form of its own, and what adds a response with an email address and a comment to it. */
function newForm() {
	const fields = [{ label: 'Email' }, { label: 'Comment' }, { label: 'Comment' }];
	const { id } = service.store.addForm({ name: 'Orders', fields });
	const [email, comment, second] = service.store.fields(id).map(({ uuid }) => uuid);
	const create = {
		resource: 'response',
		operation: 'create',
		formId: locator(id),
		inputMode: 'json',
		answersJson: '={{ $json }}',
	};
	return {
		id,
		email,
		comment,
		second,
		create,
		once: { ...create, options: { skipIfExists: [email] } },
		add: (answers: IDataObject) => service.store.addResponse(id, { answers: answers as never }),
		stored: () => service.store.responses(id),
	};
}

const statusOf = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.status);
const asked = () => service.requests.map(({ method, path }) => `${method} ${path}`);

const atOnce = decrypting.wait;
afterEach(() => {
	decrypting.wait = atOnce;
});

describe('Response: Create with Skip Duplicates By', () => {
	it('adds the first of equal items, whatever each has to wait for before', async () => {
		const rows = fc.array(
			fc.record({ order: fc.integer({ min: 0, max: 3 }), byLabel: fc.boolean() }),
			{ minLength: 2, maxLength: 12 },
		);
		const delays = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 3, maxLength: 30 });
		await fc.assert(
			fc.asyncProperty(rows, delays, async (given, turns) => {
				const { email, comment, once, stored } = newForm();
				let index = 0;
				decrypting.wait = async () => {
					for (let turn = turns[index++ % turns.length]; turn > 0; turn--) await setImmediate();
				};
				const answers = given.map(({ order, byLabel }, row) => ({
					[byLabel ? 'Email' : email]: `${order}`,
					[comment]: `${row}`,
				}));
				const { items, error } = await n8n.runNode(once, itemsOf(...answers));
				expect(error).toBeUndefined();
				const firsts = given.flatMap(({ order }, row) =>
					given.findIndex((one) => one.order === order) === row ? [row] : [],
				);
				expect(items.flatMap(({ json }, row) => (json.status === 'created' ? [row] : []))).toEqual(
					firsts,
				);
				expect(
					stored()
						.map((response) => Number(response.answers[comment]))
						.toSorted((a, b) => a - b),
				).toEqual(firsts);
			}),
			{ numRuns: 20 },
		);
	});

	it('adds 50 items once, and none when they are run again', async () => {
		const { id, email, once, stored } = newForm();
		const rows = Array.from({ length: 50 }, (_, index) => ({ [email]: `p${index}@a.example` }));
		const first = await n8n.runNode(once, itemsOf(...rows));
		expect(first.error).toBeUndefined();
		expect(new Set(statusOf(first.items))).toEqual(new Set(['created']));
		expect(stored()).toHaveLength(50);
		service.requests.length = 0;
		const again = await n8n.runNode(once, itemsOf(...rows));
		expect(again.items.map(({ json }) => json)).toEqual(
			first.items.map(({ json: { uuid } }, index) => ({
				status: 'skipped',
				uuid,
				form: { id, name: null },
				answers: { Email: `p${index}@a.example` },
			})),
		);
		expect(stored()).toHaveLength(50);
		expect(asked().toSorted()).toEqual([`GET /forms/${id}/fields`, `GET /responses/${id}`]);
	});

	it('adds equal items of a run once, and says which response that is', async () => {
		const { email, comment, once, stored } = newForm();
		const rows = ['a', 'b', 'c'].map((text) => ({ [email]: ' ada@a.example ', [comment]: text }));
		const { items } = await n8n.runNode(once, itemsOf(...rows));
		const [{ uuid }] = stored();
		expect(stored()).toHaveLength(1);
		expect(items.map(({ json }) => [json.status, json.uuid])).toEqual([
			['created', uuid],
			['skipped', uuid],
			['skipped', uuid],
		]);
	});

	it('goes by all of the chosen fields together, and by the right one of two with one label', async () => {
		const { email, comment, second, create, add, stored } = newForm();
		add({ [email]: 'ada@a.example', [comment]: 'x', [second]: 'y' });
		const options = { skipIfExists: `${email}, ${second}` };
		const rows = [
			{ [email]: 'ada@a.example', [second]: 'x' },
			{ [email]: 'ada@a.example', [second]: 'y' },
		];
		const { items } = await n8n.runNode({ ...create, options }, itemsOf(...rows));
		expect(statusOf(items)).toEqual(['created', 'skipped']);
		expect(stored()).toHaveLength(2);
	});

	it('adds an equal item where the one before it certainly was not added', async () => {
		const { email, once, stored } = newForm();
		service.faults.set({ fault: 'forbidden', match: { method: 'POST' }, times: 1 });
		const rows = itemsOf({ [email]: 'ada@a.example' }, { [email]: 'ada@a.example' });
		const { items } = await n8n.runNode(once, rows, { continueOnFail: true });
		expect(statusOf(items)).toEqual([undefined, 'created']);
		expect(stored()).toHaveLength(1);
	});

	it('adds no equal item where nobody knows what became of the one before it', async () => {
		const { email, once, stored } = newForm();
		service.faults.set({ fault: 'dropAfter', match: { method: 'POST' }, times: 1 });
		const rows = itemsOf({ [email]: 'ada@a.example' }, { [email]: 'ada@a.example' });
		const { items } = await n8n.runNode(once, rows, { continueOnFail: true });
		expect(items.map(({ json }) => json.error)).toEqual(
			Array(2).fill(expect.stringMatching(/may or may not have been added/)),
		);
		expect(stored()).toHaveLength(1);
	});

	it('offers the fields of the form to choose from', async () => {
		const { id, email } = newForm();
		const options = await n8n.callMethod<unknown[]>('loadOptions', 'getFieldOptions', {
			formId: locator(id),
		});
		expect(options[0]).toEqual({ name: 'Email', value: email });
		expect(options).toHaveLength(3);
	});
});
