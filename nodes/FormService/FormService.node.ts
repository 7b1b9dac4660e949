import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { formServiceApiTest } from './credentialTest/formServiceApiTest';
import { searchForms } from './listSearch/searchForms';
import { getFormFields } from './resourceMapping/getFormFields';
import { operations, resourceProperties } from './resources';
import { runItem } from './routing/runItem';

export class FormService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service',
		name: 'formService',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['input', 'output'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description: 'Read forms and responses, add responses and update the settings of forms',
		defaults: { name: 'Form Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formServiceApi', required: true, testedBy: 'formServiceApiTest' }],
		// n8n knows a declarative node by these; what is sent, and where to, is api/request's to say
		requestDefaults: {
			baseURL: '={{$credentials.baseUrl}}',
			headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
		},
		requestOperations: { pagination: runItem(operations) },
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Field', value: 'field' },
					{ name: 'Form', value: 'form' },
					{ name: 'Response', value: 'response' },
					{ name: 'Setting', value: 'settings' },
					{ name: 'Workspace', value: 'workspace' },
				],
				default: 'response',
			},
			...resourceProperties,
		],
	};

	methods = {
		credentialTest: { formServiceApiTest },
		listSearch: { searchForms },
		resourceMapping: { getFormFields },
	};
}
