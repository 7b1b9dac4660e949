import { expect, it } from 'vitest';
import { createTarget, endpoints } from '../../../nodes/FormService/api/endpoints.ts';

const baseUrl = 'https://a.example/api/v1';
const { listFields } = endpoints;

it('The ID in the path of a target has 255 characters at most', () => {
	const formId = `9f-A_b${'x'.repeat(249)}`;
	const { url } = createTarget({ baseUrl }, listFields, { formId });
	expect(url).toBe(`${baseUrl}/forms/${formId}/fields`);
});

it.each(['.', '..', 'a.b', 'a/b', 'a%2Fb', 'a?b', 'a#b', 'a\n', 'é', '', 'x'.repeat(256)])(
	'There is no target with %j for an ID',
	(formId) => {
		const create = () => createTarget({ baseUrl }, listFields, { formId });
		expect(create).toThrow('"formId" is not a valid ID');
	},
);
