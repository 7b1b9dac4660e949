import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { formServiceApiTest } from './methods/credentialTest';
import { getConditionFields } from './methods/formFields';
import { getForms, searchForms } from './methods/listSearch';
import { EVENTS, eventTable, WATCH_IN_EXPRESSION } from './parameters/watched';
import { fetchExample } from './trigger/example';
import { pollForms } from './trigger/poll';
import { triggerProperties } from './trigger/properties';

/**
 * Such as "Contact: completed". The form comes first, since forms tell triggers apart more often than
 * events do. The canvas shows about 26 characters, so a long name is cut and the event stays.
 */
const SUBTITLE = `={{ (({ events, watch, formId, formIds }) => {
	const kind = ${WATCH_IN_EXPRESSION};
	const name = formId?.cachedResultName ?? "";
	const forms = kind === "all" ? "All forms" : kind === "several" ? (formIds ?? []).length + " forms"
		: name.length > 15 ? name.slice(0, 14) + "…" : name;
	const words = [].concat(events ?? []).map((event) => event.replace("response", "").replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()).trim());
	return (forms ? forms + ": " : "On ") + words.join(", ");
})(JSON.parse(JSON.stringify($parameter))) }}`;

const EVENT_NAMES = EVENTS.map((event) => eventTable[event].name).join(', ');

export class FormServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Form Service Trigger',
		name: 'formServiceTrigger',
		icon: { light: 'file:formService.svg', dark: 'file:formService.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: SUBTITLE,
		description: 'Starts the workflow on new or changed form responses and forms',
		defaults: { name: 'Form Service Trigger' },
		polling: true,
		eventTriggerDescription: `'Fetch Test Event' shows the newest matching response. If there is no response yet, it shows an example made from the fields of the form, with "example": true.`,
		activationMessage:
			"The trigger is now active. Existing responses don't start the workflow unless 'Emit Existing Responses' is set.",
		hints: [
			{
				message:
					'Files are downloaded while n8n polls. Large files delay other responses and increase the size of the execution.',
				type: 'info',
				location: 'ndv',
				whenToDisplay: 'always',
				displayCondition: '={{ $parameter["options"]?.["downloadFiles"] === true }}',
			},
		],
		builderHint: {
			searchHint: `Starts a workflow on events of Form Service: ${EVENT_NAMES}. It polls, so responses arrive within minutes. Set formId to watch one form, or watch to "all".`,
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-formservice.formService',
					relationHint: 'Adds, lists and exports responses, and updates the settings of forms',
				},
			],
		},
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
		const items = await (this.getMode() === 'manual' ? fetchExample(this) : pollForms(this));
		return items === null ? null : [items];
	}
}
