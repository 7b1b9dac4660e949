import fc from 'fast-check';
import lodash from 'lodash';
import { START, World } from '../../test/model/world.mts';
import { DAY_MINUTES, DAY_MS, MINUTE_MS } from '../../test/time.mts';
import type { Section } from './main.mts';

const DAYS = 7;

/** Responses a day of each form. */
const CASES: Record<string, number[]> = {
	'one, 100 responses a day': [100],
	'five, 200, 60, 20, 6 and 2 a day': [200, 60, 20, 6, 2],
	'ten, 300, 150 and eight times 3 a day': [300, 150, ...Array<number>(8).fill(3)],
};

/** Random moments, the same at each run of the bench. */
function drawMoments(count: number, seed: number): number[] {
	const moment = fc.noBias(fc.integer({ min: 0, max: DAYS * DAY_MS }));
	return fc.sample(moment, { seed, numRuns: count }).map((ms) => START + ms);
}

/** Watches forms with one trigger, which n8n polls every minute, in simulated time. */
async function watchForms(perDay: number[]): Promise<World> {
	const world = new World(perDay.map((_, index) => `F${index}`));
	await world.begin();
	const submissions = Object.values(world.forms).flatMap((form, index) =>
		drawMoments(DAYS * perDay[index], index).map((atMs) => ({ atMs, form })),
	);
	const polls = lodash.times(DAYS * DAY_MINUTES, (minute) => ({
		atMs: START + (minute + 1) * MINUTE_MS,
		form: undefined,
	}));
	for (const { atMs, form } of lodash.sortBy([...submissions, ...polls], 'atMs')) {
		world.time.pass(atMs - world.time.actual());
		if (form) world.submit(form);
		else await world.tick(0);
	}
	return world;
}

/** How long a response waits for the poll that delivers it. */
export async function measureDelays(): Promise<Section> {
	const rows: string[][] = [];
	for (const [name, perDay] of Object.entries(CASES)) {
		const { oracle, service } = await watchForms(perDay);
		const delays = oracle.listDelays();
		const minutes = [lodash.mean(delays), lodash.max(delays)!];
		const requestsPerDay = Math.round(service.sent.length / DAYS);
		rows.push([name, `${requestsPerDay}`, ...minutes.map((one) => `${one.toFixed(1)} min`)]);
	}
	return {
		title: 'Delay of a response',
		text: `The time from a submission to the poll that delivers it. One trigger watches all forms for ${DAYS} simulated days with the default Requests per Day; n8n polls every minute, and each form takes one request.`,
		head: ['Forms', 'Requests a day', 'Mean delay', 'Longest delay'],
		rows,
	};
}
