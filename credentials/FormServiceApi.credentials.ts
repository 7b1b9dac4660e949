import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

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

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{$credentials.accessToken}}',
			},
		},
	};
}
