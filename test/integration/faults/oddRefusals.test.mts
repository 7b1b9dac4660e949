import { describe, expect, it } from 'vitest';
import { demoForms, slow, type Fault } from '../../service/index.mts';
import { itemsOf, time } from '../harness.mts';
import { AT_ONCE, withWorld } from '../world.mts';
import { addTo } from '../limits/adding.mts';
import { answered } from '../limits/watch.mts';

const DAY_MS = 24 * 60 * 60_000;

type Headers = Record<string, string | string[]>;

/** A refusal with headers of any kind. */
const refusal = (headers: Headers): Fault => ({
	name: `status 429 with ${JSON.stringify(headers)}`,
	stage: 'door',
	act: ({ reply }) => {
		void reply.headers(headers).code(429).send({ message: 'Too Many Attempts.' });
	},
});

const get = { resource: 'workspace', operation: 'get' };

describe('a refusal whose headers make no sense', () => {
	it.each<Headers>([
		{ 'retry-after': '999999999999999' },
		{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
		{ 'retry-after': '31536000' },
		{ 'x-ratelimit-reset': '999999999999999' },
	])('never stops an account for longer than a day: %j', async (headers) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: refusal(headers) });
			const { error } = await n8n.runNode(get);
			const until = /used up until (.*UTC)/.exec(error?.message ?? '')?.[1];
			expect(Date.parse(until!) - time.now()).toBeLessThan(DAY_MS + 5_000);
			expect(error).toMatchObject({ httpCode: '429', failure: { cause: 'quota-exhausted' } });
			expect(service.requests).toHaveLength(1);
		});
	});

	it.each<Headers>([
		{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' },
		{ 'retry-after': ' 0 ' },
		{ 'retry-after': '-5', 'x-ratelimit-reset': '12' },
		{ 'retry-after': '1e9', 'x-ratelimit-reset': '0' },
		{ 'retry-after': ['1', '99999'] },
		{ 'x-ratelimit-reset': '1600000000000' },
	])('is waited for a moment where it names no time to come: %j', async (headers) => {
		await withWorld(async ({ service, n8n }) => {
			service.faults.set({ fault: refusal(headers), times: 1 });
			const begun = time.now();
			const { error } = await n8n.runNode(get);
			expect(error).toBeUndefined();
			expect(time.now() - begun).toBeLessThan(3_500);
		});
	});
});

describe('an execution that is cancelled while a request is under way', () => {
	const add = addTo(demoForms.contact);

	it.each([false, true])(
		'does not say that a response was not sent which may have been added (continue on fail: %s)',
		async (continueOnFail) => {
			await withWorld(async ({ service, n8n }) => {
				const [{ uuid }] = service.store.fields(demoForms.contact);
				const before = service.store.responses(demoForms.contact).length;
				service.faults.set({ fault: slow(500) });
				const input = itemsOf({ [uuid]: 'under way' });
				const { items, error } = await time.still(async () => {
					const { done, cancel } = n8n.startNode(add, input, { continueOnFail });
					await answered(service.requests, 1);
					cancel();
					return await done;
				});
				expect(continueOnFail ? items[0].json.error : error?.message).toMatch(
					/broke before the whole reply arrived\. The response may or may not have been added$/,
				);
				expect(service.store.responses(demoForms.contact)).toHaveLength(before + 1);
				await time.sleep(120_000);
				expect(service.requests).toHaveLength(1);
			}, AT_ONCE);
		},
	);
});
