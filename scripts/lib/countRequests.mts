import type { INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import { locator, n8nFor } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';

const RESPONSES = 1_000;
const PAGE_SIZE = 15;
const NAME = 'Name';

/**
 * Counts the requests that each use of a list of 1,000 responses takes, on one page and on 67 pages, newest
 * first.
 */
export async function countRequests(): Promise<string[][]> {
	const onOnePage = await measure(undefined);
	const onManyPages = await measure(PAGE_SIZE);
	return Object.keys(onOnePage).map((use) => [
		use,
		String(onOnePage[use]),
		String(onManyPages[use]),
	]);
}

async function measure(pageSize: number | undefined): Promise<Record<string, number>> {
	const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
	const { token: accessToken, ...service } = await startService({ ...limits, seed: false });
	const { store, requests, shapes } = service;
	const { id } = store.addForm({ name: 'Form', fields: [{ label: NAME }] });
	for (let number = 0; number < RESPONSES; number++) {
		const createdAt = new Date(1_760_000_000_000 + number * 60_000).toISOString();
		store.addResponse(id, { answers: { [NAME]: `Person ${number}` }, createdAt });
	}
	Object.assign(shapes, { pageSize, paging: 'meta' });
	const n8n = n8nFor({ accessToken, baseUrl: service.baseUrl });
	const formId = locator(id);
	const uuids = store.responses(id).map(({ uuid }) => uuid);
	const [field] = store.fields(id);
	const ofResponse = { resource: 'response', formId };
	const run = async (parameters: INodeParameters, answers: object = {}) =>
		void (await n8n.runNode({ ...ofResponse, ...parameters }, [{ json: { ...answers } }]));
	const getMany = { operation: 'getAll' };
	const create = { operation: 'create', inputMode: 'auto' };
	const search = async (...filter: string[]) =>
		void (await n8n.callMethod<INodeListSearchResult>(
			'listSearch',
			'searchResponses',
			{ ...ofResponse, operation: 'get' },
			...filter,
		));
	const uses: Record<string, () => Promise<void>> = {
		'Response: Get, the newest': async () =>
			await run({ operation: 'get', responseId: uuids.at(-1)! }),
		'Response: Get, the oldest': async () => await run({ operation: 'get', responseId: uuids[0] }),
		'Response: Get Many, sorted or filtered': async () => await run({ ...getMany, limit: 50 }),
		'Response: Get Many, Limit 50, As Listed': async () =>
			await run({ ...getMany, limit: 50, sort: { order: 'listed' } }),
		'Response: Get Many with One Column per Field': async () =>
			await run({ ...getMany, options: { columns: true } }),
		'Response: Get PDF': async () =>
			await run({ operation: 'getPdf', responseId: uuids[0], download: false }),
		'Response: Create': async () => await run(create, { [NAME]: 'New' }),
		'Response: Create with Skip Duplicates By': async () =>
			await run({ ...create, options: { skipDuplicatesBy: [field.uuid] } }, { [NAME]: 'Other' }),
		"The editor's list of responses": async () => await search(),
		'A search in this list, after it': async () => await search('person 0'),
		'Fetch Test Event': async () => {
			await n8n.runPoll({ formId, events: ['responseCompleted'] }, { mode: 'manual' });
		},
	};
	const counts: Record<string, number> = {};
	for (const [use, send] of Object.entries(uses)) {
		requests.length = 0;
		await send();
		counts[use] = requests.length;
	}
	await service.close();
	return counts;
}
