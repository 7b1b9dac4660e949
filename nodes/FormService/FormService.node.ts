import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { formServiceApiTest } from './editor/formServiceApiTest';
import { searchForms } from './editor/searchForms';
import { searchResponses } from './editor/searchResponses';
import { getConditionFields, getFieldOptions, getFormFields } from './editor/getFormFields';
import { properties } from './operations';
import { requestDefaults } from './operations/routing';
import { sendItem } from './operations/sendItem';

export class FormService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service',
		name: 'formService',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['input', 'output'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description: 'Start workflows on form responses, add and get them, and update forms',
		defaults: { name: 'Form Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formServiceApi', required: true, testedBy: 'formServiceApiTest' }],
		requestDefaults,
		requestOperations: { pagination: sendItem },
		properties,
	};

	methods = {
		credentialTest: { formServiceApiTest },
		listSearch: { searchForms, searchResponses },
		loadOptions: { getConditionFields, getFieldOptions },
		resourceMapping: { getFormFields },
	};
}
