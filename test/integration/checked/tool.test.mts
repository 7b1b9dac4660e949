import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { running } from '../resources/running.mts';
import { agents, runAgent } from './agent.mts';

const { service } = await running();
const account = { accessToken: service.token, baseUrl: service.url };
const titles = ['One', 'Two', 'Three'];
const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator(demoForms.contact),
	settings: { seo_title: "={{ $fromAI('title', 'The title', 'string') }}" },
};

describe.each(agents)(
	'as a tool that %s runs for an agent with several items, the node',
	(agent) => {
		it('does what is asked for each of them, and gives back what came of it', async () => {
			const { results, error } = await runAgent(
				account,
				agent,
				update,
				itemsOf(...titles.map((title) => ({ title }))),
			);
			expect(error).toBeUndefined();
			expect(service.requests.map(({ body }) => body)).toEqual(
				titles.map((title) => ({ seo_title: title })),
			);
			expect(results).toHaveLength(3);
			for (const result of results) expect(result).toMatchObject([{ id: demoForms.contact }]);
		});

		it('gives a listing as one result', async () => {
			const list = { resource: 'form', operation: 'getAll', returnAll: true };
			const { results } = await runAgent(account, agent, list, itemsOf({}, {}));
			const ids = Object.values(demoForms).map((id) => expect.objectContaining({ id }));
			expect(results).toEqual([expect.arrayContaining(ids), expect.arrayContaining(ids)]);
		});

		it('sends nothing that is not valid, and says why', async () => {
			const { results, error } = await runAgent(
				account,
				agent,
				update,
				itemsOf({ title: 'x'.repeat(256) }, { title: 'y'.repeat(256) }),
			);
			expect(service.requests).toEqual([]);
			expect(error?.message ?? JSON.stringify(results)).toMatch(/255 characters/);
		});
	},
);
