import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { formServiceApiTest } from './editor/formServiceApiTest';
import { getConditionFields, getFieldOptions, getFormFields } from './editor/formFields';
import { searchForms, searchResponses } from './editor/lists';
import { builderHint, hints } from './operations/hints';
import { properties, subtitle } from './operations';
import { requestDefaults } from './operations/routing';
import { sendItem } from './operations/sendItem';

export class FormService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service',
		name: 'formService',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['input', 'output'],
		version: 1,
		subtitle,
		description: 'Add, find and export form responses, and update form settings',
		defaults: { name: 'Form Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formServiceApi', required: true, testedBy: 'formServiceApiTest' }],
		builderHint,
		hints,
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
