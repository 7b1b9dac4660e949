import { range } from 'lodash';
import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../../nodes/FormService/api/endpoints.ts';
import { forecastDay } from '../../../nodes/FormService/api/request/limits.ts';
import {
	countRequests,
	forecastRun,
	type PlannedItem,
} from '../../../nodes/FormService/execution/forecast.ts';

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

	it.each([
		['in a node that continues', 1_441, true],
		['if Batching can spread the items over days', 20, false],
	])('are no reason to send nothing %s, and the log has their number', async (...given) => {
		const [key, count, continues] = given;
		const many = range(count).map((index): [string, string] => ['/a', `item ${index}`]);
		const planned = plan(endpoints.addResponse, ...many);
		const log: string[] = [];
		const n8n = { logger: { warn: (text: string) => void log.push(text) } };
		for (const { request } of planned)
			Object.assign(request, { context: { account: { key }, n8n } });
		expect(await forecastRun(planned, { continues, total: 1_441 })).toBeUndefined();
		expect(log).toEqual(['1,441 items, about 1,440 requests left today']);
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
