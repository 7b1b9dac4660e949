/** What a published change and a failed download do to the next item. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { time } from '../harness.mts';
import { createWorld } from '../world.mts';
import { MINUTE_MS, tick, watch } from './watching.mts';

/** Options, and the name that an answer has with them. */
const outputs: Record<string, [INodeParameters, string]> = {
	labels: [{}, 'Name'],
	'custom keys': [{ answerKeys: 'customKey' }, 'person'],
	columns: [{ columns: true }, 'Name'],
	'columns by custom key': [{ columns: true, answerKeys: 'customKey' }, 'person'],
};

it.each([
	['labels', 'custom keys'],
	['columns', 'columns by custom key'],
])('After %s were changed to %s, the next item has them', async (...changes) => {
	const {
		service: { store },
		n8n,
	} = await createWorld();
	const fields = [{ label: 'Name', customKey: 'person' }];
	const form = store.addForm({ name: 'Watched', fields }).id;
	const trigger = watch(n8n, form);
	for (const change of changes) {
		const [output, key] = outputs[change];
		const changed = { options: { ...output, requestsPerDay: 720 } };
		await trigger.poll({}, changed);
		store.addResponse(form, { answers: { Name: 'Ada' } });
		let items: INodeExecutionData[] = [];
		for (let minute = 1; minute <= 10 && items.length === 0; minute++) {
			await time.sleep(MINUTE_MS);
			items = await trigger.poll(tick, changed);
		}
		const { json } = items[0];
		expect({ ...json, ...(json.answers as IDataObject) }).toHaveProperty(key, 'Ada');
	}
});

it('A failed download is logged as a download, and not as a form that could not be read', async () => {
	const {
		service: { store, faults, url },
		n8n,
	} = await createWorld();
	const form = store.addForm({ name: 'Watched', fields: [{ label: 'Name' }] }).id;
	const trigger = watch(n8n, form, { options: { downloadFiles: true } });
	await trigger.poll();
	const { id } = store.addFile({ name: 'cv.txt', type: 'text/plain', data: new Uint8Array(9) });
	store.addResponse(form, { answers: { Name: [`cv.txt|${url}/files/${id}/cv.txt`] } });
	faults.set({ fault: 'unavailable', match: { path: /files/ } });
	const log: string[] = [];
	expect(await trigger.poll({ ...tick, log })).toEqual([]);
	expect(log.join()).toMatch(/file|download/i);
	expect(log.join()).not.toContain('could not be read');
});
