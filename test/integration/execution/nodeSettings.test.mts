import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { faultTable, demoForms, slow } from '../../service/index.mts';
import { itemsOf, locator, time } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact } = demoForms;
const add = addTo(contact);
const update = {
	resource: 'setting',
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

it('Execute Once sends the first item alone', async () => {
	const { items } = await n8n.runNode(update, titles, { node: { executeOnce: true } });
	expect(items).toHaveLength(1);
	expect(listTitles()).toEqual(['A']);
});

const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

it('Retry On Fail sends what was given up with the next try, and updates nothing twice', async () => {
	const failSecond = () => (service.requests.length === 2 ? faultTable.forbidden : undefined);
	service.faults.set({ fault: failSecond });
	const { items, error } = await n8n.runNode(update, titles, { node });
	expect(error).toBeUndefined();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
	expect(listTitles()).toEqual(['A', 'B', 'B', 'C']);
	service.requests.length = 0;
	const stopped = await n8n.runNode(update, titles);
	expect(stopped.error?.description).toMatch(/1 of the 3 items was already sent \(item 0\)\./);
});

describe('Timeout', () => {
	it.each([
		['30 seconds, and not the 300 of n8n, if it is not set', undefined, 60_000],
		['the time that is set', 300, 6_000],
	])('is %s', async (_, timeout, longest) => {
		service.faults.set({ fault: slow(200_000), match: { method: 'POST' } });
		const begun = time.now();
		const given = timeout === undefined ? add : { ...add, requestOptions: { timeout } };
		const { error } = await n8n.runNode(given, answerWith('late').input);
		expect(time.now() - begun).toBeLessThan(longest);
		expect(error?.message).toMatch(/did not reply in time\. The response may or may not have/);
	});
});
