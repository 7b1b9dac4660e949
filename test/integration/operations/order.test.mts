import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { itemsOf, locator } from '../harness.mts';
import { decrypting } from '../n8n/credentials.mts';
import { running } from '../world.mts';

const { service, n8n } = await running();

const update = {
	resource: 'settings',
	operation: 'update',
	formId: locator('={{ $json.id }}'),
	settings: { description: '={{ $json.text }}' },
};

it('Setting: Update keeps the order of the input for each form, however long n8n takes for an item', async () => {
	const { wait } = decrypting;
	onTestFinished(() => void (decrypting.wait = wait));
	// decrypting the credential takes each item another number of turns of the event loop
	const turns = [5, 0, 9, 1, 3, 0, 0, 12, 2];
	let index = 0;
	decrypting.wait = async () => {
		const count = turns[index++ % turns.length];
		for (let turn = 0; turn < count; turn++) await setImmediate();
	};
	const ids = ['One', 'Two', 'Three'].map((name) => service.store.addForm({ name }).id);
	const rows = Array.from({ length: 40 }, (_, at) => ({ id: ids[at % 3], text: `${at}` }));
	await n8n.runNode(update, itemsOf(...rows));
	for (const id of ids) {
		const sent = service.requests.filter(({ path }) => path.includes(id));
		const bodies = rows.flatMap((row) => (row.id === id ? { description: row.text } : []));
		expect(sent.map(({ body }) => body)).toEqual(bodies);
	}
});
