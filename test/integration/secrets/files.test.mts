import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answer, demoForms, redirect, tooMany, type Service } from '../../service/index.mts';
import { withWorld, type World } from '../world.mts';
import { locator, n8nFor } from '../harness.mts';
import { elsewhere, toAnyCertificate } from '../servers.mts';

const { contact } = demoForms;
const requestOptions = toAnyCertificate;

/** Lets a respondent answer with a link to a file, and fetches the files of all responses. */
async function downloadAnswer({ service, n8n }: World, link: string) {
	const { uuid } = service.store.addResponse(contact, { answers: { Message: `cv.txt|${link}` } });
	const run = await n8n.runNode({
		resource: 'response',
		operation: 'get',
		formId: locator(contact),
		responseId: uuid,
		options: { downloadFiles: true },
		requestOptions,
	});
	const data = run.items[0]?.binary?.message?.data;
	return {
		...run,
		fileError: run.items[0]?.json.fileError,
		content: data === undefined ? undefined : Buffer.from(data, 'base64').toString(),
	};
}

/** Asks for the PDF of a response, as a file. */
async function downloadPdf({ service, n8n }: World) {
	const [{ uuid }] = service.store.responses(contact);
	return await n8n.runNode({
		resource: 'response',
		operation: 'getPdf',
		responseId: uuid,
		download: true,
	});
}

/** Sends a megabyte at a time, for as long as it is taken. */
const withoutEnd: Parameters<typeof elsewhere>[0] = (_request, reply) => {
	const piece = Buffer.alloc(1_000_000);
	const more = () => {
		while (reply.write(piece));
	};
	reply.on('drain', more);
	more();
};

const SECRET = 'demo-webhook-secret-3f9d1c';

