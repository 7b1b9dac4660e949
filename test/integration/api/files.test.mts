import { request as send } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, it } from 'vitest';
import { downloadAnswers, textOfFile } from './adding.mts';
import { demoForms, redirect, success, tooMany } from '../../service/index.mts';
import { n8nFor } from '../harness.mts';
import { ssrfProtection } from '../n8n/core.mts';
import { elsewhere } from '../servers.mts';
import { running, type World } from '../world.mts';

const { contact } = demoForms;
const SECRET = 'demo-webhook-secret-3f9d1c';

const world = await running();
const { service, n8n } = world;

async function downloadAnswer(link: string, by: World = world) {
	const { items, run, problems } = await downloadAnswers(by, [[link]]);
	return { run, text: textOfFile(items[0]), problem: problems[0][0] };
}

/** Downloads the PDF of a response; the service gives this link to it, or its own. */
async function downloadPdf(link?: string, requestOptions: INodeParameters = {}) {
	const fault = success({ pdf_url: link });
	if (link !== undefined) service.faults.set({ fault, match: { path: /\/pdf$/ } });
	const [{ uuid }] = service.store.responses(contact);
	const get = { resource: 'response', operation: 'getPdf', responseId: uuid, download: true };
	return await n8n.runNode({ ...get, requestOptions });
}

type Listener = NonNullable<Parameters<typeof elsewhere>[0]>;

const redirectTo =
	(location: string): Listener =>
	(_request, reply) =>
		reply.writeHead(302, { location }).end();

/** Sends a megabyte at a time, for as long as it is taken. */
const sendWithoutEnd: Listener = (_request, reply) => {
	const piece = Buffer.alloc(1_000_000);
	const more = () => {
		while (reply.write(piece));
	};
	reply.on('drain', more);
	more();
};

describe('the file of a respondent', () => {
	afterEach(() => void (ssrfProtection.enabled = false));

	it('is fetched without the token', async () => {
		const other = await elsewhere();
		const { text } = await downloadAnswer(`${other.namedUrl}/cv.txt`);
		const [{ headers }, ...others] = other.visits;
		expect([text, others]).toEqual(['a file', []]);
		expect(headers.authorization ?? headers.cookie).toBeUndefined();
	});

	const hidden = ['/admin/export.csv', '/api/v1/workspace', '/x/%2e%2e/api/v1/workspace'];
	it.each(hidden)('is nothing that only the account may read, such as %s', async (path) => {
		const other = await elsewhere(redirectTo(service.url + path));
		for (const link of [service.url + path, `${other.namedUrl}/cv.txt`]) {
			const { run } = await downloadAnswer(link);
			expect(JSON.stringify(run)).not.toContain(SECRET);
		}
		const sent = [...service.requests, ...service.visits];
		const withToken = sent.filter(({ token }) => token !== undefined);
		expect(withToken.map((one) => one.path)).toEqual(Array(2).fill(`/responses/${contact}`));
	});

	it.each([
		['file:///etc/passwd', 'it is not a web address'],
		['http://files.example.com/x', 'it is not encrypted (http instead of https)'],
		['https://localhost/x', 'it leads to an IP address or a private host name'],
	])('is not fetched where it is redirected to %s', async (location, reason) => {
		const other = await elsewhere(redirectTo(location));
		const { problem } = await downloadAnswer(`${other.namedUrl}/cv.txt`);
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
		const { problem } = await downloadAnswer(`${other.namedUrl}/cv.txt`);
		expect(problem).toBe(expected);
	});

	it("is not fetched from a name of a private address with n8n's SSRF protection", async () => {
		const other = await elsewhere();
		ssrfProtection.enabled = true;
		const baseUrl = service.url.replace('127.0.0.1', 'localhost');
		const named = { service, n8n: n8nFor({ accessToken: service.token, baseUrl }) };
		const { problem } = await downloadAnswer(`${other.namedUrl}/cv.txt`, named);
		expect(problem).toMatch(/^0\.txt: The file at .* could not be fetched/);
		expect(other.visits).toEqual([]);
	});

	it('is left out unread if its host announces more than 256 MB', async () => {
		const other = await elsewhere((_request, reply) =>
			reply.writeHead(200, { 'content-length': 300_000_000 }).write('a'),
		);
		const { problem } = await downloadAnswer(`${other.namedUrl}/cv.txt`);
		expect(problem).toContain('exceed 256 MB');
	});
});

