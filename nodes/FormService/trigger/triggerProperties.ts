import { sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { REQUESTS_PER_DAY } from '../api/endpoints';
import { conditionProperties } from '../parameters/filters';
import { formLocator } from '../parameters/locators';
import { createOptionsProperty } from '../parameters/parameterContext';
import { outputOptions, simplifyProperty } from '../parameters/resultParameters';
import {
	TRIGGER_EVENTS,
	eventTexts,
	showForWatch,
	FORM_CREATED_CONDITION,
	RESPONSE_EVENT_CONDITION,
} from '../parameters/triggerEvents';
export const DEFAULT_MAX_PER_POLL = 100;

/**
 * The default of Requests per Day: half of the service's daily limit. The other half is for all other uses of
 * the account.
 */
export const DEFAULT_REQUESTS_PER_DAY = REQUESTS_PER_DAY / 2;

export const DEFAULT_ABANDONED_AFTER_HOURS = 24;

const MINUTES = (24 * 60) / DEFAULT_REQUESTS_PER_DAY;

/** The options of Trigger On. In n8n's node panel, each option is an action. */
const triggerEvents = sortBy(
	TRIGGER_EVENTS.map((value): INodePropertyOptions => {
		const { name, description } = eventTexts[value];
		return { name, value, description };
	}),
	'name',
);

const formIds: INodeProperties = {
	displayName: 'Form Names or IDs',
	name: 'formIds',
	type: 'multiOptions',
	default: [],
	typeOptions: { loadOptionsMethod: 'getForms' },
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
};

const exceptFormIds: INodeProperties = {
	...formIds,
	displayName: 'Excluded Form Names or IDs',
	name: 'exceptFormIds',
};

/** Lists of responses are one for each form. The notice would be wrong with other Requests per Day. */
const pollNotice: INodeProperties = {
	displayName: `Polled about every ${MINUTES} minutes, plus ${MINUTES} for each further form, because the trigger spaces its requests. Leave 'Poll Times' at Every Minute.`,
	name: 'requestsNotice',
	type: 'notice',
	default: '',
	displayOptions: {
		show: RESPONSE_EVENT_CONDITION,
		hide: { '/options.requestsPerDay': [{ _cnd: { exists: true } }] },
	},
};

/** The parameters of the trigger. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['responseCompleted'],
		options: triggerEvents,
	},
	{
		displayName: 'Abandoned After (Hours)',
		name: 'abandonedAfterHours',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_ABANDONED_AFTER_HOURS,
		description: 'Hours after which a response that is still incomplete counts as abandoned',
		displayOptions: { show: { events: ['responseAbandoned'] } },
	},
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		default: 'one',
		displayOptions: { hide: FORM_CREATED_CONDITION },
		options: [
			{
				name: 'All Forms',
				value: 'all',
				description: 'All forms in the workspace, including new ones',
			},
			{ name: 'One Form', value: 'one' },
			{ name: 'Several Forms', value: 'several' },
		],
	},
	{
		...formLocator,
		description: 'The form to watch',
		displayOptions: showForWatch('one'),
	},
	{ ...formIds, required: true, displayOptions: showForWatch('several') },
	{ ...exceptFormIds, displayOptions: showForWatch('all') },
	{ ...exceptFormIds, displayOptions: { show: FORM_CREATED_CONDITION } },
	pollNotice,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description:
			'Only matching responses start the workflow. The others never will, even if you change the filters.',
		options: conditionProperties,
		displayOptions: { show: RESPONSE_EVENT_CONDITION },
	},
	simplifyProperty,
	createOptionsProperty([
		...outputOptions.map(showWithResponses),
		{
			displayName: 'Emit Existing Responses Since',
			name: 'emitExistingSince',
			type: 'dateTime',
			default: '',
			displayOptions: { show: RESPONSE_EVENT_CONDITION },
			description:
				'Responses that were created at this time or later start the workflow, even if they existed before the first activation. For all responses, choose a date long ago. A time without a zone is in the time zone of the workflow.',
		},
		{
			displayName: 'Max Responses per Poll',
			name: 'maxPerPoll',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_MAX_PER_POLL,
			description: 'Max number of items per execution. Later polls deliver the rest.',
		},
		{
			displayName: 'Requests per Day',
			name: 'requestsPerDay',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_REQUESTS_PER_DAY,
			description: 'Max API requests in 24 hours, shared by all triggers on this account',
			hint: 'Form Service allows 1,440 a day for everything on the account. Your limit may differ.',
		},
	]),
];

/** Returns an option that the editor shows only if the user has chosen a response event. */
function showWithResponses(option: INodeProperties): INodeProperties {
	const { displayOptions } = option;
	return {
		...option,
		displayOptions: { show: { ...displayOptions?.show, ...RESPONSE_EVENT_CONDITION } },
	};
}