describe('a file on another host', () => {
	it('is fetched without the token', async () => {
		const other = await elsewhere();
		await withWorld(async (world) => {
			const { content } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(content).toBe('a file');
			expect(other.visits).toHaveLength(1);
			expect(other.visits[0].headers).not.toHaveProperty('authorization');
			expect(other.visits[0].headers).not.toHaveProperty('cookie');
		});
	});

	it('is not fetched from another port of the host of Form Service', async () => {
		const other = await elsewhere();
		await withWorld(async ({ service }) => {
			const { port } = new URL(service.url);
			const baseUrl = other.namedUrl.replace('https:', 'http:').replace(/\d+$/, port);
			const n8n = n8nFor({ accessToken: service.token, baseUrl });
			const { fileError } = await downloadAnswer({ service, n8n }, `${other.namedUrl}/cv.txt`);
			expect(fileError).toBe(
				"cv.txt: The link to the file was not followed: it leads to another port of Form Service's host",
			);
			expect(other.visits).toEqual([]);
		});
	});

	it('is fetched without the token where the service only redirects to it', async () => {
		const other = await elsewhere((_request, reply) => reply.end('%PDF-1.7'));
		await withWorld(async (world) => {
			world.service.faults.set({
				fault: redirect(`${other.url}/x.pdf`),
				match: { path: /^\/pdf\// },
			});
			expect((await downloadPdf(world)).error).toBeUndefined();
			expect(world.service.visits.map(({ token }) => token)).toEqual([world.service.token]);
			expect(other.visits.map(({ headers }) => headers.authorization)).toEqual([undefined]);
		});
	});
});

describe('a respondent who answers with a link to the service itself', () => {
	const paths = [
		'/admin/export.csv',
		'/api/v1/workspace',
		'/x/../api/v1/workspace',
		'/x/%2e%2e/api/v1/workspace',
	];

	it.each(paths)('gets nothing of what the account may read: %s', async (path) => {
		await withWorld(async (world) => {
			const { service } = world;
			const { run } = await downloadAnswer(world, service.url + path);
			expect(JSON.stringify(run)).not.toContain(SECRET);
			const [listing, ...others] = [...service.requests, ...service.visits];
			expect(listing.token).toBe(service.token);
			expect(others.map(({ token }) => token).filter((token) => token !== undefined)).toEqual([]);
		});
	});

	it.each(paths.slice(0, 3))(
		'gets nothing of it through a redirect of a host of theirs: %s',
		async (path) => {
			await withWorld(async (world) => {
				const { service } = world;
				const other = await elsewhere((_request, reply) =>
					reply.writeHead(302, { location: service.url + path }).end(),
				);
				const { run } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
				expect(JSON.stringify(run)).not.toContain(SECRET);
				const sent = [...service.requests, ...service.visits].slice(1);
				expect(sent.map(({ token }) => token).filter((token) => token !== undefined)).toEqual([]);
			});
		},
	);
});

describe('a redirect to a file', () => {
	it('in a circle ends', async () => {
		const other = await elsewhere((request, reply) =>
			reply.writeHead(302, { location: `${request.url}x` }).end(),
		);
		await withWorld(async (world) => {
			const { fileError } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(fileError).toBe('cv.txt: The link to the file redirects in a loop');
			expect(other.visits).toHaveLength(6);
		});
	});

	it.each([
		['file:///etc/passwd', /it is not a web address$/],
		['http://files.example.com/x', /it is not encrypted \(http instead of https\)$/],
		['https://localhost/x', /it leads to an IP address or a private host name$/],
	])('to %s is not followed', async (location, message) => {
		const other = await elsewhere((_request, reply) => reply.writeHead(302, { location }).end());
		await withWorld(async (world) => {
			const { fileError } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(fileError).toMatch(message);
			expect(fileError).toMatch(/^cv\.txt: The link to the file was not followed: /);
			expect(other.visits).toHaveLength(1);
		});
	});

	it('that is a login page says so, and puts no page in its place', async () => {
		const other = await elsewhere((_request, reply) =>
			reply.writeHead(302, { location: '/login?from=file' }).end(),
		);
		await withWorld(async (world) => {
			const { fileError } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(fileError).toMatch(
				/^cv\.txt: The file at files\.private\.example:\d+ requires a login$/,
			);
		});
	});
});

describe('the link to a PDF', () => {
	const linkTo = (service: Service, link: unknown) =>
		service.faults.set({
			fault: {
				name: 'another link',
				stage: 'after',
				spoil: ({ reply }) => {
					reply.removeHeader('content-length');
					return JSON.stringify({ success: true, data: { pdf_url: link } });
				},
			},
			match: { path: /\/pdf$/ },
		});

	it.each([
		'http://[',
		'javascript:alert(1)',
		'file:///etc/passwd',
		' ',
		42,
		['https://a.example'],
	])('is refused if it is no link: %j', async (link) => {
		await withWorld(async (world) => {
			linkTo(world.service, link);
			const { error } = await downloadPdf(world);
			expect(error?.message).toBe(
				'Form Service did not send a link to a PDF, but an object with "pdf_url"',
			);
			expect(error?.description).toMatch(/^Check the 'Base URL'/);
		});
	});

	it.each([null, ''])('that is %j means that there is no PDF yet', async (link) => {
		await withWorld(async (world) => {
			linkTo(world.service, link);
			const { error } = await downloadPdf(world);
			expect(error?.message).toBe('Form Service has no PDF of this response');
			expect(error?.description).toMatch(/^Form Service may still be creating the PDF/);
		});
	});

	it('is followed to localhost, another port and on from there, without the token', async () => {
		const other = await elsewhere((request, reply) =>
			request.url === '/start'
				? reply.writeHead(302, { location: '/summary.pdf' }).end()
				: reply.end('%PDF-1.7'),
		);
		await withWorld(async (world) => {
			linkTo(world.service, `${other.url.replace('127.0.0.1', 'localhost')}/start`);
			const { items, error } = await downloadPdf(world);
			expect(error).toBeUndefined();
			expect(items[0].binary?.data.mimeType).toBe('application/pdf');
			const sent = other.visits.map(({ url, headers }) => [url, headers.authorization]);
			expect(sent).toEqual([
				['/start', undefined],
				['/summary.pdf', undefined],
			]);
		});
	});

	it.each([403, 404, 410])('that answers %i has advice about the link', async (code) => {
		const other = await elsewhere((_request, reply) => reply.writeHead(code).end());
		await withWorld(async (world) => {
			linkTo(world.service, `${other.url}/summary.pdf`);
			const { error } = await downloadPdf(world);
			expect(error?.message).toMatch(/^The file at .* could not be fetched \(status \d+\)$/);
			expect(error?.description).toMatch(/^The link to the PDF may have expired; run this item/);
		});
	});

	it('is followed again where the service refuses it for its limit', async () => {
		await withWorld(async (world) => {
			world.service.faults.set({ fault: tooMany(60, 20), times: 1, match: { path: /^\/pdf\// } });
			const { items, error } = await downloadPdf(world);
			expect(error).toBeUndefined();
			expect(items[0].binary?.data.mimeType).toBe('application/pdf');
		});
	});

	it('into the API of the service is followed with the token, since the service made it', async () => {
		await withWorld(async (world) => {
			linkTo(world.service, `${world.service.baseUrl}/workspace`);
			await downloadPdf(world);
			const [first, second] = world.service.requests.map(({ path, token }) => [path, token]);
			expect(first[0]).toMatch(/\/pdf$/);
			expect(second).toEqual(['/workspace', world.service.token]);
		});
	});

	it('into the API of the service is followed without the token where another host leads there', async () => {
		await withWorld(async (world) => {
			const { service } = world;
			const other = await elsewhere((_request, reply) =>
				reply.writeHead(302, { location: `${service.baseUrl}/workspace` }).end(),
			);
			linkTo(service, `${other.url}/summary.pdf`);
			const { run } = await downloadPdf(world);
			expect(other.visits).toHaveLength(1);
			expect(JSON.stringify(run)).not.toContain(SECRET);
			expect(service.requests.slice(1).map(({ path, token }) => [path, token])).toEqual([
				['/workspace', undefined],
			]);
		});
	});
});

describe('what came in place of a file', () => {
	it.each([
		['a status', 404],
		['a redirect', 302],
	])('is not read further: %s', async (_what, code) => {
		let closed = false;
		const other = await elsewhere((request, reply) => {
			reply.on('close', () => (closed = true));
			reply.writeHead(code, { location: '/login' });
			withoutEnd(request, reply);
		});
		await withWorld(async (world) => {
			const { fileError } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(fileError).toMatch(/status 404|requires a login/);
			await expect.poll(() => closed).toBe(true);
		});
	});

	it('is not read further where the service sends it for a PDF', async () => {
		await withWorld(async (world) => {
			let closed = false;
			const other = await elsewhere((request, reply) => {
				reply.on('close', () => (closed = true));
				withoutEnd(request, reply);
			});
			world.service.faults.set({
				fault: answer(200, 'application/json', JSON.stringify({ pdf_url: `${other.url}/x.pdf` })),
				match: { path: /\/pdf$/ },
			});
			const { error } = await downloadPdf(world);
			expect(error?.message).toBe('The link to the PDF returned another file instead of a PDF');
			await expect.poll(() => closed).toBe(true);
		});
	});
});

describe('the size of a file', () => {
	it('is bounded, also where the host sends it packed', async () => {
		// members of a gzip file unpack one after another
		const packed = Buffer.concat(Array<Buffer>(6).fill(gzipSync(Buffer.alloc(50_000_000))));
		const other = await elsewhere((_request, reply) =>
			reply.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
		);
		await withWorld(async (world) => {
			const { fileError } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(fileError).toBe('cv.txt: The files of this response exceed 256 MB in total');
		});
	});

	it('is known before it is read, where the host says it', async () => {
		const other = await elsewhere((_request, reply) =>
			reply.writeHead(200, { 'content-length': 300_000_000 }).write('a'),
		);
		await withWorld(async (world) => {
			const { fileError } = await downloadAnswer(world, `${other.namedUrl}/cv.txt`);
			expect(fileError).toContain('exceed 256 MB');
		});
	});
});
