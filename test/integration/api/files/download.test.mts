import { range } from 'lodash';
import { expect, it, onTestFinished } from 'vitest';
import {
	demoForms,
	instead,
	largeList,
	rawReply,
	redirect,
	slow,
	type Fault,
} from '../../../service/index.mts';
import { itemsOf, locator, time } from '../../harness.mts';
import { container, core } from '../../n8n/core.mts';
import { elsewhere, toAnyCertificate } from '../../servers.mts';
import { answered, createWorld, running, type World } from '../../world.mts';

const world = await running();
const { service, n8n } = world;

const FAILED = 'The file could not be downloaded';

/** Adds responses with these links to files, which are called 0.txt and so on, and starts to get them with the files. */
function startDownloads(by: World, links: string[], { count = 1, timeout = 30_000 } = {}) {
	const Message = links.map((link, index) => `${index}.txt|${link}`);
	const { store } = by.service;
	const add = () => store.addResponse(demoForms.contact, { answers: { Message } });
	const input = range(count).map(() => ({ uuid: add().uuid }));
	const getWithFiles = {
		...{ resource: 'response', operation: 'get', formId: locator(demoForms.contact) },
		...{ responseId: '={{ $json.uuid }}', options: { downloadFiles: true } },
		requestOptions: { ...toAnyCertificate, timeout },
	};
	return by.n8n.startNode(getWithFiles, itemsOf(...input));
}

/** Gets a response with these files, and says why files are missing. */
async function download(links: string[], more?: { timeout: number }) {
	const [{ json, binary }] = (await startDownloads(world, links, more).done).items;
	return { binary, problems: String(json.fileError ?? '').split('; ') };
}

/** Links to so many files on the service's own host, whose replies are these. */
function linksTo({ service: { faults, url } }: World, count: number, fault: Fault): string[] {
	faults.set({ fault, match: { path: /^\/files/ } });
	return range(count).map((index) => `${url}/files/${index}.txt`);
}

it.each([
	[Array<string>(5).fill('/cv.txt'), ''],
	[Array<string>(6).fill('/cv.txt'), `0.txt: ${FAILED}: its link redirects in a loop`],
	[['https://localhost/x'], expect.stringMatching(/^0\.txt: .* private host/)],
])('A file is fetched over at most five redirects, to public hosts alone: %j', async (...given) => {
	const [locations, expected] = given;
	const left = [...locations];
	const other = await elsewhere((_request, reply) => {
		const location = left.shift();
		if (location === undefined) reply.end('the file');
		else reply.writeHead(302, { location }).end();
	});
	const { problems } = await download([`${other.namedUrl}/cv.txt`]);
	expect(problems).toEqual([expected]);
});

it("A PDF is fetched with the token from the account's origin, until another host is in between", async () => {
	const toApi = `${service.baseUrl}/workspace`;
	const other = await elsewhere((_request, reply) =>
		reply.writeHead(302, { location: toApi }).end(),
	);
	const [{ uuid }] = service.store.responses(demoForms.contact);
	const getPdf = { resource: 'response', operation: 'getPdf', responseId: uuid, download: true };
	for (const location of [toApi, `${other.url}/x.pdf`]) {
		service.faults.set({ fault: redirect(location), match: { path: /^\/pdf\// }, times: 1 });
		await n8n.runNode(getPdf);
	}
	const followed = service.requests.filter(({ path }) => path === '/workspace');
	expect(followed.map(({ token }) => token)).toEqual([service.token, undefined]);
	expect(other.visits.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

it('Files are downloaded for four responses at a time, also after a run that waited was canceled', async () => {
	const own = await createWorld();
	const { visits } = own.service;
	const links = linksTo(own, 1, slow(Infinity));
	const start = () => startDownloads(own, links, { count: 4 });
	await time.still(async () => {
		const first = start();
		await answered(visits, 4);
		const [waiting, next] = [start(), start()];
		waiting.cancel();
		await waiting.done;
		expect(visits).toHaveLength(4);
		first.cancel();
		await answered(visits, 8);
		expect(visits).toHaveLength(8);
		next.cancel();
	});
});

const file = rawReply(200, 'text/plain', 'a');

it("20 files of a response are downloaded, without the token on the account's own origin", async () => {
	const { binary = {}, problems } = await download(linksTo(world, 22, file));
	expect(service.visits.map(({ token }) => token)).toEqual(Array(20).fill(undefined));
	expect(Object.keys(binary)).toHaveLength(20);
	const TOO_MANY = `${FAILED}: only 20 files of a response are`;
	expect(problems).toEqual([`20.txt: ${TOO_MANY}`, `21.txt: ${TOO_MANY}`]);
});

it('The files of a response take 60 seconds at most, or as long as the Timeout', async () => {
	for (const seconds of [60, 90]) {
		const begun = time.now();
		const links = linksTo(world, 3, slow(Infinity));
		const { problems } = await download(links, { timeout: seconds * 1_000 });
		expect(problems.at(-1)).toBe(`2.txt: ${FAILED}: the time is up`);
		expect(Math.floor((time.now() - begun) / 2_000)).toBe(seconds / 2);
	}
});

/** Lets n8n keep nothing of a file but its size. */
function keepSizesOnly(): void {
	const binaryData = container.get(core.BinaryDataService) as unknown as {
		setManager(mode: string, manager: unknown): void;
	};
	binaryData.setManager('filesystem-v2', {
		async store(_location: unknown, body: AsyncIterable<Buffer>) {
			let fileSize = 0;
			for await (const { length } of body) fileSize += length;
			return { fileId: 'file', fileSize };
		},
	});
	onTestFinished(() => binaryData.setManager('filesystem-v2', undefined));
}

it('The files of a response have at most 256 MB, by what is announced and by what comes', async () => {
	keepSizesOnly();
	const announced = instead(
		({ reply }) => void reply.raw.writeHead(200, { 'content-length': 3e8 }).write('a'),
	);
	// 256 MB are 268.4 million bytes
	const faults = [largeList(135), announced, largeList(134), file];
	const links = faults.map((fault, index) => {
		service.faults.set({ fault, match: { path: new RegExp(`/files/${index}`) } });
		return `${service.url}/files/${index}.txt`;
	});
	const { problems } = await download(links);
	const TOO_LARGE = `${FAILED}: the files of this response exceed 256 MB in total`;
	expect(problems).toEqual([1, 2, 3].map((index) => `${index}.txt: ${TOO_LARGE}`));
});
