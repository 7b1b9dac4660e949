import { expect, it, vi } from 'vitest';
import { createAccount } from '../../../nodes/FormService/api/account.ts';
import { createTarget, endpoints } from '../../../nodes/FormService/api/endpoints.ts';
import { callApi } from '../../../nodes/FormService/api/request/callApi.ts';
import type { RequestContext } from '../../../nodes/FormService/api/requestContext.ts';

const baseUrl = 'https://a.example/api/v1';
const { listFields, listForms } = endpoints;

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
	'Nothing is sent to %s',
	async (url) => {
		const send = vi.fn();
		const n8n = { helpers: { httpRequestWithAuthentication: send }, getNode: () => ({}) };
		const account = createAccount({ accessToken: 'token', baseUrl });
		const context = { n8n: n8n as never, account, priority: 'low' } as RequestContext;
		const calling = callApi(context, { endpoint: listForms, url });
		await expect(calling).rejects.toThrow('The request URL is outside the API');
		expect(send).not.toHaveBeenCalled();
	},
);
