import type * as limiting from '../../nodes/FormService/api/request/rateLimiter.ts';
import type * as queueing from '../../nodes/FormService/api/request/requestQueue.ts';
import { builtFile } from '../../test/integration/n8n/package.mts';
import { IDEAL_MS, REQUESTS, workOff } from '../../test/unit/api/request/simulation.mts';
import type { Table } from './main.mts';

const FOLDER = 'nodes/FormService/api/rateLimiter';
const { RateLimiter } = builtFile<typeof limiting>(`${FOLDER}/rateLimiter.js`);
const { RequestQueue } = builtFile<typeof queueing>(`${FOLDER}/requestQueue.js`);

/** The way there and back, each 40 to 160 ms, the same at each run of the bench. */
const DELAYS_MS = Array.from({ length: 97 }, (_, index) => 40 + ((index * 7_919) % 121));

/** n8n processes that share an account, in simulated time. */
export async function measureProcesses(): Promise<Table> {
	const rows: string[][] = [];
	for (const processes of [1, 2, 5, 10]) {
		const { refused, givenUp, tookMs } = await workOff(
			(clock) => new RequestQueue(new RateLimiter(), clock),
			processes,
			DELAYS_MS,
		);
		rows.push([`${processes}`, `${refused}`, `${givenUp}`, `${Math.round(tookMs / 1000)} s`]);
	}
	return {
		title: 'Several n8n processes on one account',
		text: `${REQUESTS} requests are split among n8n processes that share an account, such as the workers of queue mode. In simulated time, the service keeps its limit a minute and replies after 80 to 320 ms. Refused requests are sent again. The shortest possible time is ${IDEAL_MS / 1000} s.`,
		head: ['Processes', 'Refused', 'Given up', 'Time'],
		rows,
	};
}
