import type { INode, INodeProperties } from 'n8n-workflow';
import { success, type FaultName } from '../../service/index.mts';
import { operationNamed } from './operations.mts';
import { FORM_ID, formOfItem, meeting, testRuns, type Given } from './runs.mts';

const { properties } = operationNamed('Setting: Update');
const entries = properties.find(({ name }) => name === 'settings')!.options as INodeProperties[];
const added = Object.fromEntries(entries.map((one) => [one.name, one.default]));

const auto = { inputMode: 'auto' };
const json = { inputMode: 'json', settingsJson: '={{ $json.json }}' };
const preview = { ...auto, preview: true };
const skip = { ...auto, options: { skipUnchanged: true } };
const clearText = { ...auto, options: { clearText: '(empty)' } };
const ofItem = { formId: formOfItem() };

/** Before the run, the form has these settings, and others that the list of forms does not show. */
function having(settings: object, ...given: Given) {
	const fault = success([{ id: FORM_ID, name: 'Orders', ...settings }]);
	return meeting({ fault, match: { path: /^\/forms$/ } }, ...given);
}

testRuns('Setting: Update', {
	'sends no setting that was added and left empty': [{ settings: { ...added, is_closed: false } }],
	'sends what expressions give': [
		{
			settings: {
				slack_enabled: '={{ $json.on }}',
				cta_label: '={{ null }}',
				name: '={{ $json.x }}',
			},
		},
		{ on: '0' },
	],
	'clears settings': [{ clear: ['closed_message', 'seo_title'] }],
	'takes the columns that are named after settings, and lists the others': [
		auto,
		{ id: 1, name: 'x', Description: 'x', Closed: 'Yes', ' CTA-Label ': 'Go' },
	],
	'sends no empty cell': [auto, { closed_message: '', number_prefix: null }],
	'clears a setting by the text of a cell': [clearText, { closed_message: ' (Empty) ' }],
	'sends the rows of forms in their order': [
		{ ...auto, ...ofItem },
		{ form: FORM_ID, seo_title: '1' },
		{ form: 'sV3yR1', seo_title: '2' },
		{ form: FORM_ID, seo_title: '3' },
	],
});

const shown = { is_closed: false, seo_title: '', slack_enabled: 1 };
const row = { is_closed: 'no', slack_enabled: 'no', seo_title: 'New', cta_label: 'x'.repeat(41) };

testRuns('Setting: Update', {
	'previews what would change': having(shown, preview, { ...row, Name: 'x' }),
	'skips a form that is up to date': having(shown, skip, { is_closed: 'no' }),
	'previews a later row after an earlier one': [
		{ ...preview, ...ofItem },
		...['One', 'Two', 'Two'].map((cta_label) => ({ form: FORM_ID, cta_label })),
	],
	'compares a later row with an earlier one, but not with a preview': [
		{ ...skip, ...ofItem, preview: '={{ $json.preview }}' },
		...[true, false, false].map((shows) => ({ form: FORM_ID, cta_label: 'X', preview: shows })),
	],
	'undoes an update by its changes': [
		{ ...json, ...ofItem, options: skip.options },
		{ form: FORM_ID, json: { cta_label: { from: 'Old', to: 'A' }, slack_enabled: { to: true } } },
		{ form: FORM_ID, json: { after_redirect_url: { from: '', to: 'https://host' } } },
		{ form: FORM_ID, json: {} },
	],
});

const GOES_ON = 'continueRegularOutput';

// n8n tries again if the first item failed
const rows = ['no', 'yes', 'yes'].map((value) => ({ form: FORM_ID, 'Show Form Title': value }));

/** The first update meets the fault, over the tries of n8n. */
const failing = (fault: FaultName, times: number, onError: INode['onError']) => ({
	...meeting({ fault, times, match: { method: 'POST' } }, { ...skip, ...ofItem }, ...rows),
	node: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
});

testRuns('Setting: Update', {
	'sends a rejected update again in the next try': failing('unprocessable', 1, 'stopWorkflow'),
	'does not compare with an update that may have arrived': failing('dropAfter', 4, GOES_ON),
});

const absent = '={{ $json.absent }}';

testRuns('Setting: Update', {
	'needs a value': [{ settings: { seo_title: absent } }],
	'takes one value for a setting': [{ settings: { seo_title: 'x' }, clear: ['seo_title'] }],
	'knows all keys, and checks all values': [
		{ ...json, settingsJson: '{"is_close": 1, "responses_limit": "1.000"}' },
	],
	'needs a column, also in a preview': [preview, { Clsed: 'yes', row_number: 2 }],
	'sends no error value': [auto, { 'Closed: Message': '#N/A' }],
	'takes one column for a setting': [auto, { Closed: 'yes', is_closed: 'no' }],
	'needs a form for each row': [auto, { Slack: 1 }, { Slack: 0 }],
	'checks all forms before it changes one': [
		{ ...skip, ...ofItem },
		{ form: FORM_ID, Slack: 1 },
		{ form: 'absent', Slack: 1 },
	],
});
