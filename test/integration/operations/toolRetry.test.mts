import { describe, expect, it } from 'vitest';
import { demoForms, status } from '../../service/index.mts';
import { agents, runAgent } from '../checked/agent.mts';
import { itemsOf, locator } from '../harness.mts';
import { withWorld, type World } from '../world.mts';

const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

/** Lets an agent add a response for each text, with a tool that tries again. */
async function addWithAgent(
	{ service }: World,
	agent: (typeof agents)[number],
	texts: readonly string[],
) {
	const [{ uuid }] = service.store.fields(demoForms.contact);
	const add = {
		resource: 'response',
		operation: 'create',
		formId: locator(demoForms.contact),
		inputMode: 'json',
		answersJson: `={{ { "${uuid}": $fromAI('text', 'The text', 'string') } }}`,
	};
	const account = { accessToken: service.token, baseUrl: service.url };
	const items = itemsOf(...texts.map((text) => ({ text })));
	const { results, error } = await runAgent(account, agent, add, items, retry);
	const added = service.store
		.responses(demoForms.contact)
		.map(({ answers }) => String(answers[uuid]))
		.filter((text) => texts.includes(text));
	return { results, error, added };
}

describe.each(agents)('a tool with Retry On Fail that %s runs for an agent', (agent) => {
	it('adds no response twice where the service may have taken it', async () => {
		await withWorld(async (world) => {
			world.service.faults.set({ fault: 'dropAfter' });
			const { results, error, added } = await addWithAgent(world, agent, ['Ada']);
			expect(added).toEqual(['Ada']);
			expect(error?.message ?? JSON.stringify(results)).toMatch(/may or may not have been added/);
		});
	});

	it('tries again what was certainly not taken', async () => {
		await withWorld(async (world) => {
			world.service.faults.set({ fault: status(403, 'Not yet.'), times: 1 });
			const { error, added } = await addWithAgent(world, agent, ['Ada']);
			expect(error).toBeUndefined();
			expect(added).toEqual(['Ada']);
		});
	});

	it('adds what two calls of the model ask for, even if they ask for the same', async () => {
		await withWorld(async (world) => {
			const { error, added } = await addWithAgent(world, agent, ['Ada', 'Ada']);
			expect(error).toBeUndefined();
			expect(added).toEqual(['Ada', 'Ada']);
		});
	});
});
