import type { IDataObject, INode } from 'n8n-workflow';
import { builtFile } from '../../test/integration/n8n/package.mts';
import type { Dependencies, Trigger } from '../../nodes/FormService/trigger/dependencies.ts';
import type { Memory } from '../../nodes/FormService/trigger/memory.ts';
import type { poll } from '../../nodes/FormService/trigger/poll.ts';
import type { Table } from './page.mts';

const built = {
	...builtFile<{ Memory: typeof Memory }>('nodes/FormService/trigger/memory.js'),
	...builtFile<{ poll: typeof poll }>('nodes/FormService/trigger/poll.js'),
};

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

const node: INode = {
	id: 'node',
	name: 'Trigger',
	type: 'trigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** Minutes that a response waits on average, with polls of the trigger at n8n's tick of each minute. */
async function watched(forms: readonly number[][]) {
	const memory = new built.Memory();
	const staticData: IDataObject = {};
	const formIds = forms.map((_, index) => `form-${index}`);
	const seen = forms.map(() => 0);
	const delays: number[] = [];
	let requests = 0;
	let now = START;
	const trigger: Trigger = {
		key: 'trigger',
		account: 'account',
		service: 'service',
		watch: { kind: 'chosen', formIds },
		names: new Map(formIds.map((id) => [id, id])),
		events: ['responseCompleted'],
		abandonedAfterMs: DAY_MS,
		conditions: { match: 'all', conditions: [], zone: 'UTC' },
		emitExisting: false,
		maxPerPoll: 1_000,
		requestsPerDay: REQUESTS_PER_DAY,
		reason: 'tick',
		needsFields: false,
		budgetMs: 36_000,
	};
	const dependencies: Dependencies = {
		node,
		now: () => now,
		log: { info: () => undefined, warn: () => undefined },
		requestsSent: () => requests,
		listFields: async () => ({ records: [], complete: true }),
		listForms: async () => ({ records: [], complete: true }),
		async listResponses(formId) {
			requests += 1;
			const index = formIds.indexOf(formId);
			const times = forms[index];
			const first = seen[index];
			while (times[seen[index]] <= now) seen[index] += 1;
			// what has been delivered need not be listed: the trigger remembers it
			const records = times
				.slice(first, seen[index])
				.map((at) => ({ uuid: `${formId} ${at}`, created_at: new Date(at).toISOString(), at }));
			return await Promise.resolve({
				records,
				complete: true,
				isUnchanged: records.length === 0 && now > START,
			});
		},
		toItem: async ({ record }) => ({ json: record }),
		toItemWithoutFiles: async ({ record }) => ({ json: record }),
	};
	for (; now < START + DAYS * DAY_MS; now += MINUTE_MS) {
		const items = await built.poll(trigger, staticData, memory, dependencies);
		for (const { json } of items ?? []) delays.push((now - Number(json.at)) / MINUTE_MS);
	}
	return { delay: mean(delays), requests: requests / DAYS };
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
		title: 'Polls go where responses come',
		text: `The trigger itself through ${DAYS} simulated days, one request a poll, ticks each minute, ${REQUESTS_PER_DAY} requests a day; the mean time from a submission to its poll, beside polls of all forms in turn.`,
		head: ['Forms', 'Requests a day', 'Mean delay', 'in turn', 'Goal'],
		rows,
	};
}
