import type { IAuthenticate, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/**
 * The credential of one user of the service (specification, section 5). Both nodes test it with
 * nodes/FormService/editor/formServiceApiTest.
 */
export class FormServiceApi implements ICredentialType {
	name = 'formServiceApi';

	displayName = 'Form Service API';

	icon: Icon = {
		light: 'file:../nodes/FormService/formService.svg',
		dark: 'file:../nodes/FormService/formService.dark.svg',
	};

	documentationUrl = 'https://github.com/OWNER/n8n-nodes-formservice#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The token of your Form Service account',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://forms.example.com',
			description: 'Address of your Form Service, with or without /api/v1',
		},
	];

	/**
	 * A function, since an object's headers would replace the request's own: a PDF is no JSON. Without
	 * `Accept`, the service may send a login page (specification, section 5), also to n8n's HTTP Request.
	 */
	authenticate: IAuthenticate = async ({ accessToken }, options) => {
		const Authorization = `Bearer ${String(accessToken).trim()}`;
		const headers = { Accept: 'application/json', ...options.headers, Authorization };
		return await Promise.resolve({ ...options, headers });
	};
}