describe('the PDF of a response', () => {
	const isPdf: Listener = (_request, reply) => reply.end('%PDF-1.7');
	const ofPdf = { path: /^\/pdf\// };

	it("is fetched with the token from the account's origin, also from the API, as any kind of file", async () => {
		expect((await downloadPdf()).error).toBeUndefined();
		expect(service.visits.map(({ token, headers }) => [token, headers.accept])).toEqual([
			[service.token, '*/*'],
		]);
		await downloadPdf(`${service.baseUrl}/workspace`);
		expect(service.requests.at(-1)).toMatchObject({ path: '/workspace', token: service.token });
	});

	it('is fetched without the token from anywhere else', async () => {
		const other = await elsewhere((request, reply) => {
			const respond = request.url === '/start' ? redirectTo('/summary.pdf') : isPdf;
			respond(request, reply);
		});
		const link = `${other.url.replace('127.0.0.1', 'localhost')}/start`;
		const { items } = await downloadPdf(link);
		expect(items[0].binary?.data.mimeType).toBe('application/pdf');
		expect(other.visits.map(({ url }) => url)).toEqual(['/start', '/summary.pdf']);
		expect(other.visits.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
	});

	it('is fetched without the token where Form Service redirects to it', async () => {
		const other = await elsewhere(isPdf);
		service.faults.set({ fault: redirect(`${other.url}/x.pdf`), match: ofPdf });
		expect((await downloadPdf()).error).toBeUndefined();
		expect(service.visits.map(({ token }) => token)).toEqual([service.token]);
		expect(other.visits.map(({ headers }) => headers.authorization)).toEqual([undefined]);
	});

	it('is fetched without the token where another host redirects to the API', async () => {
		const other = await elsewhere(redirectTo(`${service.baseUrl}/workspace`));
		const { run } = await downloadPdf(`${other.url}/summary.pdf`);
		expect(JSON.stringify(run)).not.toContain(SECRET);
		const followed = service.requests.filter(({ path }) => path === '/workspace');
		expect(new Set(followed.map(({ token }) => token))).toEqual(new Set([undefined]));
	});

	it('is fetched through the proxy of the node', async () => {
		const proxy = await elsewhere(({ url = '', headers }, reply) => {
			send(url, { headers }, (answer) => {
				reply.writeHead(answer.statusCode!, answer.headers);
				answer.pipe(reply);
			}).end();
		});
		const link = `${(await elsewhere(isPdf)).url}/summary.pdf`;
		const { items } = await downloadPdf(link, { proxy: proxy.url });
		expect(items[0].binary).toHaveProperty('data');
		const [{ path }] = service.requests;
		expect(proxy.visits.map(({ url }) => url)).toEqual([service.baseUrl + path, link]);
	});

	it('is requested again after a refusal', async () => {
		service.faults.set({ fault: tooMany(60, 20), times: 1, match: ofPdf });
		expect((await downloadPdf()).items[0].binary).toHaveProperty('data');
		expect(service.visits).toHaveLength(2);
	});
});

const download = async (link: string) => (await downloadAnswer(link)).problem;
const downloadAsPdf = async (link: string) => (await downloadPdf(link)).error?.message;

it.each([
	['a status', 404, download, /status 404/],
	['another file than a PDF', 200, downloadAsPdf, /returned another file instead of a PDF$/],
])('what comes instead of a file is not read to its end: %s', async (_what, code, run, message) => {
	const closed = Promise.withResolvers<void>();
	const other = await elsewhere((request, reply) => {
		reply.on('close', closed.resolve);
		reply.writeHead(code);
		sendWithoutEnd(request, reply);
	});
	const url = run === download ? other.namedUrl : other.url;
	expect(await run(`${url}/cv.txt`)).toMatch(message);
	await closed.promise;
});
