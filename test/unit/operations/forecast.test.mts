import { range } from 'lodash';
import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../../nodes/FormService/api/endpoints.ts';
import { forecastDay } from '../../../nodes/FormService/api/rateLimiter/limits.ts';
import {
	countRequests,
	forecastRun,
	type PlannedItem,
} from '../../../nodes/FormService/operations/forecast.ts';

describe('the requests of a run', () => {
	it.each([
		['fits', 1_000, 1_000],
		['mayNotFit', 1_000, 999],
		['mayNotFit', 1_440, 0],
		['neverFits', 1_441, 1_440],
		['fits', 5_000, undefined],
	])('%s: %i, with %s left', (forecast, requests, left) => {
		expect(forecastDay(requests, left)).toBe(forecast);
	});

	const plan = (endpoint: Endpoint, ...items: Array<[url: string, orderKey: string]>) =>
		items.map(([url, orderKey], index) => {
			return { item: { index, endpoint }, orderKey, request: { target: { url } } };
		}) as unknown as PlannedItem[];

	it('are no reason to send nothing in a node that continues', async () => {
		const many = range(1_441).map((index): [string, string] => ['/a', `item ${index}`]);
		const planned = plan(endpoints.addResponse, ...many);
		const n8n = { logger: { warn: () => undefined } };
		const context = { account: { key: 'of a node that continues' }, n8n };
		for (const { request } of planned) Object.assign(request, { context });
		expect(await forecastRun(planned, { continues: true, total: 1_441 })).toBeUndefined();
	});

	it.each<[number, string, Endpoint]>([
		[2, 'different lists', endpoints.listResponses],
		[2, 'responses with different answers', endpoints.addResponse],
		[3, 'updates, of the same form too', endpoints.updateSettings],
	])('are as many as there are, without what is skipped: %i %s', (count, _what, endpoint) => {
		const planned = plan(endpoint, ['/a', 'item 1'], ['/b', 'item 2'], ['/b', 'item 2']);
		expect(countRequests(planned)).toBe(count);
		expect(countRequests(planned.map((one) => ({ ...one, sendsNothing: true })))).toBe(0);
	});
});
