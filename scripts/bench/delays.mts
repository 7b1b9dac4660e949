import type { IDataObject } from 'n8n-workflow';
import { n8nFor, time } from '../../test/integration/harness.mts';
import { startService } from '../../test/service/index.mts';
import { DAY_MINUTES, DAY_MS, MINUTE_MS } from '../../test/time.mts';
import type { Table } from './main.mts';
import { formatMinutes } from './measure.mts';

const DAYS = 7;

/** Responses a day of each form. */
const CASES: Record<string, number[]> = {
	'one, 100 responses a day': [100],
	'five, 200, 60, 20, 6 and 2 a day': [200, 60, 20, 6, 2],
	'ten, 300, 150 and eight times 3 a day': [300, 150, ...Array<number>(8).fill(3)],
};

/** Numbers from 0 up to 1, the same in each run (Park and Miller). */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Watches forms with one trigger, which n8n polls every minute, in simulated time. */
async function watchForms(perDay: number[]) {
	const clock = { now: time.now, wait: time.holdBack };
	const service = await startService({ ...clock, seed: false, token: `delays-${perDay.length}` });
	const { store, url, token } = service;
	const { runPoll } = n8nFor({ accessToken: token, baseUrl: url });
	const random = createRandom(perDay.length);
	const forms = perDay.map((rate, index) => {
		const { id } = store.addForm({ name: `Form ${index}`, fields: [{ label: 'Name' }] });
		const drawPauseMs = () => (-Math.log(1 - random()) * DAY_MS) / rate;
		return { id, drawPauseMs, nextMs: time.now() + drawPauseMs() };
	});
	const submittedMs = new Map<string, number>();
	const delays: number[] = [];
	let staticData: IDataObject = {};
	const start = time.now();
	for (let minute = 0; minute < DAYS * DAY_MINUTES; minute++) {
		const now = time.now();
		for (const form of forms) {
			for (; form.nextMs <= now; form.nextMs += form.drawPauseMs()) {
				submittedMs.set(store.addResponse(form.id).uuid, form.nextMs);
			}
		}
		const activation = minute === 0 ? 'activate' : 'update';
		const formIds = forms.map(({ id }) => id);
		const parameters = { watch: 'several', formIds, events: ['responseCompleted'] };
		const result = await runPoll(parameters, { staticData, activation, budgetMs: 36_000 });
		staticData = JSON.parse(JSON.stringify(result.staticData)) as IDataObject;
		for (const { json } of result.items ?? []) {
			const uuid = String(json.uuid);
			delays.push(time.now() - submittedMs.get(uuid)!);
			// the trigger remembers what it has delivered, so the list can stay short
			store.deleteResponse(uuid);
		}
		await time.sleep(Math.max(0, start + (minute + 1) * MINUTE_MS - time.now()));
	}
	await service.close();
	return { delays, requestsPerDay: service.requests.length / DAYS };
}

/** How long a response waits for the poll that delivers it. */
export async function measureDelays(): Promise<Table> {
	const rows: string[][] = [];
	for (const [name, perDay] of Object.entries(CASES)) {
		const { delays, requestsPerDay } = await watchForms(perDay);
		const meanMs = delays.reduce((sum, one) => sum + one, 0) / delays.length;
		const longestMs = delays.reduce((longest, one) => Math.max(longest, one), 0);
		const times = [formatMinutes(meanMs), formatMinutes(longestMs)];
		rows.push([name, `${Math.round(requestsPerDay)}`, ...times]);
	}
	return {
		title: 'Delay of a response',
		text: `The time from a submission to the poll that delivers it. One trigger watches all forms for ${DAYS} simulated days with the default Requests per Day; n8n polls every minute, and each form takes one request. If busy forms were not polled more often, the mean for ten forms would be 10 minutes.`,
		head: ['Forms', 'Requests a day', 'Mean delay', 'Longest delay'],
		rows,
	};
}
