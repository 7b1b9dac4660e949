import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { faultTable, demoForms, slow, status } from '../../service/index.mts';
import { itemsOf, locator, time } from '../harness.mts';
import { addTo } from '../limits/adding.mts';
import { running } from '../world.mts';

/** The settings and request options that n8n gives every node. */

const { service, n8n } = await running();
const { contact } = demoForms;
const add = addTo(contact);
const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator(contact),
	settings: { seo_title: '={{ $json.title }}' },
};
const titles = itemsOf({ title: 'A' }, { title: 'B' }, { title: 'C' });
const listTitles = () => service.requests.map(({ body }) => (body as IDataObject).seo_title);

/** Items that add these texts, and what the form has gained since. */
function answerWith(...texts: string[]) {
	const [{ uuid }] = service.store.fields(contact);
	const before = service.store.responses(contact).length;
	return {
		input: itemsOf(...texts.map((text) => ({ [uuid]: text }))),
		listAdded: () => {
			const added = service.store.responses(contact).slice(before);
			return added.map(({ answers }) => answers[uuid]).toSorted();
		},
	};
}

describe('Execute Once', () => {
	it('sends the first item alone', async () => {
		const { items } = await n8n.runNode(update, titles, { node: { executeOnce: true } });
		expect(items).toHaveLength(1);
		expect(listTitles()).toEqual(['A']);
	});
});

describe('Retry On Fail', () => {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

	it('sends what was given up with the next try, and updates nothing twice', async () => {
		const failSecond = () => (service.requests.length === 2 ? faultTable.forbidden : undefined);
		service.faults.set({ fault: failSecond });
		const { items, error } = await n8n.runNode(update, titles, { node });
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(listTitles()).toEqual(['A', 'B', 'B', 'C']);
	});

	it('sends nothing at any try if an item is invalid', async () => {
		const input = itemsOf({ title: 'A' }, { title: 'x'.repeat(256) });
		const { error } = await n8n.runNode(update, input, { node });
		expect(error).toMatchObject({ context: { itemIndex: 1 } });
		expect(service.requests).toEqual([]);
	});

	it('never adds a response again that the service may have taken', async () => {
		const { input, listAdded } = answerWith('only');
		service.faults.set({ fault: 'dropAfter' });
		const { error } = await n8n.runNode(add, input, { node });
		expect(error?.message).toMatch(/may or may not have been added$/);
		expect(listAdded()).toEqual(['only']);
	});

	it.each([false, true])(
		'adds each response once after one was refused, with continue on fail: %j',
		async (continueOnFail) => {
			const { input, listAdded } = answerWith('first', 'second', 'third');
			service.faults.set({ fault: status(403, 'Not yet.'), times: 1 });
			const { items, error } = await n8n.runNode(add, input, { node, continueOnFail });
			expect(error).toBeUndefined();
			expect(listAdded()).toEqual(['first', 'second', 'third']);
			expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('created'));
		},
	);
});

describe('Batching', () => {
	it('sends nothing of the later batches after a failure', async () => {
		const batching = { batch: { batchSize: 2, batchInterval: 1 } };
		service.faults.set({ fault: 'forbidden', times: 1 });
		const { error } = await n8n.runNode({ ...update, requestOptions: { batching } }, titles);
		expect(error?.message).toMatch(/Access denied/);
		// the second item of the batch waits for the first, which is about the same form
		expect(service.requests).toHaveLength(1);
	});
});

describe('Timeout', () => {
	it.each([
		['30 seconds, and not the 300 of n8n, if it is not set', undefined, 60_000],
		['the time that is set', 300, 6_000],
	])('is %s', async (_, timeout, longest) => {
		service.faults.set({ fault: slow(200_000) });
		const begun = time.now();
		const given = timeout === undefined ? add : { ...add, requestOptions: { timeout } };
		const { error } = await n8n.runNode(given, answerWith('late').input);
		expect(time.now() - begun).toBeLessThan(longest);
		expect(error?.message).toMatch(/did not reply in time\. The response may or may not have/);
	});

	it.each(['5000', 1_500.5, 2 ** 31, 9e12, -3, 'soon', null])(
		'may be %j, which an expression gives',
		async (timeout) => {
			const { input, listAdded } = answerWith('in time');
			const requestOptions = { timeout: `={{ ${JSON.stringify(timeout)} }}` };
			const { error } = await n8n.runNode({ ...add, requestOptions }, input);
			expect(error).toBeUndefined();
			expect(listAdded()).toEqual(['in time']);
		},
	);
});
