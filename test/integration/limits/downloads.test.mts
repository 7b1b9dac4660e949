import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { elsewhere } from '../secrets/elsewhere.mts';
import { withWorld, type World } from '../world.mts';

const { contact } = demoForms;

const getWithFiles = {
	resource: 'response',
	operation: 'get',
	formId: locator(contact),
	responseId: '={{ $json.uuid }}',
	options: { downloadFiles: true },
};

/** So many responses, each with a file on another host, as input items that ask for one each. */
function responsesWithFiles({ service }: World, host: string, count: number) {
	return itemsOf(
		...Array.from({ length: count }, (_, index) => {
			const answers = { Message: `cv.txt|${host}/${index}.txt` };
			return { uuid: service.store.addResponse(contact, { answers }).uuid };
		}),
	);
}

describe('the files of many items on another host', () => {
	it('are fetched five at a time, and each item has its own', async () => {
		let open = 0;
		let mostOpen = 0;
		const { url } = await elsewhere((request, reply) => {
			mostOpen = Math.max(mostOpen, ++open);
			void wait(5).then(() => {
				open--;
				reply.end(request.url);
			});
		});
		await withWorld(async (world) => {
			const { items, error } = await world.n8n.runNode(
				getWithFiles,
				responsesWithFiles(world, url, 200),
			);
			expect(error).toBeUndefined();
			expect(mostOpen).toBe(5);
			expect(
				items.map(({ binary }) => Buffer.from(binary!.file_0.data, 'base64').toString()),
			).toEqual(Array.from({ length: 200 }, (_, index) => `/${index}.txt`));
		});
	});

	it('are not fetched any more after one of them failed in a node that stops', async () => {
		const { url, visits } = await elsewhere((_request, reply) => reply.writeHead(404).end());
		await withWorld(async (world) => {
			const input = responsesWithFiles(world, url, 50);
			const { error } = await world.n8n.runNode(getWithFiles, input);
			expect(error?.message).toMatch(/^The file at .* could not be fetched \(status 404\)$/);
			await wait(50);
			expect(visits.length).toBeLessThanOrEqual(5);
		});
	});
});
