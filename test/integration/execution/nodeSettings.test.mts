import { describe, expect, it } from 'vitest';
import { demoForms, slow } from '../../service/index.mts';
import { itemsOf, locator, time } from '../harness.mts';
import { addTo } from '../api/adding.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();
const { contact } = demoForms;

it('Execute Once sends the first item alone', async () => {
	const update = {
		resource: 'setting',
		operation: 'update',
		formId: locator(contact),
		settings: { seo_title: '={{ $json.title }}' },
	};
	const titles = itemsOf({ title: 'A' }, { title: 'B' }, { title: 'C' });
	const { items } = await n8n.runNode(update, titles, { node: { executeOnce: true } });
	expect(items).toHaveLength(1);
	expect(service.requests).toMatchObject([{ body: { seo_title: 'A' } }]);
});

describe('Timeout', () => {
	it.each([
		['30 seconds, and not the 300 of n8n, if it is not set', {}, 60_000],
		['the time that is set', { requestOptions: { timeout: 300 } }, 6_000],
	])('is %s', async (_, given, longestMs) => {
		service.faults.set({ fault: slow(200_000), match: { method: 'POST' } });
		const begun = time.now();
		const [{ uuid }] = service.store.fields(contact);
		const { error } = await n8n.runNode({ ...addTo(contact), ...given }, itemsOf({ [uuid]: 'x' }));
		expect(time.now() - begun).toBeLessThan(longestMs);
		expect(error?.message).toMatch(/ did not reply in time\. /);
	});
});
