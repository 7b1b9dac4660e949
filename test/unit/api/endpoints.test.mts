import { expect, it } from 'vitest';
import { createTarget, endpoints } from '../../../nodes/FormService/api/endpoints.ts';

const baseUrl = 'https://a.example/api/v1';

it('A target has an ID of up to 255 letters, digits, "_" and "-" in its path, and no other text', () => {
	const create = (formId: string) => createTarget({ baseUrl }, endpoints.listFields, { formId });
	const longest = `9f-A_b${'x'.repeat(249)}`;
	expect(create(longest).url).toBe(`${baseUrl}/forms/${longest}/fields`);
	const others = ['.', '..', 'a.b', 'a/b', 'a%2Fb', 'a?b', 'a#b', 'a\n', 'é', '', `${longest}x`];
	for (const id of others) expect(() => create(id), id).toThrow('"formId" is not a valid ID');
});
