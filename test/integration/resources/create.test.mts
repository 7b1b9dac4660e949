import { success, type Fault, type FaultName } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { formOfItem, LISTS_RESPONSES, meeting, testRuns } from './runs.mts';

const valid = { Name: 'x', Email: 'a' };
const json = { inputMode: 'json', answersJson: '={{ $json }}' };
const auto = { inputMode: 'auto' };
const lenient = { options: { allowMissingAnswers: true, allowOtherChoices: true } };

const chosen = { formId: { ...locator('orders', 'list'), cachedResultName: 'Orders (orders)' } };

/** The mapper with values by the UUIDs of fields, as the editor stores it. */
const mapped = (value: object, ...schema: object[]) => ({
	inputMode: 'fields',
	fields: { mappingMode: 'defineBelow', value, schema },
});

testRuns('Response: Create', {
	'adds the items, by labels or UUIDs of fields, and sends no blank answer': [
		{ ...json, ...chosen },
		{ name: 'y', Email: 'b', n1: 1, Size: '', News: ' ', Day: null },
		{ ...valid, Size: ' m ', Topics: ['a', 'B'], Day: '31.12.2026', Time: '2026-01-31 08:00' },
	],
	'sends no required answers and other ones if that is allowed': [
		{ ...json, ...lenient },
		{ Name: 'x', Size: 'S', Topics: 'A, #sale!' },
	],
	'takes the values of the mapper, and an empty one as none': [
		mapped({ ...valid, Name: '={{ $json.n }}', Day: '={{ [null, ""] }}', gone: '' }),
		{ n: 'x' },
	],
	'takes columns by UUID, custom key or label, and lists the others': [
		auto,
		{ name: '', Name: 'x', 'E-Mail': 'a', ' size:\n': 'L', other: 'y', 'Same 2': null, row: 7 },
	],
	'takes the answers of a response': [auto, { uuid: 'r1', number: 7, order: 8, answers: valid }],
});

const ofItem = { ...json, formId: formOfItem(), answersJson: valid };

testRuns('Response: Create', {
	'quotes no answer of invalid JSON': [{ ...json, answersJson: '{"Name": Ada}' }],
	'checks all answers': [
		json,
		{ ...valid, Name: '#REF!', Size: 'S', Order: '1.000', Day: '31/12/2026' },
	],
	'needs the required fields of the mapper': [
		mapped({ Name: '', Email: '={{ null }}', Size: 'M' }),
	],
	'names a field of the mapper that was deleted': [
		mapped({ ...valid, gone: '7' }, { id: 'gone', displayName: 'Fax' }),
	],
	'names the columns that match no field': [auto, { Name: 'x', mail: 'a', score: 1 }],
	'needs one answer': [{ ...auto, ...lenient }, { score: 1 }],
	'takes one column for a field': [auto, { ...valid, 'E-Mail': 'b' }],
	'lists items unless each has a row': [ofItem, { form: 'a/b', row_number: 2 }, { form: 'a/b' }],
	'lists the rows by their reasons': [
		ofItem,
		{ form: 'orders', row_number: 2 },
		{ form: 'a/b', row_number: '3' },
		{ form: '', row_number: 4 },
		{ form: 'absent', row_number: 5 },
		{ form: 'a/b', row_number: 6 },
	],
});

const skipBy = (skipDuplicatesBy: unknown) => ({ ...json, options: { skipDuplicatesBy } });

/** Before the run, the form has one response with these answers. */
function against(responses: unknown, attributes: object = {}, by = 'Email, Size') {
	const fault = success([{ id: 'r0', responses, ...attributes }]);
	const item = { ...valid, Size: 'M', Order: 5 };
	return meeting({ fault, match: LISTS_RESPONSES }, skipBy(by), item);
}

/** Adds the same response twice, of which the service meets the first one so. */
const addingTwice = (fault: Fault | FaultName) => ({
	...meeting({ fault, times: 1, match: { method: 'POST' } }, skipBy('Name'), valid, valid),
	node: { onError: 'continueRegularOutput' } as const,
});

const same = { Email: 'a', Size: 'm' };
const deleted = { label: 'Size', value: 'm', uuid: '5f1c9a52-0b1c-4d2e-8f3a-9b8c7d6e5f40' };

testRuns('Response: Create', {
	'skips an item with the answers of a response': against(same),
	'adds an item if the response is incomplete': against(same, { is_incomplete: 1 }),
	'adds an item if the answer is of a deleted field': against([
		{ key: 'Email', value: 'a' },
		deleted,
	]),
	'passes over an empty answer of an earlier field': against({ Email: 'a', Old: null }),
	'may not compare an answer of a renamed field': against({ Email: 'a', Old: 'm' }),
	'may not compare an unclear number': against({ Order: '1,234' }, {}, 'Order'),
	'may not compare answers of another shape': against(42),
	'adds the first of equal items': [
		skipBy(['Name']),
		...['x', 'y', ' X '].map((Name) => ({ Name, Email: Name })),
	],
	'compares no earlier item by other fields': [
		skipBy("={{ ['Email', 'Name'][$itemIndex] }}"),
		valid,
		{ ...valid, Email: 'b' },
	],
	'compares an earlier item by the same fields in another order': [
		skipBy("={{ ['Email, Name', 'Name, Email'][$itemIndex] }}"),
		...[valid, valid],
	],
	'adds an item after an equal one that was refused': addingTwice('forbidden'),
	'adds none after one that may be added': addingTwice('dropAfter'),
	'adds none after one whose UUID is unknown': addingTwice(success({})),
	'cannot compare several choices': [skipBy('Topics'), valid],
	'cannot compare fields with one label': [skipBy('Same'), valid],
	'needs an answer to compare': [skipBy('Order'), valid],
	'needs a field': [skipBy([]), valid],
});
