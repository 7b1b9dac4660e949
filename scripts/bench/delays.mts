import { Form } from '../../test/model/form.mts';
import { N8n } from '../../test/model/n8n.mts';
import { VirtualTime } from '../../test/model/time.mts';
import type { Table } from './page.mts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = 14;
const REQUESTS_PER_DAY = 720;
const START = Date.UTC(2026, 0, 1);

/** Numbers from 0 up to 1, the same at each run of the bench (Park and Miller). */
function random(seed: number) {
	let state = seed;
	return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** The times at which a form gets its responses, so many a day, at random. */
function arrivals(perDay: number, next: () => number): number[] {
	const times: number[] = [];
	for (let at = START; ; times.push(at)) {
		at += (-Math.log(1 - next()) * DAY_MS) / perDay;
		if (at > START + DAYS * DAY_MS) return times;
	}
}

/** Minutes that a response waits on average, with n8n's polls of each minute. */
async function watched(forms: readonly number[][]) {
	const time = new VirtualTime(START);
	const formIds = forms.map((_, index) => `form-${index}`);
	const watchedForms = Object.fromEntries(formIds.map((id) => [id, new Form(id)]));
	const n8n = new N8n(
		'default',
		{
			watch: { kind: 'chosen', formIds },
			events: ['responseCompleted'],
			condition: undefined,
			needsFields: false,
			downloadFiles: false,
			emitExisting: false,
			maxPerPoll: 1_000,
			requestsPerDay: REQUESTS_PER_DAY,
		},
		watchedForms,
		time,
	);
	await n8n.activate('activate');
	const seen = forms.map(() => 0);
	const submittedAt = new Map<string, number>();
	const delays: number[] = [];
	for (let now = START + MINUTE_MS; now < START + DAYS * DAY_MS; now += MINUTE_MS) {
		time.pass(now - time.now());
		for (const [index, times] of forms.entries()) {
			for (; times[seen[index]] <= now; seen[index] += 1) {
				const at = times[seen[index]];
				submittedAt.set(watchedForms[formIds[index]].submit(false, at).uuid, at);
			}
		}
		const { items } = await n8n.tick();
		for (const { form, uuid } of items) {
			delays.push((now - submittedAt.get(uuid)!) / MINUTE_MS);
			// what has been delivered need not be listed: the trigger remembers it
			watchedForms[form].kept.find((one) => one.uuid === uuid)!.deleted = true;
		}
	}
	return { delay: mean(delays), requests: n8n.requestTimes.length / DAYS };
}

/** The same where all forms are polled in turn. */
function evenly(forms: readonly number[][]): number {
	const spacing = (forms.length * DAY_MS) / REQUESTS_PER_DAY;
	const waits = forms.flat().map((at) => spacing - ((at - START) % spacing));
	return mean(waits) / MINUTE_MS;
}

const mean = (numbers: readonly number[]) =>
	numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const minutes = (number: number) => `${number.toFixed(1)} min`;

const CASES: ReadonlyArray<{ forms: string; perDay: number[]; goal: number }> = [
	{ forms: 'one, 100 responses a day', perDay: [100], goal: 1 },
	{ forms: 'five, 200, 60, 20, 6 and 2 a day', perDay: [200, 60, 20, 6, 2], goal: 3.6 },
	{
		forms: 'ten, 300, 150 and eight times 3 a day',
		perDay: [300, 150, ...Array<number>(8).fill(3)],
		goal: 4.5,
	},
];

/** How long a response waits for its poll, where forms are polled by their rate. */
export async function delays(): Promise<Table> {
	const rows: string[][] = [];
	for (const { forms, perDay, goal } of CASES) {
		const next = random(perDay.length);
		const times = perDay.map((rate) => arrivals(rate, next));
		const { delay, requests } = await watched(times);
		rows.push([
			forms,
			`${Math.round(requests)}`,
			minutes(delay),
			minutes(evenly(times)),
			minutes(goal),
		]);
	}
	return {
		title: 'Delay of a response',
		text: `The mean time from a submission to the poll that delivers it. The trigger runs through ${DAYS} simulated days: n8n polls it every minute, a poll of a form takes one request, and 'Requests per Day' is ${REQUESTS_PER_DAY}. Busy forms are polled more often. “Evenly” is the delay if all forms were polled equally often.`,
		head: ['Forms', 'Requests a day', 'Mean delay', 'Evenly', 'Goal'],
		rows,
	};
}
