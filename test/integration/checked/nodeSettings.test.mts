import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { faultTable, demoForms, slow, status, type Service } from '../../service/index.mts';
import { withWorld } from '../world.mts';
import { itemsOf, locator, time } from '../harness.mts';
import { addTo } from '../limits/adding.mts';

/** The settings that n8n gives every node, with this one. */

const contact = demoForms.contact;
const add = addTo(contact);
const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator(contact),
	settings: { seo_title: '={{ $json.title }}' },
};
const titles = itemsOf({ title: 'A' }, { title: 'B' }, { title: 'C' });

const answersFor = ({ store }: Pick<Service, 'store'>, ...texts: string[]) => {
	const [{ uuid }] = store.fields(contact);
	return {
		input: itemsOf(...texts.map((text) => ({ [uuid]: text }))),
		/** What the form has of these texts, in the order in which it came. */
		added: () =>
			store
				.responses(contact)
				.map(({ answers }) => String(answers[uuid]))
				.filter((text) => texts.includes(text)),
	};
};

describe('Execute Once', () => {
	it('works on the first item alone', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { items, error } = await n8n.runNode(update, titles, { node: { executeOnce: true } });
			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
			expect(service.requests.map(({ body }) => body)).toEqual([{ seo_title: 'A' }]);
		});
	});
});

describe('Retry On Fail', () => {
	const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

	it('starts a clean run: what was given up is sent with the next try', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'forbidden', times: 1 });
			const { items, error } = await n8n.runNode(update, titles, { node: retry });
			expect(error).toBeUndefined();
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 1, 2].map((item) => ({ item })),
			);
		});
	});

	it('updates nothing again that an earlier try has updated', async () => {
		await withWorld(async ({ service, n8n }) => {
			const failSecond = () => (service.requests.length === 2 ? faultTable.forbidden : undefined);
			service.faults.set({ fault: failSecond });
			const { items, error } = await n8n.runNode(update, titles, { node: retry });
			expect(error).toBeUndefined();
			expect(items).toHaveLength(3);
			expect(service.requests.map(({ body }) => (body as IDataObject).seo_title)).toEqual([
				...['A', 'B'],
				...['B', 'C'],
			]);
		});
	});

	it('sends nothing at any try when an item is not valid', async () => {
		await withWorld(async ({ service, n8n }) => {
			const input = itemsOf({ title: 'A' }, { title: 'x'.repeat(256) });
			const { error } = await n8n.runNode(update, input, { node: retry });
			expect(error).toMatchObject({ context: { itemIndex: 1 } });
			expect(service.requests).toEqual([]);
		});
	});

	it('adds no response twice where the service may have taken it', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { input, added } = answersFor(service, 'only');
			service.faults.set({ fault: 'dropAfter' });
			const { error } = await n8n.runNode(add, input, { node: retry });
			expect(error?.message).toMatch(/may or may not have been added$/);
			expect(added()).toEqual(['only']);
		});
	});

	it.each([false, true])(
		'adds the responses of an earlier try only once, if the node continues: %j',
		async (continueOnFail) => {
			await withWorld(async ({ service, n8n }) => {
				const { input, added } = answersFor(service, 'first', 'second', 'third');
				// the first is refused for good measure, the others are added meanwhile
				service.faults.set({ fault: status(403, 'Not yet.'), times: 1 });
				const { items, error } = await n8n.runNode(add, input, { node: retry, continueOnFail });
				expect(error).toBeUndefined();
				expect(added().toSorted()).toEqual(['first', 'second', 'third']);
				expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
					[0, 1, 2].map((item) => ({ item })),
				);
				expect(items.every(({ json }) => typeof json.uuid === 'string')).toBe(true);
			});
		},
	);
});

describe('Always Output Data', () => {
	it('gives an empty item where there is nothing', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { id } = service.store.addForm({ name: 'Empty', fields: [{ label: 'Only' }] });
			const list = { resource: 'response', operation: 'getAll', formId: locator(id) };
			const { items } = await n8n.runNode(list, undefined, { node: { alwaysOutputData: true } });
			expect(items).toMatchObject([{ json: {} }]);
			expect((await n8n.runNode(list)).items).toEqual([]);
		});
	});
});

describe('the batching of the request options', () => {
	const batching = { batch: { batchSize: 2, batchInterval: 300 } };

	it('waits between batches', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { items } = await n8n.runNode({ ...update, requestOptions: { batching } }, titles);
			expect(items).toHaveLength(3);
			const [, second, third] = service.requests.map(({ at }) => at);
			expect(third - second).toBeGreaterThan(200);
		});
	});

	it('sends nothing of the later batches after a failure', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'forbidden', times: 1 });
			const { error } = await n8n.runNode({ ...update, requestOptions: { batching } }, titles);
			expect(error?.message).toMatch(/Access denied/);
			// the second item of the batch waits for the first, which is about the same form
			expect(service.requests).toHaveLength(1);
		});
	});
});

describe('the timeout of the request options', () => {
	it('is 30 seconds if nobody has set it, not the 300 seconds that n8n composes', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(200_000) });
			const begun = time.now();
			const { error } = await n8n.runNode(add, answersFor(service, 'late').input);
			expect(time.now() - begun).toBeLessThan(60_000);
			expect(error?.message).toMatch(/did not reply in time/);
		});
	});

	it('holds for each reply', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: slow(20_000) });
			const begun = time.now();
			const { error } = await n8n.runNode(
				{ ...add, requestOptions: { timeout: 300 } },
				answersFor(service, 'late').input,
			);
			expect(time.now() - begun).toBeLessThan(6_000);
			expect(error?.message).toMatch(
				/did not reply in time\. The response may or may not have been added/,
			);
		});
	});

	it.each(['5000', 1_500.5, 2 ** 31, 9e12, -3, 'soon', null])(
		'may come from an expression, as whatever it comes: %j',
		async (timeout) => {
			await withWorld(async ({ service, n8n }) => {
				const { input, added } = answersFor(service, 'in time');
				const requestOptions = { timeout: `={{ ${JSON.stringify(timeout)} }}` };
				const { error } = await n8n.runNode({ ...add, requestOptions }, input);
				expect(error).toBeUndefined();
				expect(added()).toEqual(['in time']);
			});
		},
	);
});
