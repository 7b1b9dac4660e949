import { expect, it } from 'vitest';
import { toMapperFields } from '../../../nodes/FormService/methods/resourceMapping.ts';

const mapAll = (...fields: object[]) => toMapperFields(fields as never);
const map = (field: object) => mapAll({ uuid: 'f', label: 'Field', ...field })[0];

it('A field of the resource mapper offers its choices', () => {
	const options = ['Red', { label: 'Green', value: 'g' }, { label: '=x', value: 2 }];
	expect(map({ type: 'dropdown', options })).toMatchObject({
		type: 'options',
		options: [
			{ name: 'Red', value: 'Red' },
			{ name: 'Green', value: 'g' },
			{ name: ' =x', value: 2 },
		],
	});
});

it.each([
	['has an unknown type', { type: 7 }],
	['has none', { type: 'dropdown', options: [] }],
	['has one that cannot be read', { type: 'radio', options: ['Red', { colour: 'Blue' }] }],
	['has one that n8n would evaluate', { type: 'select', options: ['={{ 1 }}'] }],
])('A field that %s takes any text in place of choices', (_, field) => {
	// it can be empty, and n8n never matches by it
	const flags = { required: false, display: true, defaultMatch: false, canBeUsedToMatch: false };
	expect(map(field)).toEqual({ id: 'f', displayName: 'Field', ...flags, type: 'string' });
});

it('The fields of the resource mapper have unique names, with what a user must know', () => {
	const fields = mapAll(
		{ uuid: 'h', label: 'Heading', type: 'heading' },
		{ label: 'No ID' },
		{ uuid: 'a', label: 'A', mandatory: '1' },
		{ uuid: 'b', name: 'B', required: true, type: 'checkboxes', options: ['X'] },
		{ uuid: 'c', label: 'A', required: '0' },
		{ id: 3, label: ' ' },
		{ uuid: 'd', label: 'CV', type: 'file' },
	);
	const names = ['A (required)', 'B (required, one or more)', 'A (2)', 'Untitled', 'CV (file URL)'];
	expect(fields.map(({ displayName }) => displayName)).toEqual(names);
	expect(fields.map(({ required }) => required)).toEqual([true, true, false, false, false]);
});
