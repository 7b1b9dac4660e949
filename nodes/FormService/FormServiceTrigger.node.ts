import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { formServiceApiTest } from './editor/formServiceApiTest';
import { getConditionFields } from './editor/getFormFields';
import { getForms, searchForms } from './editor/searchForms';
import { fetchExample } from './trigger/example';
import { pollForms } from './trigger/poll';
import { triggerProperties } from './trigger/properties';

/**
 * Such as "Contact: On response completed". The form comes first, as the canvas cuts what is longer than
 * about 26 characters, and forms tell triggers apart more often than events do.
 */
const SUBTITLE = `={{ (({ events, watch, formId, formIds }) =>
	(watch === "all" ? "All forms: " : watch === "several" ? (formIds ?? []).length + " forms: "
		: formId?.cachedResultName ? formId.cachedResultName + ": " : "") + "On " +
	[].concat(events ?? []).map((event) => event.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase())).join(" or ")
)(JSON.parse(JSON.stringify($parameter))) }}`;

export class FormServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service Trigger',
		name: 'formServiceTrigger',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: SUBTITLE,
		description: 'Start workflows on new form responses',
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
		loadOptions: { getConditionFields, getForms },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const isTest = this.getMode() === 'manual';
		const items = isTest ? await fetchExample(this) : await pollForms(this);
		return items === null ? null : [items];
	}
}
