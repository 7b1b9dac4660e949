import { rawReply, success, type Service } from '../../service/index.mts';
import { locator } from '../harness.mts';
import { LISTS_RESPONSES, meeting, testRuns, type Given } from './runs.mts';

const loginPage = rawReply(200, 'text/html', '<!doctype html><title>Log in</title>');

const listed = { sort: { order: 'listed' } };

/** The service lists these records. */
const listing = (records: object[], ...given: Given) =>
	meeting({ fault: success(records), match: LISTS_RESPONSES }, ...given);

const others = ['Ada', 'Bob'].map((Name) => ({ uuid: Name, responses: { Name } }));
const noon = { created_at: '2026-11-21 12:00:00' };
const partly = { uuid: 'partly', responses: [{ key: 'Name', value: 'Bob' }, { nothing: 1 }] };
const unreadable = [{ uuid: 'odd', responses: 42 }, partly, ...others];

/** The service lists one response on each page. */
const onPages = (...given: Given) => ({
	given,
	prepare: ({ shapes }: Service) => void Object.assign(shapes, { pageSize: 1 }),
});

const condition = (field: string, operator: string, value?: string) => ({ field, operator, value });
const all = (...conditions: object[]) => ({ conditions: { conditions } });
const filter = (...given: Parameters<typeof condition>) => ({
	filters: all(condition(...given)),
});

const isAda = condition('Name', 'is', 'ada');
const isLast = condition('attribute:number', 'greater', '={{ 2 }}');
// in the workflow's zone, if it has none
const second = '2026-10-02T04:00';
const secondUtc = '={{ DateTime.fromISO("2026-10-02T08:00", { zone: "utc" }) }}';

testRuns('Response: Get Many', {
	'lists the newest first': [{}],
	'lists the oldest first, up to the limit': [{ sort: { order: 'oldest' }, limit: 2 }],
	'limits each item': [{ ...listed, limit: '={{ $json.limit }}' }, { limit: '1' }, { limit: 2 }],
	'finds a text in answers, not in labels, IDs and addresses': [
		{ filters: { text: '={{ $json.text }}' }, limit: 1 },
		...['example.COM', '12', 'CV.txt', 'name', 'r1', '/files'].map((text) => ({ text })),
	],
	'finds those from a time on': [{ filters: { after: second } }],
	// an hour after the first response, but before it in UTC
	'finds those of a period': [
		{ filters: { after: '2026-10-01T05:00', before: '2026-10-03T08:00Z' } },
	],
	'finds those that meet any condition': [{ filters: { match: 'any', ...all(isAda, isLast) } }],
	'finds those that meet all conditions': [{ filters: all(isAda, isLast) }],
	'compares a time': [filter('attribute:created_at', 'after', secondUtc)],
	'finds missing answers': [filter('Email', 'isEmpty')],
	'keeps what it cannot compare, and says so': [filter('Order', 'less', '6')],
	'has a column for each field': [{ options: { columns: '={{ "yes" }}' } }],
	'names answers by custom key': [{ options: { nameAnswersBy: 'customKey', downloadFiles: true } }],
	'names answers as each item says': [
		{ sort: { order: 'oldest' }, limit: 1, options: { nameAnswersBy: '={{ $json.by }}' } },
		...[{ by: 'uuid' }, { by: 'customKey' }],
	],
	'takes no web page for a file, and says so in a column': meeting(
		{ fault: loginPage, match: { path: /^\/files/ } },
		{ options: { downloadFiles: true, columns: true }, filters: { text: 'cv' } },
	),
	'downloads files of raw records, and says which are lost': [
		{ simplify: false, options: { downloadFiles: true } },
	],
	'reads all pages to sort': onPages({ returnAll: false, limit: 1 }),
	'reads one page as listed': onPages({ ...listed, returnAll: false, limit: 1 }),
	'reads all pages for a status': onPages({ ...listed, status: 'complete', limit: 1 }),
	'reads all pages for a time': onPages({ ...listed, filters: { after: second }, limit: 1 }),
	'reads all pages for a condition': onPages({
		...{ ...listed, limit: 1 },
		...filter('attribute:number', 'less', '2'),
	}),
	'filters by status if the service does not': listing(
		[true, false, '0', 1, undefined].map((is_incomplete, id) => ({ id, is_incomplete })),
		{ status: 'incomplete' },
	),
	'sorts by time, then by number, and those without a time last': listing(
		[
			{ id: 1 },
			{ id: 2, ...noon },
			{ id: 3, ...noon, number: 10 },
			{ id: 4, ...noon, number: '9' },
		],
		{ simplify: false, sort: { order: '={{ $json.order }}' } },
		...['newest', 'oldest'].map((order) => ({ order })),
	),
	'finds no response without a time in a period': listing(
		[
			{ id: 1, created_at: 'soon' },
			{ id: 2, ...noon },
		],
		{ simplify: false, filters: { before: '2027-01-01' } },
	),
	'keeps unreadable answers, and says so': listing(unreadable, filter('Name', 'isNot', 'Bob')),
	'keeps unreadable answers when it finds a text': listing(unreadable, {
		filters: { text: 'ada' },
	}),
});

testRuns('Response: Get Many', {
	'needs conditions': [{ filters: { conditions: '[{"field": "uuid", "value": "b"}]' } }],
	'needs a value': [filter('Name', 'is', ' ')],
	'needs a number': [filter('Order', 'greater', '1.000')],
	'needs a field of the form': [filter('Shoe', 'isEmpty')],
});

const ofItem = { responseId: locator('={{ $json.id }}') };

testRuns('Response: Get', {
	'gets a response for each item, and reads all pages once': onPages(
		ofItem,
		{ id: 'r3' },
		{ id: 'r1' },
	),
	'reads pages up to the response': onPages(ofItem, { id: 'r2' }),
	'has a column for each field': [{ ...ofItem, options: { columns: true } }, { id: 'r1' }],
	'needs a UUID': [ofItem, { id: '' }],
	'needs a response of the form': [ofItem, { id: 'absent' }],
});

testRuns('Response: Get PDF', {
	'gets the file and its link': [{ ...ofItem, binaryPropertyName: ' summary ' }, { id: 'r1' }],
	'gets the link alone': [{ ...ofItem, download: false }, { id: 'r1' }, { id: 'r2' }],
	'needs a name for the file': [{ ...ofItem, binaryPropertyName: ' ' }, { id: 'r1' }],
	'takes no web page for a PDF': meeting({ fault: loginPage, match: { path: /^\/pdf/ } }, ofItem, {
		id: 'r1',
	}),
});
