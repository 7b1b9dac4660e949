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
		title: 'State in n8n’s database',
		text: 'The size of the static data of a trigger that watches one form. Static data is what n8n saves for a node between polls.',
		head: ['Responses', 'Size', 'Bytes per response'],
		rows,
	};
}
