import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { itemsOf, locator } from '../harness.mts';
import { decrypting } from '../n8n/credentials.mts';
import { addTo } from '../limits/adding.mts';
import { withWorld, type World } from '../world.mts';

const atOnce = decrypting.wait;
afterEach(() => {
	decrypting.wait = atOnce;
});

/** From now on, what n8n does before a request takes each item another time. */
function delayEachBy(turns: readonly number[]) {
	let index = 0;
	decrypting.wait = async () => {
		const count = turns[index++ % turns.length] ?? 0;
		for (let turn = 0; turn < count; turn++) await setImmediate();
	};
}

const anyDelays = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 3, maxLength: 40 });

const COUNT = 50;

/** Runs over a service of its own, with what n8n does before a request taking each item another time. */
const withDelays = async (turns: readonly number[], work: (world: World) => Promise<void>) => {
	delayEachBy(turns);
	await withWorld(work, { perMinute: 10_000, perDay: 100_000 });
};

const UNEVEN = [5, 0, 9, 1, 3, 0, 0, 12, 2];

describe('Setting: Update', () => {
	const update = {
		resource: 'settings',
		operation: 'update',
		formId: locator('={{ $json.id }}'),
		settings: { description: '={{ $json.text }}' },
	};

	it.each([{}, { skipUnchanged: true }])(
		'gives each form the last of two rows, whatever is slow on the way, with the options %j',
		async (options) => {
			await withDelays(UNEVEN, async ({ service, n8n }) => {
				const { store } = service;
				const ids = Array.from({ length: COUNT }, () => store.addForm({ name: 'Form' }).id);
				const rows = ['first', 'last'].flatMap((text) => ids.map((id) => ({ id, text })));
				const { error } = await n8n.runNode({ ...update, options }, itemsOf(...rows));
				expect(error).toBeUndefined();
				const stored = ids.map((id) => store.form(id)!.settings.description);
				expect(stored.filter((text) => text !== 'last')).toEqual([]);
			});
		},
	);

	it('keeps the order of the input for each form, whatever the delays', async () => {
		await withDelays([], async ({ service, n8n }) => {
			const ids = ['One', 'Two', 'Three'].map((name) => service.store.addForm({ name }).id);
			const rows = fc.array(fc.constantFrom(...ids), { minLength: 2, maxLength: 12 });
			await fc.assert(
				fc.asyncProperty(rows, anyDelays, async (chosen, turns) => {
					service.requests.length = 0;
					delayEachBy(turns);
					const input = itemsOf(...chosen.map((id, index) => ({ id, text: `${index}` })));
					await n8n.runNode(update, input);
					for (const id of ids) {
						const sent = service.requests
							.filter(({ path }) => path.includes(id))
							.map(({ body }) => (body as { description: string }).description);
						const wanted = chosen.flatMap((form, index) => (form === id ? [`${index}`] : []));
						expect(sent).toEqual(wanted);
					}
				}),
				{ numRuns: 10 },
			);
		});
	});
});

describe('Response: Create with Skip Duplicates By', () => {
	it('adds the first of two equal items and skips the second, for each of many pairs', async () => {
		await withDelays(UNEVEN, async ({ service, n8n }) => {
			const { id } = service.store.addForm({ name: 'Orders', fields: [{ label: 'Order' }] });
			const [{ uuid }] = service.store.fields(id);
			const orders = Array.from({ length: COUNT }, (_, index) => ({ [uuid]: `Order ${index}` }));
			const parameters = { ...addTo(id), options: { skipIfExists: [uuid] } };
			const { items, error } = await n8n.runNode(parameters, itemsOf(...orders, ...orders));
			expect(error).toBeUndefined();
			const statuses = items.map(({ json }) => json.status);
			expect(new Set(statuses.slice(0, COUNT))).toEqual(new Set(['created']));
			expect(new Set(statuses.slice(COUNT))).toEqual(new Set(['skipped']));
		});
	});
});
