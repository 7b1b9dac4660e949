import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { settings } from '../../../nodes/FormService/settings/settings.ts';
import { status, success } from '../../service/index.mts';
import type { Fault, FaultName } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { operationCases } from '../resources/operations.mts';
import { meeting, testRuns, type Runs } from '../resources/runs.mts';
import { agents } from './agent.mts';

const testToolRuns = (name: string, runs: Runs) => testRuns(name, runs, agents);

const fromModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;
const title = { settings: { seo_title: fromModel('title') } };
const wrong = { settings: { ...title.settings, captcha: 'none of them' } };
const unset = { seo_title: 'null', closed_message: null, cta_label: ' ' };
const asJson = { inputMode: 'json', settingsJson: fromModel('settings') };

testToolRuns('Setting: Update', {
	'updates for each item': [title, { title: 'One' }, { title: 'Two' }],
	'says what is wrong': [wrong, { title: 'x'.repeat(256) }],
	'changes nothing by null of a model': [{ settings: { ...unset, is_closed: 'true' } }],
	'needs a setting of a model': [asJson, { settings: '{"slogan": null}' }],
});

const create = {
	inputMode: 'json',
	answersJson: `={{ { Name: $fromAI('name', '', 'string') } }}`,
	options: { allowMissingAnswers: true },
};

/** Lets an agent add a response for each item, with Retry On Fail. */
const adding = (rule: { fault: Fault | FaultName; times?: number }, ...items: IDataObject[]) => ({
	...meeting({ ...rule, match: { method: 'POST' } }, create, ...items),
	node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 },
});
const ada = { name: 'Ada' };
const refused = { fault: status(403, 'Not yet.'), times: 1 };

testToolRuns('Response: Create', {
	'adds a response once that may have been added': adding({ fault: 'dropAfter' }, ada),
	'adds a response again that was refused, and the same for a second call': adding(
		refused,
		ada,
		ada,
	),
});

/** The tool runs at a service that lists these records. */
const reading = (records: object[], parameters: object) =>
	meeting({ fault: success(records) }, parameters);

const listed = { sort: { order: 'listed' } };
const long = Array.from('abcde', (uuid) => ({ uuid, referrer: uuid.repeat(9_000) }));
const owner = { email: 'ada@example.com' };
const named = [{ id: 7, uuid: 'u', owner, responses: { 'What, e.g. [a.b]?': 'That' } }];
const selecting = (outputFields: unknown) => ({ output: 'selectedFields', outputFields });
const files = { options: { downloadFiles: true } };
const noValue = { field: 'Name', operator: 'is', value: '' };
const noField = { ...noValue, field: null, value: 'Ada' };
const conditions = { conditions: [noValue, noField] };
const unanswered = [
	{ ...noValue, operator: 'isEmpty' },
	{ ...noValue, operator: 'isNotEmpty' },
];
const unfilled = { text: 'null', after: null, before: '', conditions };

testToolRuns('Response: Get Many', {
	'gives a model what is not too long': reading(long, listed),
	'gives a model the next ones': reading(long, { ...listed, skip: 2 }),
	'gives a model the last ones': reading(long, { ...listed, skip: 4, limit: 2 }),
	'gives a model the fields that it selects': reading(
		named,
		selecting(['What, e.g. [a.b]?', 'owner.email', 'absent']),
	),
	'gives a model no files': [files],
	'tells a model about its fields': [selecting('id, ')],
	'takes empty values of a model as no filters': [{ filters: unfilled }],
	'needs no value to look for missing answers': [
		{ filters: { conditions: { conditions: unanswered } } },
	],
});

const tooLong = [1, 2].map((id) => ({ id, name: 'x'.repeat(20_001) }));

testToolRuns('Form: Get Many', {
	'gives a model the start of what is too long': reading(tooLong, {}),
	'gives a model raw forms': [{ output: 'raw', limit: 1 }],
});

testToolRuns('Response: Get PDF', {
	'gives a model the link alone': [{ responseId: locator('r1'), download: true }],
});

it('A model reads a description of its own of each operation, with all settings', () => {
	const all = operationCases.flatMap(({ properties }) => properties);
	const texts = all.filter(({ name }) => name === 'toolDescription').map((one) => one.default);
	expect(new Set(texts).size).toBe(operationCases.length);
	for (const text of texts) expect(text).toMatch(/^[A-Z][^{}]{60,}\.$/);
	// longer ones are refused by OpenAI and Azure, and with them the whole agent
	for (const text of texts) expect(String(text).length).toBeLessThanOrEqual(1_024);
	for (const { name } of settings) expect(texts.join(' ')).toContain(name);
});
