import { describe, expect, it } from 'vitest';
import { toMapperFields as mapperFieldsOf } from '../../../nodes/FormService/editor/mapperFields.ts';

const toMapperFields = (fields: Parameters<typeof mapperFieldsOf>[0]) =>
	mapperFieldsOf(fields, 'aB3xY9');

const kindOf = (field: object) => {
	const [{ type, options }] = toMapperFields([{ uuid: 'f', label: 'Field', ...field }]);
	return { type, options };
};

describe('the fields of the resource mapper', () => {
	it.each(
		Object.entries({
			string: [
				'text',
				'textarea',
				'email',
				'phone',
				'url',
				'time',
				'checkboxes',
				'multiple_choice',
			],
			number: ['number', 'Rating'],
			dateTime: ['date', 'datetime-local'],
			boolean: ['boolean', 'Yes_No', 'toggle', 'checkbox'],
			url: ['file', 'file_upload', 'FileUpload', 'imageUpload'],
		}).flatMap(([shown, types]) => types.map((type) => [type, shown])),
	)('show a field of the type %j as %s', (type, shown) => {
		expect(kindOf({ type }).type).toBe(shown);
	});

	it.each(['profile', 'filename', 'something_new', undefined, 7])(
		'take text for a field of the unknown type %j',
		(type) => {
			expect(kindOf({ type }).type).toBe('string');
		},
	);

	it.each<[unknown[], object[]]>([
		[['Red'], [{ name: 'Red', value: 'Red' }]],
		[
			[{ label: 'Red', value: 'r' }, { name: 'Blue' }],
			[
				{ name: 'Red', value: 'r' },
				{ name: 'Blue', value: 'Blue' },
			],
		],
		[[1], [{ name: '1', value: 1 }]],
	])('offer choices that come as %j', (given, options) => {
		expect(kindOf({ type: 'dropdown', options: given })).toEqual({ type: 'options', options });
	});

	it.each([
		['there are none', { type: 'dropdown', options: [] }],
		['they cannot be made out', { type: 'radio', options: ['Red', { colour: 'Blue' }] }],
		['they are not a list', { type: 'select', options: 'Red, Blue' }],
		['n8n would evaluate one', { type: 'select', options: ['={{ 1 }}'] }],
	])('take any text where choices are not offered because %s', (_, field) => {
		expect(kindOf(field)).toEqual({ type: 'string', options: undefined });
	});

	it('leave out headings and the like, and what cannot be identified', () => {
		const fields = [
			{ uuid: 'a', label: 'Heading', type: 'heading' },
			{ label: 'No identity' },
			{ uuid: 'b', label: 'Name' },
		];
		expect(toMapperFields(fields).map(({ uuid }) => uuid)).toEqual(['b']);
	});

	it.each([
		[{ mandatory: true }, true],
		[{ required: 1 }, true],
		[{ mandatory: '1' }, true],
		[{ required: 'true' }, true],
		[{ required: '0', mandatory: 'false' }, false],
		[{ mandatory: false, required: false }, false],
		[{}, false],
	])('mark %j as required: %j', (field, required) => {
		expect(toMapperFields([{ uuid: 'f', ...field }])[0].required).toBe(required);
	});

	it('are named by label, else by name, else by UUID', () => {
		const fields = [
			{ uuid: 'a', label: 'A' },
			{ uuid: 'b', name: 'B' },
			{ id: 3, label: ' ' },
		];
		expect(toMapperFields(fields).map(({ displayName }) => displayName)).toEqual(['A', 'B', '3']);
	});

	it.each([true, 1])('offer the choices of a field that takes several, as %j', (multiple) => {
		const field = { uuid: 'f', label: 'Uses', type: 'select', options: ['Red', 'Blue'], multiple };
		const description =
			'To choose several, switch to Expression and separate the choices with commas';
		expect(toMapperFields([field])).toMatchObject([
			{
				displayName: 'One or more: Uses',
				label: 'Uses',
				type: 'options',
				options: [
					{ name: 'Red', value: 'Red', description },
					{ name: 'Blue', value: 'Blue' },
				],
			},
		]);
	});

	it('are told apart by their descriptions where two share a label', () => {
		const fields = [
			{ uuid: 'a', label: 'Comment', description: 'On the\ncourse' },
			{ uuid: 'b', label: 'Comment', description: 'x'.repeat(50) },
			{ uuid: 'c', label: 'Name', description: 'In full' },
		];
		expect(toMapperFields(fields).map(({ displayName }) => displayName)).toEqual([
			'On the course: Comment',
			`${'x'.repeat(40)}…: Comment (2)`,
			'Name',
		]);
	});

	it('have their labels as IDs, which n8n shows in its own messages', () => {
		const fields = [
			{ uuid: 'a', label: 'Name' },
			{ uuid: 'b', label: 'Name' },
			{ uuid: 'c', label: ' Say "hi"' },
			{ uuid: 'd', label: '__proto__' },
		];
		expect(toMapperFields(fields).map(({ id }) => id)).toEqual([
			'Name',
			'Name (2)',
			"Say 'hi'",
			'__proto__ (2)',
		]);
	});
});
