import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { itemsOf, locator, time } from '../harness.mts';
import { answer, demoForms, slow, status } from '../../service/index.mts';
import { container, core } from '../n8n/core.mts';
import { elsewhere, toAnyCertificate } from '../servers.mts';
import { withWorld, type World } from '../world.mts';

const { contact } = demoForms;

const getWithFiles = {
	requestOptions: toAnyCertificate,
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
		let mostOpen = 0;
		const open = new Set<() => void>();
		// each file is held back until four are open
		const { namedUrl: url } = await elsewhere((request, reply) => {
			open.add(() => reply.end(request.url));
			mostOpen = Math.max(mostOpen, open.size);
			if (open.size < 4) return;
			for (const end of open) end();
			open.clear();
		});
		await withWorld(async (world) => {
			const { items, error } = await world.n8n.runNode(
				getWithFiles,
				responsesWithFiles(world, url, 60),
			);
			expect(error).toBeUndefined();
			expect(mostOpen).toBe(4);
			expect(
				items.map(({ binary }) => Buffer.from(binary!.message.data, 'base64').toString()),
			).toEqual(Array.from({ length: 60 }, (_, index) => `/${index}.txt`));
		});
	});

	it('are left out where they are not there, which stops no other item', async () => {
		const { namedUrl: url, visits } = await elsewhere((request, reply) =>
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

/** A response with so many files on the service's own host. */
function responseWithFiles({ service }: World, count: number): string {
	const links = Array.from({ length: count }, (_, n) => `${n}.txt|${service.url}/files/${n}.txt`);
	return service.store.addResponse(contact, { answers: { Message: links } }).uuid;
}

describe('the files of one response', () => {
	it('that the service’s host cannot give count for nothing of the API', async () => {
		await withWorld(async (world) => {
			const { service, n8n } = world;
			service.faults.set({ fault: status(500, 'Broken'), match: { path: /^\/files/ } });
			const uuid = responseWithFiles(world, 30);
			const { items, error } = await n8n.runNode(getWithFiles, itemsOf({ uuid }));
			expect(error).toBeUndefined();
			expect(items[0].json.fileError).toContain('0.txt: The file at');
			expect(service.visits.length).toBeLessThan(30);
			const next = await n8n.runNode({ resource: 'form', operation: 'getAll' });
			expect(next.error).toBeUndefined();
		});
	});

	it('leave the requests of the minute to the API, however many are gone', async () => {
		await withWorld(async (world) => {
			const { service, n8n } = world;
			service.faults.set({ fault: status(404, 'Gone'), match: { path: /^\/files/ } });
			const input = Array.from({ length: 40 }, () => ({ uuid: responseWithFiles(world, 3) }));
			const before = time.now();
			const { items } = await n8n.runNode(getWithFiles, itemsOf(...input));
			expect(items).toHaveLength(40);
			expect(service.visits).toHaveLength(120);
			expect(time.now() - before).toBeLessThan(60_000);
		});
	});

	it('are 20, and of each other one the item says so', async () => {
		await withWorld(async (world) => {
			const { service, n8n } = world;
			service.faults.set({ fault: answer(200, 'text/plain', 'a'), match: { path: /^\/files/ } });
			const uuid = responseWithFiles(world, 30);
			const { items } = await n8n.runNode(getWithFiles, itemsOf({ uuid }));
			expect(service.visits).toHaveLength(20);
			expect(Object.keys(items[0].binary ?? {})).toHaveLength(20);
			const problems = String(items[0].json.fileError).split('; ');
			expect(problems).toHaveLength(10);
			expect(problems[0]).toBe('20.txt: Only the first 20 files of a response are downloaded');
		});
	});

	it('take a minute at most, and of each file that is not there by then the item says so', async () => {
		await withWorld(async (world) => {
			const { service, n8n } = world;
			service.faults.set({ fault: slow(Infinity), match: { path: /^\/files/ } });
			const uuid = responseWithFiles(world, 5);
			const before = time.now();
			const { items, error } = await n8n.runNode(getWithFiles, itemsOf({ uuid }));
			expect(error).toBeUndefined();
			expect(String(items[0].json.fileError).split('; ')).toHaveLength(5);
			expect(items[0].json.fileError).toContain(
				'The files of this response could not be downloaded within 60 seconds',
			);
			expect(time.now() - before).toBeLessThan(62_000);
		});
	});

	it('are sent a second time where that may help, but no more than three of them', async () => {
		await withWorld(async (world) => {
			const { service, n8n } = world;
			const fault = status(503, 'Later');
			service.faults.set({ fault, times: 1, match: { path: /files\/0\.txt/ } });
			service.faults.set({
				fault: answer(200, 'text/plain', 'a'),
				match: { path: /files\/0\.txt/ },
			});
			service.faults.set({ fault, match: { path: /^\/files/ } });
			const uuid = responseWithFiles(world, 10);
			const { items } = await n8n.runNode(getWithFiles, itemsOf({ uuid }));
			expect(Object.keys(items[0].binary ?? {})).toHaveLength(1);
			expect(service.visits).toHaveLength(13);
		});
	});
});

describe('a large file', () => {
	const binaryData = container.get(core.BinaryDataService) as unknown as {
		setManager(mode: string, manager: unknown): void;
	};
	afterEach(() => binaryData.setManager('filesystem-v2', undefined));

	it('is handed to n8n’s storage as it comes, and never held as a whole', async () => {
		const SIZE = 100_000_000;
		let sent = 0;
		const { namedUrl } = await elsewhere((_request, reply) => {
			const piece = Buffer.alloc(1_000_000);
			const more = () => {
				while (sent < SIZE) {
					sent += piece.length;
					if (!reply.write(piece)) return;
				}
				reply.end();
			};
			reply.on('drain', more);
			more();
		});
		let sentAtFirst = 0;
		let fileSize = 0;
		binaryData.setManager('filesystem-v2', {
			async store(_location: unknown, body: AsyncIterable<Buffer>) {
				for await (const chunk of body) {
					if (fileSize === 0) {
						await wait(200);
						sentAtFirst = sent;
					}
					fileSize += chunk.length;
				}
				return { fileId: 'file', fileSize };
			},
		});
		await withWorld(async (world) => {
			const answers = { Message: `large.bin|${namedUrl}/large.bin` };
			const { uuid } = world.service.store.addResponse(contact, { answers });
			const { items } = await world.n8n.runNode(getWithFiles, itemsOf({ uuid }));
			expect(items[0].json).not.toHaveProperty('fileError');
			expect(items[0].binary?.message).toMatchObject({ id: 'filesystem-v2:file' });
		});
		expect(fileSize).toBe(SIZE);
		expect(sentAtFirst).toBeLessThan(SIZE / 4);
	});
});
