import type { INode } from 'n8n-workflow';
import { demoForms, slow, type Service } from '../../service/index.mts';
import { FORM_ID, formOfItem, meeting, testRuns, type Given } from '../resources/runs.mts';

/** What a run does with its items: all are checked before one is sent, and each has an outcome. */

const ok = { form: FORM_ID };
const formId = formOfItem();
const answersJson = { Name: 'x', Email: 'a' };
const create = { formId, inputMode: 'json', answersJson };
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

/** The reply to the item comes after 40 seconds. */
const replyingLate = (requestOptions: object) =>
	meeting({ fault: slow(40_000), match: { method: 'POST' } }, { ...create, requestOptions }, ok);

testRuns('Response: Create', {
	'sends nothing if the expression of an item fails': [create, ok, {}, ok],
	'checks a batch after the earlier ones were sent': [
		{ ...create, requestOptions: { batching } },
		...[ok, ok, { form: 'a/b' }, ok],
	],
	'says which items were sent, and not skipped, if it stops': {
		given: [
			{ ...create, answersJson: '={{ $json.answers }}', options: { skipDuplicatesBy: ['Name'] } },
			...['x', 'x', 'y', 'z', 'w'].map((Name, index) => {
				return { ...ok, answers: { ...answersJson, Name }, row_number: index + 5 };
			}),
		],
		prepare: afterTwo,
	},
	'waits for a reply for 30 seconds': replyingLate({}),
	'waits for a reply as long as the Timeout': replyingLate({ timeout: 50_000 }),
	'has an outcome for each item if it goes on': goingOn('continueRegularOutput'),
	'sends a refused item once if it goes on': {
		...goingOn('continueRegularOutput'),
		...meeting({ fault: 'unprocessable', times: 1, match: { method: 'POST' } }, create, ok, ok),
	},
	'has failed items in the error output': goingOn('continueErrorOutput'),
	'sends the first item alone with Execute Once': {
		given: [create, ok, ok],
		node: { executeOnce: true },
	},
});

testRuns('Response: Get Many', {
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
