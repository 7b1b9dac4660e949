import type { INode } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { demoForms, slow, type Service } from '../../service/index.mts';
import { time } from '../harness.mts';
import { inputFor, operationNamed } from '../resources/operations.mts';
import { FORM_ID, formOfItem, meeting, testRuns, type Given } from '../resources/runs.mts';
import { running } from '../world.mts';

/** What a run does with its items: all are checked before one is sent, and each has an outcome. */

const ok = { form: FORM_ID };
const formId = formOfItem();
const answersJson = { Name: 'x', Email: 'a' };
const create = { formId, inputMode: 'json', answersJson };
const update = { formId, settings: { seo_title: 'x' } };
const batching = { batch: { batchSize: 2, batchInterval: 1 } };

/** The first and the fourth of these items are valid. The expression of the last one fails. */
const mixed = [ok, { form: 'a/b', error: 'earlier' }, { form: 'absent' }, ok, {}];

const goingOn = (onError: INode['onError']) => ({
	given: [create, ...mixed] satisfies Given,
	node: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
});

const afterTwo = ({ faults }: Service) => {
	faults.set({ fault: slow(0), times: 2, match: { method: 'POST' } });
	faults.set({ fault: 'unprocessable', match: { method: 'POST' } });
};

testRuns('Response: Create', {
	'sends nothing if the expression of an item fails': [create, ok, {}, ok],
	'checks a batch after the earlier ones were sent': [
		{ ...create, requestOptions: { batching } },
		...[ok, ok, { form: 'a/b' }, ok],
	],
	'says which items were sent if it stops': {
		given: [create, ...[5, 6, 7, 8].map((row_number) => ({ ...ok, row_number }))],
		prepare: afterTwo,
	},
	'has an outcome for each item if it goes on': goingOn('continueRegularOutput'),
	'sends a refused item once if it goes on': {
		...goingOn('continueRegularOutput'),
		...meeting({ fault: 'unprocessable', times: 1, match: { method: 'POST' } }, create, ok, ok),
	},
	'has failed items in the error output': goingOn('continueErrorOutput'),
});

testRuns('Setting: Update', {
	'sends nothing if the expression of an item fails': [update, ok, {}],
	'sends the first item alone with Execute Once': {
		given: [update, ok, ok],
		node: { executeOnce: true },
	},
});

testRuns('Response: Get Many', {
	'sends nothing if the expression of an item fails': [{ formId }, ok, {}],
	'sends nothing if an item is invalid': [{ formId }, ok, { form: 'a/b' }],
});

testRuns('Field: Get Many', {
	'retries no other item after a failure': {
		given: [{ formId }, ok, { form: demoForms.survey }],
		prepare({ faults }) {
			faults.set({ fault: 'unavailable', match: { path: /orders/ } });
			faults.set({ fault: 'forbidden' });
		},
	},
	'reads a list again in the next try of n8n': {
		given: [{ limit: 1 }],
		prepare: ({ faults }) => faults.set({ fault: 'unavailable', times: 4 }),
		node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
	},
});

const { service, n8n } = await running();

it('A failed item keeps its files', async () => {
	const binary = { letter: { data: '', mimeType: 'text/plain' } };
	const getAll = { resource: 'field', operation: 'getAll', formId };
	const input = [{ json: { form: 'a/b' }, binary }];
	const { items } = await n8n.runNode(getAll, input, { onError: 'continueRegularOutput' });
	expect(items).toMatchObject([{ json: { form: 'a/b' }, binary }]);
});

it.each([
	['30 seconds, and not the 300 of n8n, if it is not set', undefined, 60_000],
	['the time that is set', 300, 6_000],
])('Timeout is %s', async (_, timeout, longestMs) => {
	service.faults.set({ fault: slow(200_000), match: { method: 'POST' } });
	const begun = time.now();
	const { parameters } = operationNamed('Response: Create');
	const given = { ...parameters, requestOptions: timeout === undefined ? {} : { timeout } };
	const { error } = await n8n.runNode(given, inputFor(service).slice(1));
	expect(time.now() - begun).toBeLessThan(longestMs);
	expect(error?.message).toMatch(/ did not reply in time\. /);
});
