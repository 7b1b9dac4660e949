import { expect, it } from 'vitest';
import { faultTable, type FaultName } from '../../service/index.mts';
import { n8nFor } from '../harness.mts';
import { running } from '../world.mts';
import { namesIn, newForm, watch } from './watching.mts';

const { service } = await running();
const { store } = service;
let tokens = 0;

/** An n8n with a token of its own for the one account: what the service refused to another is nothing to it. */
function n8nWithNewToken() {
	const accessToken = `token-${++tokens}`;
	store.addToken(store.firstAccount()!.id, accessToken);
	return n8nFor({ accessToken, baseUrl: service.url });
}

const isHarmless = (name: FaultName) => name === 'gzip';
const names = (Object.keys(faultTable) as FaultName[]).filter((name) => !isHarmless(name));

it.each(names)('A poll that fails changes nothing, and another delivers: %s', async (fault) => {
	const form = newForm(service);
	const trigger = watch(n8nWithNewToken(), form);
	await trigger.poll();
	store.addResponse(form, { answers: { Name: 'Ada' } });
	const before = trigger.saved();
	service.requests.length = 0;
	service.faults.set({ fault });
	expect(await trigger.poll({ activation: 'update', budgetMs: 1_500 })).toEqual([]);
	expect(trigger.saved()).toEqual(before);
	// only a redirect within the service is followed
	if (!fault.startsWith('redirect')) expect(service.requests.length).toBeLessThanOrEqual(1);
	service.faults.clear();
	trigger.use(n8nWithNewToken());
	expect(namesIn(await trigger.poll())).toEqual(['Ada']);
	expect(await trigger.poll()).toEqual([]);
});
