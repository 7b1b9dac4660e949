import { itemsOf, locator, n8nFor, time } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';
import type { Table } from './main.mts';
import { formatCount } from './measure.mts';

const PER_MINUTE = 60;

/** Setting: Update for many items, within the service's limits and in simulated time. */
export async function measureUpdates(): Promise<Table> {
	const rows: string[][] = [];
	for (const count of [60, 150, 1_000]) {
		const clock = { now: time.now, wait: time.holdBack };
		const service = await startService({ ...clock, token: `updates-${count}` });
		const { url, token, requests } = service;
		const { runNode } = n8nFor({ accessToken: token, baseUrl: url });
		const items = itemsOf(...Array.from({ length: count }, (_, index) => ({ title: `${index}` })));
		const start = time.now();
		const { error } = await runNode(
			{
				resource: 'settings',
				operation: 'update',
				formId: locator(service.store.forms()[0].id),
				inputMode: 'json',
				settingsJson: '={{ JSON.stringify({ seo_title: $json.title }) }}',
			},
			items,
		);
		if (error) throw error;
		const tookMs = time.now() - start;
		await service.close();
		rows.push([
			formatCount(count),
			`${formatCount(requests.filter(({ status }) => status === 200).length)}`,
			`${requests.filter(({ status }) => status === 429).length}`,
			`${(tookMs / 1000).toFixed(1)} s`,
			`${(Math.ceil(count / PER_MINUTE) - 1) * 60} s`,
		]);
	}
	return {
		title: 'Many updates',
		text: 'Setting: Update for many items, with the service’s limit a minute, in simulated time. Goal: 150 updates within 121.5 s, and none refused.',
		head: ['Items', 'Updated', 'Refused by the service', 'Time', 'Shortest possible time'],
		rows,
	};
}
