import { range } from 'lodash';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
	rawReply,
	largeList,
	demoForms,
	redirect,
	faultTable,
	slow,
	status,
	type Fault,
} from '../../../service/index.mts';
import { locator, n8nFor, time } from '../../harness.mts';
import { container, core, ssrfProtection } from '../../n8n/core.mts';
import { elsewhere } from '../../servers.mts';
import { answered, AT_ONCE, createWorld, running, type World } from '../../world.mts';
import { downloadAnswers, startDownloads } from '../adding.mts';

const { contact } = demoForms;

const world = await running();
const { service, n8n } = world;

/** Gets a response with this file, and says why the file is missing. */
async function downloadAnswer(link: string, by: World = world) {
	const { problems } = await downloadAnswers(by, [[link]]);
	return problems[0][0];
}

describe('the file of a respondent', () => {
	afterEach(() => void (ssrfProtection.enabled = false));

	it.each([
		[Array<string>(5).fill('/cv.txt'), ''],
		[Array<string>(6).fill('/cv.txt'), '0.txt: The link to the file redirects in a loop'],
		[
			['https://localhost/x'],
			'0.txt: The link to the file was not followed: it leads to an IP address or a private host name',
		],
	])(
		'is fetched over at most five redirects, to public hosts alone: %j end in "%s"',
		async (...given) => {
			const [locations, expected] = given;
			const left = [...locations];
			const other = await elsewhere((_request, reply) => {
				const location = left.shift();
				if (location === undefined) reply.end('the file');
				else reply.writeHead(302, { location }).end();
			});
			expect(await downloadAnswer(`${other.namedUrl}/cv.txt`)).toBe(expected);
		},
	);

	it("is not fetched from a name of a private address with n8n's SSRF protection", async () => {
		const other = await elsewhere();
		ssrfProtection.enabled = true;
		const baseUrl = service.url.replace('127.0.0.1', 'localhost');
		const named = { service, n8n: n8nFor({ accessToken: service.token, baseUrl }) };
		const problem = await downloadAnswer(`${other.namedUrl}/cv.txt`, named);
		expect(problem).toMatch(/^0\.txt: The file at .* could not be fetched/);
		expect(other.visits).toEqual([]);
	});

	it.each([
		['text/html', 'txt', '0.txt: The link to the file returned a web page or JSON'],
		['text/html', 'html', ''],
		['application/json', 'txt', ''],
	])('can be of the type %s, called 0.%s, unless it is a web page instead', async (...given) => {
		const [type, ending, expected] = given;
		service.faults.set({ fault: rawReply(200, type, '{}'), match: { path: /^\/files/ } });
		expect(await downloadAnswer(`${service.url}/files/0.${ending}`)).toBe(expected);
	});
});

