import { expect, it } from 'vitest';
import { demoForms, type FaultName } from '../../service/index.mts';
import { AT_ONCE, createWorld, pathsOf } from '../world.mts';
import { n8nFor, time } from '../harness.mts';

it.each<[string, FaultName | undefined, number]>([
	['one request', undefined, 1],
	['one request if it is refused', 'forbidden', 1],
	['four tries while Form Service is in trouble', 'unavailable', 4],
])('Typing into the list of forms costs %s in half a minute', async (_what, fault, requests) => {
	const { service, n8n } = await createWorld(AT_ONCE);
	if (fault) service.faults.set({ fault });
	const type = async (text: string) => await n8n.searchForms(text).catch(() => undefined);
	await Promise.all([type('s'), type('su')]);
	await time.sleep(29_000);
	await type('sur');
	expect(pathsOf(service.requests)).toEqual(Array(requests).fill('/forms'));
	await time.sleep(2_000);
	await type('surv');
	expect(service.requests).toHaveLength(2 * requests);
});

it('The fields of a form cost one more request than its list', async () => {
	const { service, n8n } = await createWorld();
	const { contact } = demoForms;
	await n8n.searchForms();
	await Promise.all([n8n.getFormFields(contact), n8n.getFormFields(contact)]);
	expect(pathsOf(service.requests)).toEqual(['/forms', `/forms/${contact}/fields`]);
});

it('Another account of the service sees nothing of a list', async () => {
	const { service, n8n } = await createWorld();
	await n8n.searchForms();
	const other = n8nFor({ accessToken: 'another', baseUrl: service.url });
	await expect(other.searchForms()).rejects.toThrow('Form Service rejected the access token');
});
