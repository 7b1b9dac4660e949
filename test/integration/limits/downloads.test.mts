import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { demoForms } from '../../service/index.mts';
import { itemsOf, locator } from '../harness.mts';
import { elsewhere, privateNetwork } from '../secrets/elsewhere.mts';
import { withWorld, type World } from '../world.mts';

const { contact } = demoForms;

const getWithFiles = {
	requestOptions: await privateNetwork(),
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
	it('are fetched four at a time, and each item has its own', async () => {
		let open = 0;
		let mostOpen = 0;
		const { privateUrl: url } = await elsewhere((request, reply) => {
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
			expect(mostOpen).toBe(4);
			expect(
				items.map(({ binary }) => Buffer.from(binary!.message.data, 'base64').toString()),
			).toEqual(Array.from({ length: 200 }, (_, index) => `/${index}.txt`));
		});
	});

	it('are left out where they are not there, which stops no other item', async () => {
		const { privateUrl: url, visits } = await elsewhere((request, reply) =>
			reply.writeHead(request.url === '/7.txt' ? 404 : 200).end('a file'),
		);
		await withWorld(async (world) => {
			const { items, error } = await world.n8n.runNode(
				getWithFiles,
				responsesWithFiles(world, url, 20),
			);
			expect(error).toBeUndefined();
			expect(visits).toHaveLength(20);
			expect(items.map(({ binary }) => binary !== undefined)).toEqual(
				Array.from({ length: 20 }, (_, index) => index !== 7),
			);
			expect(items[7].json.fileError).toMatch(
				/^cv\.txt: The file at .* could not be fetched \(status 404\)$/,
			);
			expect(items[6].json).not.toHaveProperty('fileError');
		});
	});
});
