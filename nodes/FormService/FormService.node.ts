import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { formServiceApiTest } from './methods/credentialTest';
import { getConditionFields, getFieldOptions, getFormFields } from './methods/resourceMapping';
import { searchForms, searchResponses } from './methods/listSearch';
import { properties, requestDefaults, subtitle } from './resources';
import { sendRoutedItem } from './execution/routing';

export class FormService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service',
		name: 'formService',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['input', 'output'],
		version: 1,
		subtitle,
		description: 'Add, find and export form responses, get PDFs and update form settings',
		defaults: { name: 'Form Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formServiceApi', required: true, testedBy: 'formServiceApiTest' }],
		builderHint: {
			searchHint:
				'Adds responses to Form Service forms, lists and exports responses, gets their PDFs, and updates form settings, for example to close a form. To start a workflow on new responses, use Form Service Trigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-formservice.formServiceTrigger',
					relationHint:
						'Starts a workflow on new responses; its items have the form ID and the response UUID',
				},
				{
					nodeType: 'n8n-nodes-base.googleSheets',
					relationHint:
						'Rows with a form ID and settings update many forms with Setting: Update and Map Automatically',
				},
			],
		},
		hints: [
			{
				message:
					"'Download Files' fetches the files of each response one after another, which can take a long time and a lot of storage. To get fewer responses, lower 'Limit' or add filters.",
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
				displayCondition: '={{ $parameter["options"]?.["downloadFiles"] === true }}',
			},
		],
		requestDefaults,
		// n8n calls this function to send the request that its routing has composed
		requestOperations: { pagination: sendRoutedItem },
		properties,
	};

	methods = {
		credentialTest: { formServiceApiTest },
		listSearch: { searchForms, searchResponses },
		loadOptions: { getConditionFields, getFieldOptions },
		resourceMapping: { getFormFields },
	};
}
