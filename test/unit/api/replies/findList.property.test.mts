import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findList as find } from '../../../../nodes/FormService/api/replies/findList.ts';
import { isPagingName } from '../../../../nodes/FormService/api/replies/nextPage.ts';

type Json = Record<string, unknown>;

/** The list of what belongs to a form. */
const findList = (value: unknown) => find(value, 'fields') ?? find(value, 'responses');

const word = fc.stringMatching(/^[a-z_]{1,12}$/);

const record = fc.record({
	uuid: fc.uuid(),
	label: fc.string(),
	options: fc.array(fc.string(), { maxLength: 3 }),
	responses: fc.array(fc.record({ key: fc.string(), value: fc.string() }), { maxLength: 3 }),
});

const listOfRecords = fc.uniqueArray(record, { maxLength: 12, selector: ({ uuid }) => uuid });

const numbered = (records: unknown[]) => Object.fromEntries(records.entries());

/** Every wrapping that the rules cover, by name. */
const wrappings: Record<string, (records: Json[], name: string) => unknown> = {
	'an array': (records) => records,
	'data in the envelope': (records) => ({ success: true, data: records }),
	'data without success': (records) => ({ data: records }),
	'numbered data': (records) => ({ success: true, data: numbered(records) }),
	'data by identity': (records) => ({
		data: Object.fromEntries(records.map((one) => [one.uuid, one])),
	}),
	'a named list in data': (records, name) => ({ success: true, data: { [name]: records } }),
	'a named list beside success': (records, name) => ({ success: true, [name]: records, total: 1 }),
	'a page in data': (records) => ({
		success: true,
		data: { current_page: 1, data: records, links: [{ url: null, label: 'Next', active: false }] },
	}),
	'data with links and meta': (records) => ({
		data: records,
		links: { next: null },
		meta: { current_page: 1, last_page: 1, links: [] },
	}),
	'data beside the id of the request': (records) => ({ success: true, id: 'r-1', data: records }),
	'the fields of a form in its record': (records) => ({
		success: true,
		data: { id: 'AbC123', name: 'Survey', fields: records },
	}),
	'the responses of a form in its record': (records) => ({
		data: { id: 'AbC123', is_closed: false, responses: records },
	}),
	'numbered data in a page': (records) => ({ data: { current_page: 1, data: numbered(records) } }),
};

describe('finding the list in a reply', () => {
	it.each(Object.entries(wrappings))('gives the same records from %s', (_name, wrap) => {
		fc.assert(
			fc.property(listOfRecords, word, (records, name) => {
				fc.pre(!['data', 'errors', 'id', 'uuid'].includes(name) && !isPagingName(name));
				expect(findList(JSON.parse(JSON.stringify(wrap(records, name))))?.records).toEqual(records);
			}),
			{ numRuns: 50 },
		);
	});

	it('goes deeper only where no list is nearer', () => {
		const form = { id: 'AbC123', fields: [{ uuid: 'f1' }] };
		const responses = [{ uuid: 'r1' }];
		expect(find({ success: true, data: { form, responses } }, 'fields')?.records).toEqual(
			responses,
		);
		expect(findList({ success: true, data: { form } })?.records).toEqual([{ uuid: 'f1' }]);
	});

	it.each([
		{ success: true, data: {} },
		{ success: true, responses: {} },
		{ data: { forms: {} } },
		{ success: true, responses: [], filters: {} },
		{ _embedded: { responses: [] }, _links: { self: { href: '/r' } }, page: { size: 20 } },
	])('takes %j for an empty list', (value) => {
		expect(findList(value)?.records).toEqual([]);
	});

	it('finds an empty list beside the form that it belongs to', () => {
		const data = { form: { id: 'AbC123', name: 'Survey' }, responses: [] };
		expect(findList({ success: true, data })?.records).toEqual([]);
	});

	it('of forms is not looked for in the record of a form', () => {
		const data = { id: 'AbC123', name: 'Survey', fields: [{ uuid: 'a' }] };
		expect(find({ success: true, data })).toBeUndefined();
		expect(find({ success: true, forms: data })).toBeUndefined();
		expect(find({ success: true, data }, 'responses')).toBeUndefined();
		expect(find({ success: true, data }, 'fields')?.records).toEqual(data.fields);
	});

	it('finds numbered records whose numbering has gaps', () => {
		const records = [{ uuid: 'a' }, { uuid: 'b' }];
		expect(findList({ success: true, data: { 3: records[0], 17: records[1] } })?.records).toEqual(
			records,
		);
	});

	it.each([
		['an empty object', {}],
		['a reply without a list', { success: true }],
		['a message alone', { success: true, message: 'Fine' }],
		['null', null],
		['data that is null', { success: true, data: null }],
		['a text', 'none'],
		['a number', 0],
		[
			'a single record',
			{ success: true, data: { uuid: 'a', responses: [{ key: 'x', value: 'y' }] } },
		],
		[
			'the fields of a form that is known by its key alone',
			{ data: { aB3xY9: { name: 'Survey', fields: [{ uuid: 'a' }] } } },
		],
		['the answers of a response without a UUID', { data: { id: 7, responses: [{ key: 'x' }] } }],
		['a list of texts', { success: true, data: ['a', 'b'] }],
		['a list with a gap', { success: true, data: [{ uuid: 'a' }, null] }],
		['two lists in different objects', { data: { a: { x: [{ id: 1 }] }, b: { y: [{ id: 2 }] } } }],
		['an empty list of something else', { success: true, user: { name: 'Ada', tags: [] } }],
		['a list of something else', { success: true, user: { roles: [{ name: 'Owner' }] } }],
		['a list without identities beside an empty one', { user: { roles: [{ is: 1 }], forms: [] } }],
		['two lists', { success: true, data: { forms: [{ id: 'a' }], drafts: [{ id: 'b' }] } }],
		['an empty object under another name', { success: true, extra: {} }],
		['an empty object beside the message', { success: true, message: 'Fine', settings: {} }],
		['an empty object further in', { data: { form: { theme: {} } } }],
		['counts alone', { success: true, data: { total: 0 } }],
		[
			'an empty list beside numbered records',
			{ success: true, warnings: [], responses: { 3: { uuid: 'a' }, 7: { uuid: 'b' } } },
		],
		[
			'an empty list beside one of records by identity',
			{ data: { tags: [], forms: { a: { id: 'a' } } } },
		],
	])('never takes %s for an empty list', (_name, value) => {
		expect(findList(value)).toBeUndefined();
	});

	it('never gives anything but the objects of one array or of one map of the reply', () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
				const text = JSON.stringify(value);
				for (const found of findList(value)?.records ?? []) {
					expect(found).toBeTypeOf('object');
					expect(text).toContain(JSON.stringify(found));
				}
			}),
			{ numRuns: 1_000 },
		);
	});
});
