import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { itemsOf, locator } from '../harness.mts';
import { decrypting } from '../n8n/credentials.mts';
import { addTo } from '../limits/adding.mts';
import { running } from '../world.mts';

/** The order of items about one form, if what n8n does before a request takes each item another time. */

const { service, n8n } = await running();
const atOnce = decrypting.wait;
afterEach(() => {
	decrypting.wait = atOnce;
});

const TURNS = [5, 0, 9, 1, 3, 0, 0, 12, 2];

/** From now on, decrypting the credential takes each item so many turns of the event loop. */
function delayEachBy(turns: readonly number[]) {
	let index = 0;
	decrypting.wait = async () => {
		const count = turns[index++ % turns.length] ?? 0;
		for (let turn = 0; turn < count; turn++) await setImmediate();
	};
}

const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator('={{ $json.id }}'),
	settings: { description: '={{ $json.text }}' },
};

it('Setting: Update keeps the order of the input for each form', async () => {
	delayEachBy(TURNS);
	const ids = ['One', 'Two', 'Three'].map((name) => service.store.addForm({ name }).id);
	const rows = Array.from({ length: 40 }, (_, at) => ({ id: ids[(at * at) % 3], text: `${at}` }));
	await n8n.runNode(update, itemsOf(...rows));
	for (const id of ids) {
		const sent = service.requests.filter(({ path }) => path.includes(id));
		const bodies = rows.flatMap((row) => (row.id === id ? { description: row.text } : []));
		expect(sent.map(({ body }) => body)).toEqual(bodies);
	}
});

it('Response: Create with Skip Duplicates By adds the first of two equal items, for 50 pairs', async () => {
	delayEachBy(TURNS);
	const { id } = service.store.addForm({ name: 'Orders', fields: [{ label: 'Order' }] });
	const [{ uuid }] = service.store.fields(id);
	const orders = Array.from({ length: 50 }, (_, index) => ({ [uuid]: `Order ${index}` }));
	const parameters = { ...addTo(id), options: { skipIfExists: [uuid] } };
	const { items } = await n8n.runNode(parameters, itemsOf(...orders, ...orders));
	const statuses = items.map(({ json }) => json.status);
	expect(statuses).toEqual([...Array(50).fill('created'), ...Array(50).fill('skipped')]);
});
