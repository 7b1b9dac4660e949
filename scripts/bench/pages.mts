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
	const rows = [['First poll, which reads everything', await requestsOf(0), '']];
	rows.push(['Nothing new', await requestsOf(0), '1 or 2']);
	rows.push(['One new response', await requestsOf(1), '1 or 2']);
	rows.push(['Ten new responses', await requestsOf(10), '1 or 2']);
	await service.close();
	return {
		title: 'Requests for a listing of many pages',
		text: `A form has ${RESPONSES.toLocaleString('en')} responses in pages of ${PAGE}, newest first, with numbered pages. A poll that always read the whole listing would take as many requests as the first poll. \`test/integration/trigger/paged.test.mts\` counts the requests for other orders and ways of paging.`,
		head: ['Poll', 'Requests', 'Goal'],
		rows,
	};
}
