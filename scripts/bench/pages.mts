import { n8nFor, time } from '../../test/integration/harness.mts';
import { newForm, watch } from '../../test/integration/trigger/watching.mts';
import { startService } from '../../test/service/index.mts';
import type { Table } from './page.mts';

const RESPONSES = 1_000;
const PAGE = 15;
const MINUTE_MS = 60_000;

/** Requests of a poll of a listing of many pages. */
export async function pages(): Promise<Table> {
	const service = await startService({
		seed: false,
		now: time.now,
		wait: time.holdBack,
		token: 'pages',
	});
	Object.assign(service.shapes, { pageSize: PAGE, paging: 'number', order: 'desc' });
	const { store, url, token } = service;
	const form = newForm(service);
	const submit = (count: number) =>
		store.transaction(() => {
			for (let number = 0; number < count; number++) store.addResponse(form, {});
		});
	submit(RESPONSES);
	const { poll } = watch(n8nFor({ accessToken: token, baseUrl: url }), form, {
		options: { requestsPerDay: 720 },
	});
	const requestsOf = async (fresh: number): Promise<string> => {
		submit(fresh);
		const before = service.requests.length;
		const { length } = await poll({ activation: before === 0 ? 'activate' : 'update' });
		if (length !== fresh) throw new Error(`${length} of ${fresh} items came`);
		// until the next poll is due
		await time.sleep(10 * MINUTE_MS);
		return `${service.requests.length - before}`;
	};
	const rows = [['the first one, which reads all', await requestsOf(0), '']];
	rows.push(['nothing new', await requestsOf(0), '1 or 2']);
	rows.push(['one new response', await requestsOf(1), '1 or 2']);
	rows.push(['ten', await requestsOf(10), '1 or 2']);
	await service.close();
	return {
		title: 'Many pages',
		text: `Requests of a poll of ${RESPONSES.toLocaleString('en')} responses in pages of ${PAGE}, newest first, with their number on each page. Without short polls, each took as many as the first. \`test/integration/trigger/paged.test.mts\` counts them in other orders and styles.`,
		head: ['A poll', 'Requests', 'Goal'],
		rows,
	};
}
