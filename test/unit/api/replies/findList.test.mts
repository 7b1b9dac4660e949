import { describe, expect, it } from 'vitest';
import { findList } from '../../../../nodes/FormService/api/replies/findList.ts';

const a = { uuid: 'a', label: 'Name', options: ['x'] };
const b = { uuid: 'b', responses: [{ key: 'k', value: 'v' }] };
const records = [a, b];

describe('finding the list in a reply', () => {
	it.each([
		['the reply', records],
		['data', { success: true, data: records }],
		['numbered data with gaps', { data: { 3: a, 17: b } }],
		['data by identity', { data: { a, b } }],
		['data of a reply with an ID', { success: true, id: 'request-1', data: records }],
		['another attribute of the reply', { success: true, people: records, total: 1 }],
		['the data of a page', { data: { current_page: 1, data: records, links: [{ url: null }] } }],
		['the data of a named page', { success: true, responses: { data: records } }],
		['a form in data', { data: { form: { id: 'AbC123', fields: records, pages: [{}] } } }],
		['data with the form', { data: { form: { id: 'AbC123', name: 'Survey' }, people: records } }],
	])('finds the records in %s', (_, reply) => {
		expect(findList(reply, 'fields')?.records).toEqual(records);
	});

	it.each([
		[[]],
		[{ success: true, data: [] }],
		[{ success: true, data: {} }],
		[{ success: true, responses: [], filters: {} }],
		[{ data: { form: { id: 'AbC123', name: 'Survey' }, responses: [] } }],
	])('takes %j for an empty list', (reply) => {
		expect(findList(reply, 'fields')?.records).toEqual([]);
	});

	it.each<[string, unknown, string?]>([
		['a text', 'none'],
		['data that is null', { success: true, data: null }],
		['an empty object', {}],
		['an empty object under another name', { success: true, extra: {} }],
		['a single response with an ID', { data: { id: 7, responses: [{ key: 'x' }] } }],
		['a single response without answers', { data: { id: 7, is_incomplete: true, responses: [] } }],
		['the answers of a single response', { data: { uuid: 'a', responses: [{ uuid: 'b' }] } }],
		['a form, instead of forms', { data: { id: 'AbC123', fields: records } }, 'none'],
		['a form known by its key alone', { data: { aB3xY9: { name: 'Survey', fields: records } } }],
		['a list with a gap', { success: true, data: [a, null] }],
		['two lists in different objects', { data: { a: { data: [a] }, b: { data: [b] } } }],
		['an empty list beside numbered records', { warnings: [], responses: { 3: a, 7: b } }],
		['an empty list beside records by identity', { data: { tags: [], forms: { a } } }],
		['a list of another object', { success: true, user: { roles: [{ name: 'Owner' }] } }],
		['the errors', { message: 'No', errors: [{ message: 'Too long' }] }],
		['the pages', { links: [{ url: null }], meta: { pages: [] } }],
	])('never takes %s for a list', (_, reply, nameInForm = 'responses') => {
		expect(findList(reply, nameInForm)).toBeUndefined();
	});
});
