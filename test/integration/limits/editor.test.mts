import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { n8nFor, time, type N8n } from '../harness.mts';
import { pathsOf } from './watch.mts';

const KEYS = Array.from('customer survey of 20', (_key, index, all = 'customer survey of 20') =>
	all.slice(0, index + 1),
);

/** Types into the list of forms: all keys before the first answer is there. */
const typeFast = async ({ searchForms }: N8n) =>
	await Promise.allSettled(KEYS.map(async (text) => await searchForms(text)));

/** Types into the list of forms: each key once the last answer is there. */
async function typeSlowly({ searchForms }: N8n) {
	const results: Array<PromiseSettledResult<unknown>> = [];
	for (const text of KEYS) results.push(...(await Promise.allSettled([searchForms(text)])));
	return results;
}

describe('lists in the editor', () => {
	it('cost one request, however fast a person types', async () => {
		await withWorld(async ({ service, n8n }) => {
			const results = [...(await typeFast(n8n)), ...(await typeSlowly(n8n))];
			expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
			expect(pathsOf(service.requests)).toEqual(['/forms']);
		});
	});

	it('share that request with the resource mapper, whatever forms are chosen in it', async () => {
		await withWorld(async ({ service, n8n }) => {
			const chosen = Object.values(demoForms);
			await Promise.all(chosen.map(async (formId) => await n8n.getFormFields(formId)));
			for (const formId of chosen) await n8n.getFormFields(formId);
			await typeFast(n8n);
			expect(pathsOf(service.requests)).toEqual(['/forms']);
		});
	});

	it('ask once for the fields of a form that the list of forms does not have', async () => {
		await withWorld(async ({ service, n8n }) => {
			await n8n.searchForms();
			const { id } = service.store.addForm({ name: 'New', fields: [{ label: 'Only' }] });
			await Promise.all([n8n.getFormFields(id), n8n.getFormFields(id)]);
			const { fields } = await n8n.getFormFields(id);
			expect(fields.map(({ displayName }) => displayName)).toEqual(['Only']);
			expect(pathsOf(service.requests)).toEqual(['/forms', `/forms/${id}/fields`]);
		});
	});

	it('are not asked for again at each key while the service refuses them', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'forbidden' });
			const results = [...(await typeFast(n8n)), ...(await typeSlowly(n8n))];
			for (const result of results) {
				expect(result).toMatchObject({ status: 'rejected', reason: { httpCode: '403' } });
			}
			expect(pathsOf(service.requests)).toEqual(['/forms']);
		});
	});

	it('are asked for as often as any request while the service is in trouble, not at each key', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'unavailable' });
			const results = [...(await typeFast(n8n)), ...(await typeSlowly(n8n))];
			expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
			expect(service.requests).toHaveLength(4);
		});
	});

	it('are read again 10 seconds after a failure, and a minute after a success', async () => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: 'forbidden', times: 1 });
			await expect(n8n.searchForms()).rejects.toThrow('Access denied');
			await time.sleep(9_000);
			await expect(n8n.searchForms()).rejects.toThrow('Access denied');
			expect(service.requests).toHaveLength(1);
			for (const [pauseMs, requests] of [
				[2_000, 2],
				[59_000, 2],
				[2_000, 3],
			]) {
				await time.sleep(pauseMs);
				await n8n.searchForms();
				expect(service.requests).toHaveLength(requests);
			}
		}, AT_ONCE);
	});

	it('are never those of another account', async () => {
		await withWorld(async ({ service, n8n }) => {
			const { id: accountId } = service.store.addAccount({ name: 'Other', tokens: ['other'] });
			service.store.addForm({ name: 'Of the other', accountId });
			await n8n.searchForms();
			const other = n8nFor({ accessToken: 'other', baseUrl: service.url });
			const { results } = await other.searchForms();
			expect(results.map(({ name }) => name)).toEqual(['Of the other']);
		});
	});
});
