import { range } from 'lodash';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
	answer,
	bodyOf,
	demoForms,
	redirect,
	faultTable,
	slow,
	status,
	success,
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

/** Downloads the PDF of a response; the service gives this link to it, or its own. */
async function downloadPdf(link?: string) {
	const fault = success({ pdf_url: link });
	if (link !== undefined) service.faults.set({ fault, match: { path: /\/pdf$/ } });
	const [{ uuid }] = service.store.responses(contact);
	const get = { resource: 'response', operation: 'getPdf', responseId: uuid, download: true };
	return await n8n.runNode(get);
}

type Listener = NonNullable<Parameters<typeof elsewhere>[0]>;

const redirectTo =
	(location: string): Listener =>
	(_request, reply) =>
		reply.writeHead(302, { location }).end();

describe('the file of a respondent', () => {
	afterEach(() => void (ssrfProtection.enabled = false));

	it('is not fetched where it is redirected to a private host', async () => {
		const other = await elsewhere(redirectTo('https://localhost/x'));
		const problem = await downloadAnswer(`${other.namedUrl}/cv.txt`);
		const reason = 'it leads to an IP address or a private host name';
		expect(problem).toBe(`0.txt: The link to the file was not followed: ${reason}`);
		expect(other.visits).toHaveLength(1);
	});

	it.each([
		[5, ''],
		[6, '0.txt: The link to the file redirects in a loop'],
	])('is fetched over at most five redirects, here %i', async (count, expected) => {
		let left = count;
		const other = await elsewhere((request, reply) =>
			left-- > 0 ? redirectTo(`/${left}`)(request, reply) : reply.end('the file'),
		);
		const problem = await downloadAnswer(`${other.namedUrl}/cv.txt`);
		expect(problem).toBe(expected);
	});

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
		service.faults.set({ fault: answer(200, type, '{}'), match: { path: /^\/files/ } });
		expect(await downloadAnswer(`${service.url}/files/0.${ending}`)).toBe(expected);
	});
});

describe('the PDF of a response', () => {
	it("is fetched with the token from the account's origin, also from the API, as any kind of file", async () => {
		expect((await downloadPdf()).error).toBeUndefined();
		expect(service.visits.map(({ token, headers }) => [token, headers.accept])).toEqual([
			[service.token, '*/*'],
		]);
		await downloadPdf(`${service.baseUrl}/workspace`);
		expect(service.requests.at(-1)).toMatchObject({ path: '/workspace', token: service.token });
	});

	it('is fetched without the token from where another host is in between, also from the API', async () => {
		const other = await elsewhere(redirectTo(`${service.baseUrl}/workspace`));
		service.faults.set({ fault: redirect(`${other.url}/x.pdf`), match: { path: /^\/pdf\// } });
		await downloadPdf();
		// then the page for the login, to which the API sends whoever asks for a file
		expect(service.visits.map(({ token }) => token)).toEqual([service.token, undefined]);
		expect(other.visits.map(({ headers }) => headers.authorization)).toEqual([undefined]);
		const followed = service.requests.filter(({ path }) => path === '/workspace');
		expect(followed.map(({ token }) => token)).toEqual([undefined]);
	});
});

it('what comes instead of a file is not read to its end', async () => {
	const closed = Promise.withResolvers<void>();
	const other = await elsewhere((_request, reply) => {
		reply.on('close', closed.resolve);
		reply.writeHead(404).write('the beginning');
	});
	const problem = await downloadAnswer(`${other.namedUrl}/cv.txt`);
	expect(problem).toMatch(/status 404/);
	await closed.promise;
});

/** Links to so many files on the service's own host, whose replies are these. */
function linksTo({ service }: World, count: number, fault: Fault): string[] {
	service.faults.set({ fault, match: { path: /^\/files/ } });
	return range(count).map((index) => `${service.url}/files/${index}.txt`);
}

/** A file that would take hours. */
const announced: Fault = {
	stage: 'instead',
	act: ({ reply }) => void reply.raw.writeHead(200, { 'content-length': 3e8 }).write('a'),
};

const file = answer(200, 'text/plain', 'a');

describe('the files of many responses', () => {
	it('are in the items of their responses, and fetched without the token', async () => {
		const { namedUrl, visits } = await elsewhere(({ url }, reply) =>
			reply.writeHead(url === '/7' ? 404 : 200).end(url),
		);
		const links = range(20).map((index) => [`${namedUrl}/${index}`]);
		const { items, problems } = await downloadAnswers(world, links);
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
		const start = async (open: number) => {
			const run = startDownloads(world, Array<string[]>(4).fill(links));
			await answered(visits, open);
			return run;
		};
		const cancel = async (run: Awaited<ReturnType<typeof start>>) => {
			run.cancel();
			await run.done;
		};
		const options = { downloadFiles: true, emitExisting: 'all' };
		const poll = async (workflowId: string) =>
			await world.n8n.runPoll({ formId: locator(contact), options }, { workflowId });
		const polls = await time.still(async () => {
			const first = await start(4);
			await cancel(await start(4));
			const next = await start(4);
			expect(visits).toHaveLength(4);
			const polls = ['a', 'b', 'c'].map(poll);
			await answered(visits, 6);
			expect(visits).toHaveLength(6);
			// what was open ends, and makes place
			await cancel(first);
			await answered(visits, 10);
			expect(visits).toHaveLength(10);
			await cancel(next);
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
		['a minute', 60, undefined],
		['a minute with a shorter Timeout, which each file has,', 60, 40_000],
		['as long as a longer Timeout', 90, 90_000],
	])(
		'take %s at most, and of each that is not there by then the item says so',
		async (...given) => {
			const [, seconds, timeout] = given;
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
	const faults = [bodyOf(134), bodyOf(134), bodyOf(1), file, announced];
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
