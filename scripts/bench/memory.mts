import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { listingOf, startBodyServer } from './listing.mts';
import { watching } from './polls.mts';
import { count, inOwnProcess, median, megabytes, ratio } from './measure.mts';
import type { Table } from './page.mts';

const RUNS = 3;

/** The most memory that this process ever had, beyond what it has when the work begins. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
	const before = process.memoryUsage.rss();
	await work();
	return process.resourceUsage().maxRSS * 1024 - before;
}

/** JSON.parse of a body that is read, with all that it needs: the chunks, the Buffer, the string. */
async function parse(url: string): Promise<unknown> {
	const body = Buffer.from(await (await fetch(url)).arrayBuffer());
	createHash('sha256').update(body).digest();
	const text = body.toString('utf8');
	const value: unknown = JSON.parse(text);
	return [body, text, value];
}

async function poll(url: string): Promise<void> {
	await watching(url, url).poll(0);
}

/** What a poll takes at its peak, beside JSON.parse alone, each in a process of its own. */
export async function memory(): Promise<Table> {
	const server = await startBodyServer();
	const file = fileURLToPath(import.meta.url);
	const rows: string[][] = [];
	for (const size of [10_000, 30_000, 100_000]) {
		const body = listingOf(size);
		await server.serve(body);
		const measured = { poll: [] as number[], parse: [] as number[] };
		for (let run = 0; run < RUNS; run++) {
			for (const kind of ['poll', 'parse'] as const) {
				measured[kind].push(await inOwnProcess(file, [kind, server.url]));
			}
		}
		const [poll, parsing] = [median(measured.poll), median(measured.parse)];
		rows.push([
			count(size),
			megabytes(body.length),
			megabytes(poll),
			megabytes(parsing),
			ratio(poll / parsing),
			size === 100_000 ? 'at most 600 MB' : '',
		]);
	}
	server.close();
	return {
		title: 'Memory of a poll',
		text: `The peak memory (resident set size) that the first poll of a listing adds to the process. The first poll reads, compares and remembers the whole listing. The comparison reads the body, hashes it and calls JSON.parse, which any node has to do that reads the listing. Medians of ${RUNS} processes each.`,
		head: ['Responses', 'Body', 'First poll', 'Reading and JSON.parse', 'Ratio', 'Goal'],
		rows,
	};
}

const [, , kind, url] = process.argv;
if (process.send !== undefined && (kind === 'poll' || kind === 'parse')) {
	const work = kind === 'poll' ? poll : parse;
	const small = await startBodyServer();
	await small.serve(listingOf(1));
	await work(small.url);
	process.send(await peakOf(async () => await work(url)));
}
