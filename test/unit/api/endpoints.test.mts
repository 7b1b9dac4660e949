import { expect, it } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { createTarget, endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import { callApi } from '../../../nodes/FormService/api/request/callApi.ts';
import type { RequestContext } from '../../../nodes/FormService/api/requestContext.ts';

const baseUrl = 'https://a.example/api/v1';
const { listFields } = endpoints;

it('The target of an endpoint has the ID in its path', () => {
	const formId = `9f-A_b${'x'.repeat(249)}`;
	expect(createTarget({ baseUrl }, listFields, { formId }).url).toBe(
		`${baseUrl}/forms/${formId}/fields`,
	);
});

it.each(['.', '..', 'a.b', 'a/b', 'a%2Fb', 'a?b', 'a#b', 'a\n', 'é', '', 'x'.repeat(256)])(
	'There is no target with %j for an ID',
	(formId) => {
		const create = () => createTarget({ baseUrl }, listFields, { formId });
		expect(create).toThrow('"formId" is not a valid ID');
	},
);

it.each([`${baseUrl}/../admin`, `${baseUrl}0/forms`, 'https://evil.example/api/v1/forms'])(
	'Nothing is sent to %s, such as a saved page of another service',
	async (url) => {
		const account = createAccount({ accessToken: 'token', baseUrl });
		// without n8n's helpers, sending would be another error
		const calling = callApi({ account } as RequestContext, { endpoint: listFields, url });
		await expect(calling).rejects.toThrow('The request URL is outside the API');
	},
);
