import { Readable } from 'node:stream';
import lodash from 'lodash';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAccount } from '../../../../nodes/FormService/api/account.ts';
import { clock } from '../../../../nodes/FormService/api/clock.ts';
import { createTarget, endpoints } from '../../../../nodes/FormService/api/endpoints.ts';
import { fetchRecords } from '../../../../nodes/FormService/api/replies/listReader.ts';
import type { RequestContext } from '../../../../nodes/FormService/api/requestContext.ts';
import { VirtualTime } from '../../../time.mts';
import { cpuTimeOf } from '../../cpuTime.mts';

const real = { ...clock };
let time: VirtualTime;

beforeEach(() => {
	time = new VirtualTime();
	Object.assign(clock, lodash.pick(time, ['now', 'monotonicMs', 'sleep']));
});
afterEach(() => void Object.assign(clock, real));

/** Reads a list of so many pages of 100 responses. Returns the CPU time in milliseconds. */
async function measure(pages: number): Promise<number> {
	const baseUrl = 'https://forms.example.com';
	const account = createAccount({ accessToken: `token-${pages}`, baseUrl });
	const bodies = lodash.range(1, pages + 1).map((page) => {
		const data = lodash.range(100).map((index) => ({ uuid: `${page}-${index}`, responses: [] }));
		return JSON.stringify({ data, meta: { current_page: page, last_page: pages } });
	});
	const send = async (_credential: string, { url }: IHttpRequestOptions) => {
		const page = Number(new URL(url).searchParams.get('page') ?? 1);
		const body = Readable.from([Buffer.from(bodies[page - 1])]);
		return await Promise.resolve({ statusCode: 200, headers: {}, body });
	};
	const n8n = { helpers: { httpRequestWithAuthentication: send } } as unknown;
	const context = { n8n, account, priority: 'low' } as RequestContext;
	const target = createTarget(account, endpoints.listResponses, { formId: 'aB3xY9' });
	return await cpuTimeOf(async () => {
		const records = await time.waitFor(fetchRecords(context, target));
		expect(records).toHaveLength(100 * pages);
	});
}

it('A list of ten times as many pages takes about ten times as long, and not a hundred times', async () => {
	await measure(48);
	const ratios: number[] = [];
	// a busy machine and the collection of garbage can double the ratio
	while (ratios.length < 5 && Math.min(...ratios) >= 12) {
		const shortMs = await measure(48);
		ratios.push((await measure(480)) / shortMs);
	}
	expect(Math.min(...ratios)).toBeLessThan(20);
}, 120_000);
