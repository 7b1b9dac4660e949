import { createHash } from 'node:crypto';
import { get } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { locator, n8nFor } from '../../test/integration/harness.mts';
import { listingOf, startBodyServer, withOneMore } from './listing.mts';
import { median, ms, ratio, timed } from './measure.mts';
import type { Table } from './page.mts';

const RUNS = 7;

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });

async function readAndDigest(url: string): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	const reply = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
		get(url, { headers: headersOf('none') }, resolve).on('error', reject);
	});
	for await (const chunk of reply) chunks.push(chunk as Uint8Array);
	const body = Buffer.concat(chunks);
	createHash('sha256').update(body).digest();
	return body;
}

/** A poll of the built trigger, beside reading the body's bytes and JSON.parse of it, in the same process. */
export async function polls(sizes: number[]): Promise<Table> {
	const server = await startBodyServer();
	const rows: string[][] = [];
	for (const size of sizes) {
		const first = listingOf(size);
		await server.serve(first);
		const n8n = n8nFor({ accessToken: `bench-${size}`, baseUrl: server.url });
		let staticData: IDataObject = {};
		const poll = async () => {
			const parameters = {
				formId: locator('a'),
				events: ['responseCompleted'],
				simplify: true,
				options: { requestsPerDay: 8_640_000_000 },
			};
			const result = await n8n.runPoll(parameters, { workflowId: `bench-${size}`, staticData });
			staticData = JSON.parse(JSON.stringify(result.staticData)) as IDataObject;
			return result.items?.length ?? 0;
		};
		const parse: number[] = [];
		const read: number[] = [];
		const unchanged: number[] = [];
		const changed: number[] = [];
		let body = first;
		await poll();
		await poll();
		for (let run = 0; run < RUNS; run++) {
			read.push(await timed(async () => await readAndDigest(server.url)));
			parse.push(await timed(() => JSON.parse(body)));
			unchanged.push(await timed(poll));
			body = withOneMore(body, size + run);
			await server.serve(body);
			changed.push(await timed(poll));
		}
		const parsing = median(parse);
		const reading = median(read);
		rows.push([
			size.toLocaleString('en'),
			`${(first.length / 1e6).toFixed(1)} MB`,
			ms(parsing),
			ms(reading),
			ms(median(unchanged)),
			ratio((median(unchanged) - reading) / parsing),
			ms(median(changed)),
			ratio((median(changed) - reading - parsing) / parsing),
		]);
	}
	server.close();
	return {
		title: 'A look of the trigger',
		text: 'The built trigger on n8n’s own classes, one page, responses of about 700 bytes; medians. Reading is the body’s bytes over HTTP and a SHA-256 of them. An unchanged look counts beyond reading, a changed one (one response is new) beyond reading and JSON.parse of the body.',
		head: [
			'Responses',
			'Body',
			'JSON.parse',
			'Reading',
			'Unchanged look',
			'beyond, of JSON.parse',
			'Changed look',
			'beyond, of JSON.parse',
		],
		rows,
	};
}
