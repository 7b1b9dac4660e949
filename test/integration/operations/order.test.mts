import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { itemsOf, locator } from '../harness.mts';
import { decrypting } from '../n8n/credentials.mts';
import { withWorld } from '../world.mts';

const atOnce = decrypting.wait;
afterEach(() => {
	decrypting.wait = atOnce;
});

/** From now on, what n8n does before a request takes each item another time. */
function delayEachBy(turns: readonly number[]) {
	let index = 0;
	decrypting.wait = async () => {
		const count = turns[index++ % turns.length];
		for (let turn = 0; turn < count; turn++) await setImmediate();
	};
}

const anyDelays = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 3, maxLength: 40 });

/** Two rows for each of so many forms. */
const rowsFor = (ids: readonly string[]) => [
	...ids.map((id) => ({ id, text: 'first' })),
	...ids.map((id) => ({ id, text: 'last' })),
];

describe('Setting: Update', () => {
	const update = {
		resource: 'settings',
		operation: 'update',
		formId: locator('={{ $json.id }}'),
		settings: { description: '={{ $json.text }}' },
	};

	it.each([{}, { skipUnchanged: true }])(
		'gives 200 forms the last of two rows, whatever is slow on the way, with the options %j',
		async (options) => {
			await withWorld(
				async ({ service, n8n }) => {
					const ids = Array.from(
						{ length: 200 },
						(_, index) => service.store.addForm({ name: `Form ${index}` }).id,
					);
					delayEachBy([5, 0, 9, 1, 3, 0, 0, 12, 2]);
					const { error } = await n8n.runNode({ ...update, options }, itemsOf(...rowsFor(ids)));
					expect(error).toBeUndefined();
					const stored = ids.map((id) => service.store.form(id)!.settings.description);
					expect(stored.filter((text) => text !== 'last')).toEqual([]);
				},
				{ perMinute: 10_000, perDay: 100_000 },
			);
		},
	);

	it('keeps the order of the input for each form, whatever the delays', async () => {
		await withWorld(
			async ({ service, n8n }) => {
				const ids = ['One', 'Two', 'Three'].map((name) => service.store.addForm({ name }).id);
				const rows = fc.array(fc.constantFrom(...ids), { minLength: 2, maxLength: 12 });
				await fc.assert(
					fc.asyncProperty(rows, anyDelays, async (chosen, turns) => {
						service.requests.length = 0;
						delayEachBy(turns);
						await n8n.runNode(
							update,
							itemsOf(...chosen.map((id, index) => ({ id, text: `${index}` }))),
						);
						for (const id of ids) {
							const sent = service.requests
								.filter(({ path }) => path.includes(id))
								.map(({ body }) => (body as { description: string }).description);
							expect(sent).toEqual(
								chosen.flatMap((form, index) => (form === id ? [`${index}`] : [])),
							);
						}
					}),
					{ numRuns: 15 },
				);
			},
			{ perMinute: 10_000, perDay: 100_000 },
		);
	});
});

describe('Response: Create with Skip If Exists', () => {
	it('adds the first of two equal items and skips the second, in each of 200 pairs', async () => {
		await withWorld(
			async ({ service, n8n }) => {
				const { id } = service.store.addForm({ name: 'Orders', fields: [{ label: 'Order' }] });
				const [{ uuid }] = service.store.fields(id);
				const orders = Array.from({ length: 200 }, (_, index) => ({ [uuid]: `Order ${index}` }));
				delayEachBy([5, 0, 9, 1, 3, 0, 0, 12, 2]);
				const { items, error } = await n8n.runNode(
					{
						resource: 'response',
						operation: 'create',
						formId: locator(id),
						inputMode: 'json',
						answersJson: '={{ $json }}',
						options: { skipIfExists: [uuid] },
					},
					itemsOf(...orders, ...orders),
				);
				expect(error).toBeUndefined();
				const statuses = items.map(({ json }) => json.status);
				expect(new Set(statuses.slice(0, 200))).toEqual(new Set(['created']));
				expect(new Set(statuses.slice(200))).toEqual(new Set(['skipped']));
			},
			{ perMinute: 10_000, perDay: 100_000 },
		);
	});
});
