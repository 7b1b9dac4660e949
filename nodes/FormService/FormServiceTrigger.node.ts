import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { formServiceApiTest } from './credentialTest/formServiceApiTest';
import { searchForms } from './listSearch/searchForms';
import { fetchExample, pollForm } from './trigger/nodePoll';
import { triggerProperties } from './trigger/properties';

export class FormServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service Trigger',
		name: 'formServiceTrigger',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["events"].join(", ")}}',
		description: 'Starts the workflow when a form gets a response',
		defaults: { name: 'Form Service Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'formServiceApi', required: true, testedBy: 'formServiceApiTest' }],
		properties: triggerProperties,
	};

	methods = {
		credentialTest: { formServiceApiTest },
		listSearch: { searchForms },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const isTest = this.getMode() === 'manual';
		const items = isTest ? await fetchExample(this) : await pollForm(this);
		return items === null ? null : [items];
	}
}
