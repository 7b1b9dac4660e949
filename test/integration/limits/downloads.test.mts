import { afterEach, describe, expect, it } from 'vitest';
import { answer, slow, status, type Fault } from '../../service/index.mts';
import { time } from '../harness.mts';
import { container, core } from '../n8n/core.mts';
import { elsewhere } from '../servers.mts';
import { running, withWorld, type World } from '../world.mts';
import { downloadAnswers, textOfFile } from './adding.mts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Links to so many files on the service's own host, whose replies are these. */
function linksTo({ service }: World, count: number, fault: Fault): string[] {
	service.faults.set({ fault, match: { path: /^\/files/ } });
	return numbers(count).map((index) => `${service.url}/files/${index}.txt`);
}

const world = await running();

const file = answer(200, 'text/plain', 'a');

describe('the files of many responses', () => {
	it('are downloaded for four responses at a time, and each item has its own', async () => {
		let mostOpen = 0;
		const open = new Set<() => void>();
		// each file is held back until four are open
		const { namedUrl } = await elsewhere((request, reply) => {
			open.add(() => reply.writeHead(request.url === '/7' ? 404 : 200).end(request.url));
			mostOpen = Math.max(mostOpen, open.size);
			if (open.size < 4) return;
			for (const end of open) end();
			open.clear();
		});
		const links = numbers(20).map((index) => [`${namedUrl}/${index}`]);
		const { items, problems } = await downloadAnswers(world, links);
		expect(mostOpen).toBe(4);
		expect(items.map(textOfFile)).toEqual(
			numbers(20).map((index) => (index === 7 ? '' : `/${index}`)),
		);
		const missing = expect.stringMatching(/^0\.txt: The file .* \(status 404\)$/);
		expect(problems).toEqual(numbers(20).map((index) => [index === 7 ? missing : '']));
	});

	it("neither use the account's limit nor count as failures of Form Service", async () => {
		await withWorld(async (world) => {
			const links = linksTo(world, 3, status(500, 'Broken'));
			const begun = time.now();
			const { items } = await downloadAnswers(world, Array<string[]>(40).fill(links));
			expect(items).toHaveLength(40);
			expect(world.service.visits.length).toBeGreaterThanOrEqual(120);
			expect(time.now() - begun).toBeLessThan(60_000);
			const { error } = await world.n8n.runNode({ resource: 'form', operation: 'getAll' });
			expect(error).toBeUndefined();
		});
	});
});

describe('the files of one response', () => {
	it('are 20, and of each other one the item says so', async () => {
		const { items, problems } = await downloadAnswers(world, [linksTo(world, 22, file)]);
		expect(world.service.visits).toHaveLength(20);
		expect(Object.keys(items[0].binary ?? {})).toHaveLength(20);
		const TOO_MANY = 'Only the first 20 files of a response are downloaded';
		expect(problems).toEqual([[`20.txt: ${TOO_MANY}`, `21.txt: ${TOO_MANY}`]]);
	});

	it('take a minute at most, and of each file that is not there by then the item says so', async () => {
		const begun = time.now();
		const { problems } = await downloadAnswers(world, [linksTo(world, 5, slow(Infinity))]);
		expect(problems[0]).toHaveLength(5);
		expect(problems[0][4]).toBe(
			'4.txt: The files of this response could not be downloaded within 60 seconds',
		);
		expect(time.now() - begun).toBeLessThan(62_000);
	});

	it('are requested a second time if that may help, but no more than three of them', async () => {
		const { service } = world;
		const first = { path: /files\/0\.txt/ };
		service.faults.set({ fault: status(503, 'Later'), times: 1, match: first });
		service.faults.set({ fault: file, match: first });
		const { items } = await downloadAnswers(world, [linksTo(world, 10, status(503, 'Later'))]);
		expect(Object.keys(items[0].binary ?? {})).toHaveLength(1);
		expect(service.visits).toHaveLength(13);
	});
});

describe('a file', () => {
	const binaryData = container.get(core.BinaryDataService) as unknown as {
		setManager(mode: string, manager: unknown): void;
	};
	afterEach(() => binaryData.setManager('filesystem-v2', undefined));

	it('is handed to n8n’s storage while it arrives, and never held as a whole', async () => {
		const stored = Promise.withResolvers<void>();
		const { namedUrl } = await elsewhere((_request, reply) => {
			reply.write('begin');
			// the rest is sent once the beginning has been stored
			void stored.promise.then(() => reply.end(' end'));
		});
		let content = '';
		binaryData.setManager('filesystem-v2', {
			async store(_location: unknown, body: AsyncIterable<Buffer>) {
				for await (const chunk of body) {
					content += chunk.toString();
					stored.resolve();
				}
				return { fileId: 'file', fileSize: content.length };
			},
		});
		const { items } = await downloadAnswers(world, [[`${namedUrl}/large.bin`]]);
		expect(items[0].binary?.message).toMatchObject({ id: 'filesystem-v2:file' });
		expect(content).toBe('begin end');
	});
});
