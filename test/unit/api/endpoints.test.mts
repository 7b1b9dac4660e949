import { describe, expect, it } from 'vitest';
import { createTarget, endpoints } from '../../../nodes/FormService/api/endpoints.ts';

describe('the target of an endpoint', () => {
	const build = (formId: string) =>
		createTarget({ baseUrl: 'https://a.example/api/v1' }, endpoints.listFields, { formId }).url;

	it('has the ID in its path', () => {
		const formId = `9f-A_b${'x'.repeat(249)}`;
		expect(build(formId)).toBe(`https://a.example/api/v1/forms/${formId}/fields`);
	});

	it.each(['.', '..', 'a.b', 'a/b', 'a%2Fb', 'a?b', 'a#b', 'a\n', 'é', '', 'x'.repeat(256)])(
		'takes %j for no ID',
		(formId) => {
			expect(() => build(formId)).toThrow('"formId" is not a valid ID');
		},
	);
});
