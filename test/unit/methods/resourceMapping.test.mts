import { describe, expect, it } from 'vitest';
import { toMapperFields } from '../../../nodes/FormService/methods/resourceMapping.ts';

const mapAll = (...fields: object[]) => toMapperFields(fields as never);
const map = (field: object) => mapAll({ uuid: 'f', label: 'Field', ...field })[0];

describe('A field of the resource mapper', () => {
	it.each(['text', 'profile', undefined, 7])('of the type %j takes text', (type) => {
		// it can be empty, and n8n never matches by it
		const flags = { required: false, display: true, defaultMatch: false, canBeUsedToMatch: false };
		expect(map({ type })).toEqual({ id: 'f', displayName: 'Field', ...flags, type: 'string' });
	});

	it('offers its choices', () => {
		const options = [
			'Red',
			{ label: 'Green', value: 'g' },
			{ label: 'Blue' },
			1,
			{ label: '=x', value: 2 },
		];
		expect(map({ type: 'dropdown', options })).toMatchObject({
			type: 'options',
			options: [
				{ name: 'Red', value: 'Red' },
				{ name: 'Green', value: 'g' },
				{ name: 'Blue', value: 'Blue' },
				{ name: '1', value: 1 },
				{ name: ' =x', value: 2 },
			],
		});
	});

	it.each([
		['there are none', { type: 'dropdown', options: [] }],
		['one of them cannot be read', { type: 'radio', options: ['Red', { colour: 'Blue' }] }],
		['they are not a list', { type: 'select', options: 'Red, Blue' }],
		['n8n would evaluate one', { type: 'select', options: ['={{ 1 }}'] }],
	])('takes any text in place of its choices if %s', (_, field) => {
		expect(map(field)).toMatchObject({ type: 'string' });
		expect(map(field)).not.toHaveProperty('options');
	});

	it.each([
		[{ mandatory: '1' }, 'Field (required)'],
		[{ required: 1 }, 'Field (required)'],
		[{ required: true, type: 'checkboxes' }, 'Field (required, one or more)'],
		[{ required: '0', mandatory: 'false' }, 'Field'],
	])('with %j is called %s', (field, displayName) => {
		const required = displayName.includes('required');
		expect(map(field)).toMatchObject({ displayName, required });
	});
});

describe('The fields of the resource mapper', () => {
	it('leave out headings, and fields without an ID', () => {
		const heading = { uuid: 'a', label: 'Heading', type: 'heading' };
		const fields = mapAll(heading, { label: 'No ID' }, { uuid: 'b', label: 'Name' });
		expect(fields.map(({ id }) => id)).toEqual(['b']);
	});

	it('are named by label, else by name, else by ID, with what a file field takes', () => {
		const fields = mapAll(
			{ uuid: 'a', label: 'A' },
			{ uuid: 'b', name: 'B' },
			{ uuid: 'c', label: 'A' },
			{ id: 3, label: ' ' },
			{ uuid: 'd', label: 'CV', type: 'file' },
		);
		const names = ['A', 'B', 'A (2)', '3', 'CV (file URL)'];
		expect(fields.map(({ displayName }) => displayName)).toEqual(names);
	});
});
