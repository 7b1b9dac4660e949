import { expect, it } from 'vitest';
import { nameFields } from '../../../../nodes/FormService/api/request/replyFailure.ts';

const EMAIL = '9b1f2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';
const AGE = '0a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d';
const fields = [
	{ uuid: EMAIL, title: 'Email address' },
	{ uuid: AGE.toUpperCase(), title: 'Age' },
	{ uuid: 'f7', title: 'Colors' },
];

it.each([
	[`The data.${EMAIL} must be valid.`, 'The "Email address" must be valid.'],
	[`The data.${EMAIL.toUpperCase()} must be valid.`, 'The "Email address" must be valid.'],
	[`data.${EMAIL}: Invalid. data.${AGE}: Invalid.`, '"Email address": Invalid. "Age": Invalid.'],
	[`The "data.${EMAIL}" field, 'data.${AGE}'`, 'The "Email address" field, "Age"'],
	[`${EMAIL} is required. (${AGE})`, '"Email address" is required. ("Age")'],
	[`data[${EMAIL}] and data['${AGE}']`, '"Email address" and "Age"'],
	['The data.f7.0 is wrong, data.f7.', 'The "Colors" is wrong, "Colors".'],
	['data.f8, f7 and data. stay', 'data.f8, f7 and data. stay'],
	[`x${EMAIL}`, `x${EMAIL}`],
])(
	'in a message of the service, the path of an answer becomes the title of its field: %s',
	(text, named) => {
		expect(nameFields(text, fields)).toBe(named);
	},
);
