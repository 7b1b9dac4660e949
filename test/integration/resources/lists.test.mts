import { success } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { formOfItem, FORM_ID, meeting, testRuns } from './runs.mts';

const byUrl = { formId: formOfItem('url'), limit: 1 };
const gone = { ...locator('gone42', 'list'), cachedResultName: 'Summer Party' };

const fields = [
	{ id: 'a', name: 'Name', mandatory: 'true' },
	{ uuid: 'b', label: 'Email', type: 'email', required: 0, extra: 1 },
	{ uuid: 'c', label: 'Age', required: true },
];

testRuns('Form: Get', {
	'gets a form with its fields': meeting(
		{ fault: success([{ id: 'other' }, { id: FORM_ID, name: 'Orders', extra: 1, fields }]) },
		{},
	),
	'gets a raw form': [{ simplify: false }],
	'finds no form that was chosen': [{ formId: gone }],
	'finds no form that an expression chose': [{ formId: { ...gone, value: "={{ 'absent' }}" } }],
});

testRuns('Form: Get Many', {
	'lists forms up to the limit of each item, with one request': [
		{ limit: '={{ $json.limit }}' },
		{ limit: '1' },
		{ limit: 2 },
	],
});

testRuns('Field: Get Many', {
	'lists the fields up to the limit': [{ limit: 3 }],
	'finds a form by a long address with invisible characters': [
		byUrl,
		{ form: `\u200ehttps://forms.example.com/f/f%C3%BCr-alle-${FORM_ID}/?source=mail-1#top\ufeff` },
	],
});

testRuns('Workspace: Get', {
	'gets ten attributes, with one request for all items': [{}, {}, {}],
	'gets all attributes': [{ simplify: false }],
});
