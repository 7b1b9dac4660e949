import { builtFile } from '../../test/integration/n8n/package.mts';
import {
	IDEAL_MS,
	type Limiting,
	REQUESTS,
	workOff,
} from '../../test/unit/api/rateLimiter/processes.mts';
import type { Table } from './page.mts';

const API = 'nodes/FormService/api';
const limiting: Limiting = {
	...builtFile<Pick<Limiting, 'RateLimiter'>>(`${API}/rateLimiter/rateLimiter.js`),
	...builtFile<Pick<Limiting, 'RequestQueue'>>(`${API}/rateLimiter/requestQueue.js`),
	...builtFile<Pick<Limiting, 'decideRetry'>>(`${API}/request/retry.js`),
};

/** The way there and back, each 40 to 160 ms, the same at each run of the bench. */
const DELAYS = Array.from({ length: 97 }, (_, index) => 40 + ((index * 7_919) % 121));

/** Processes that share an account, in simulated time: what the service refuses, and what time it takes. */
export async function processes(): Promise<Table> {
	const rows: string[][] = [];
	for (const processes of [1, 2, 3, 5, 10]) {
		const { refused, mostInAWindow, givenUp, took } = await workOff(limiting, processes, DELAYS);
		rows.push([
			`${processes}`,
			`${refused}`,
			`${mostInAWindow}`,
			`${givenUp}`,
			`${Math.round(took / 1000)} s`,
			`${((took / IDEAL_MS - 1) * 100).toFixed(1)} %`,
		]);
	}
	return {
		title: 'Many processes on one account',
		text: `${REQUESTS} requests are split among n8n processes that share an account and do not know of each other. The service accepts 60 requests a minute and replies after 80 to 320 ms, in simulated time. The ideal time is ${IDEAL_MS / 1000} s. \`test/unit/api/rateLimiter/manyProcesses.property.test.mts\` is the same as a property of 1 to 10 processes.`,
		head: [
			'Processes',
			'Refused',
			'Refused per process and window, at most',
			'Given up',
			'Time',
			'Over the ideal',
		],
		rows: [
			...rows,
			['Goal', '0 with one, at most 90 with ten', 'at most 1', '0', '', 'at most 5 %'],
		],
	};
}
