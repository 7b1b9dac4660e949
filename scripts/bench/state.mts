import { listingOf, startBodyServer } from './listing.mts';
import { watching } from './polls.mts';
import { count } from './measure.mts';
import type { Table } from './page.mts';

/** The size of what n8n keeps of a trigger in its database: its static data, as JSON. */
export async function state(): Promise<Table> {
	const server = await startBodyServer();
	const rows: string[][] = [];
	for (const size of [100, 10_000, 100_000]) {
		await server.serve(listingOf(size));
		const { poll, saved } = watching(server.url, `state-${size}`);
		await poll(0);
		const bytes = JSON.stringify(saved()).length;
		rows.push([count(size), `${count(bytes)} bytes`, `${(bytes / size).toFixed(1)}`]);
	}
	server.close();
	return {
		title: 'What n8n keeps',
		text: 'The static data of a trigger on one form in n8n’s database, after so many responses.',
		head: ['Responses', 'Size', 'Bytes a response'],
		rows,
	};
}