it("the PDF of a response is fetched with the token from the account's origin, also from the API, until another host is in between", async () => {
	const toApi = `${service.baseUrl}/workspace`;
	const other = await elsewhere((_request, reply) =>
		reply.writeHead(302, { location: toApi }).end(),
	);
	const [{ uuid }] = service.store.responses(contact);
	const getPdf = { resource: 'response', operation: 'getPdf', responseId: uuid, download: true };
	for (const location of [toApi, `${other.url}/x.pdf`]) {
		service.faults.set({ fault: redirect(location), match: { path: /^\/pdf\// }, times: 1 });
		await n8n.runNode(getPdf);
	}
	const { token } = service;
	const followed = service.requests.filter(({ path }) => path === '/workspace');
	expect(followed.map((request) => request.token)).toEqual([token, undefined]);
	expect(other.visits.map(({ headers }) => headers.authorization)).toEqual([undefined]);
	// the API sends whoever asks for a file on to the page for the login
	expect(service.visits.map((visit) => visit.token)).toEqual([token, token, token, undefined]);
	expect(service.visits[0].headers.accept).toBe('*/*');
});

/** Links to so many files on the service's own host, whose replies are these. */
function linksTo({ service }: World, count: number, fault: Fault): string[] {
	service.faults.set({ fault, match: { path: /^\/files/ } });
	return range(count).map((index) => `${service.url}/files/${index}.txt`);
}

const file = rawReply(200, 'text/plain', 'a');

describe('the files of many responses', () => {
	it('are in the items of their responses, fetched without the token; what comes instead is not read to its end', async () => {
		const closed = Promise.withResolvers<void>();
		const { namedUrl, visits } = await elsewhere(({ url }, reply) => {
			if (url !== '/7') return reply.end(url);
			reply.on('close', closed.resolve);
			return reply.writeHead(404).write('the beginning');
		});
		const links = range(20).map((index) => [`${namedUrl}/${index}`]);
		const { items, problems } = await downloadAnswers(world, links);
		await closed.promise;
		const files = items.map(({ binary }) => Buffer.from(binary?.message.data ?? '', 'base64'));
		expect(files.map(String)).toEqual(range(20).map((at) => (at === 7 ? '' : `/${at}`)));
		const missing = expect.stringMatching(/^0\.txt: The file .* \(status 404\)$/);
		expect(problems).toEqual(range(20).map((index) => [index === 7 ? missing : '']));
		const secrets = visits.map(({ headers }) => headers.authorization ?? headers.cookie);
		expect(secrets).toEqual(Array(20).fill(undefined));
	});

	it('are downloaded for four at a time, and two of triggers, also after a run that waited was canceled', async () => {
		const world = await createWorld(AT_ONCE);
		const { visits } = world.service;
		const links = linksTo(world, 1, slow(Infinity));
		const start = async () => {
			const run = startDownloads(world, Array<string[]>(4).fill(links));
			await answered(visits, 4);
			return run;
		};
		const options = { downloadFiles: true, emitExisting: 'all' };
		const poll = async (workflowId: string) =>
			await world.n8n.runPoll({ formId: locator(contact), options }, { workflowId });
		const polls = await time.still(async () => {
			const [first, waiting, next] = [await start(), await start(), await start()];
			waiting.cancel();
			await waiting.done;
			const polls = ['a', 'b', 'c'].map(poll);
			await answered(visits, 6);
			expect(visits).toHaveLength(6);
			// what was open ends, and makes place
			first.cancel();
			await answered(visits, 10);
			expect(visits).toHaveLength(10);
			next.cancel();
			return polls;
		});
		await Promise.all(polls);
	});

	it("neither use the account's limit nor count as failures of Form Service or its token", async () => {
		const world = await createWorld();
		world.service.faults.set({ fault: status(401, 'No'), match: { path: /files\/1/ } });
		const links = linksTo(world, 2, status(500, 'Broken'));
		await downloadAnswers(world, Array<string[]>(25).fill(links));
		expect(world.service.visits).toHaveLength(100 + 25);
		const { error } = await world.n8n.runNode({ resource: 'form', operation: 'getAll' });
		expect(error).toBeUndefined();
	});
});

describe('the files of one response', () => {
	it("are 20, without the token on the account's own origin, and of each other one the item says so", async () => {
		const { items, problems } = await downloadAnswers(world, [linksTo(world, 22, file)]);
		expect(world.service.visits.map(({ token }) => token)).toEqual(Array(20).fill(undefined));
		expect(Object.keys(items[0].binary ?? {})).toHaveLength(20);
		const TOO_MANY = 'Only the first 20 files of a response are downloaded';
		expect(problems).toEqual([[`20.txt: ${TOO_MANY}`, `21.txt: ${TOO_MANY}`]]);
	});

	it.each([
		[60, undefined],
		[60, 40_000],
		[90, 90_000],
	])(
		'take %i seconds at most, where each may take %s ms, and the item says so',
		async (...given) => {
			const [seconds, timeout] = given;
			const begun = time.now();
			const links = linksTo(world, 5, slow(Infinity));
			const { problems } = await downloadAnswers(world, [links], { timeout });
			const TOO_LATE = 'The files of this response could not be downloaded in time';
			expect(problems[0].slice(1)).toEqual(range(1, 5).map((at) => `${at}.txt: ${TOO_LATE}`));
			expect(time.now() - begun).toBeGreaterThanOrEqual(1_000 * seconds);
			expect(time.now() - begun).toBeLessThan(1_000 * seconds + 2_000);
		},
	);

	it.each([
		['status 503', status(503, 'Later')],
		['status 429', status(429, 'Later')],
		['status 408', status(408, 'Timeout')],
		['a connection that breaks', faultTable.dropBefore],
	])('are requested four times in all at %s', async (_what, fault) => {
		const first = { path: /files\/0\.txt/ };
		service.faults.set({ fault, times: 3, match: first });
		service.faults.set({ fault: file, match: first });
		const { items } = await downloadAnswers(world, [linksTo(world, 2, fault)]);
		expect(Object.keys(items[0].binary ?? {})).toHaveLength(1);
		expect(service.visits).toHaveLength(8);
	});
});

it('n8n stores files piece by piece, up to 256 MB for each response, and not what is announced to be more', async () => {
	const binaryData = container.get(core.BinaryDataService) as unknown as {
		setManager(mode: string, manager: unknown): void;
	};
	let longest = 0;
	const announced: Fault = {
		stage: 'instead',
		act: ({ reply }) => void reply.raw.writeHead(200, { 'content-length': 3e8 }).write('a'),
	};
	binaryData.setManager('filesystem-v2', {
		async store(_location: unknown, body: AsyncIterable<Buffer>) {
			let fileSize = 0;
			for await (const { length } of body) {
				fileSize += length;
				longest = Math.max(longest, length);
			}
			return { fileId: 'file', fileSize };
		},
	});
	onTestFinished(() => binaryData.setManager('filesystem-v2', undefined));
	const faults = [largeList(134), largeList(134), largeList(1), file, announced];
	const links = faults.flatMap((fault, index) => {
		world.service.faults.set({ fault, match: { path: new RegExp(`/files/${index}`) } });
		return `${world.service.url}/files/${index}.txt`;
	});
	// 256 MB are 268.4 million bytes
	const [first, , , small, large] = links;
	const { problems } = await downloadAnswers(world, [links.slice(0, 4), [first, large, small]]);
	const TOO_LARGE = 'The files of this response exceed 256 MB in total';
	const ofFirst = [`2.txt: ${TOO_LARGE}`, `3.txt: ${TOO_LARGE}`];
	expect(problems).toEqual([ofFirst, [`1.txt: ${TOO_LARGE}`]]);
	expect(longest).toBeLessThan(10_000_000);
});
