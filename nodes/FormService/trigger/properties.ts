import { sortBy } from 'lodash';
import type { IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { REQUESTS_PER_DAY } from '../api/rateLimiter/limits';
import { conditionFilters } from '../parameters/filters';
import { formLocator, makeOptions, simplifySwitch, toOptions } from '../parameters/properties';
import { outputOptions } from '../parameters/responseOutput';
import {
	EVENTS,
	eventTable,
	showForWatch,
	WITH_FORM_CREATED,
	WITH_FORM_EVENTS,
	WITH_RESPONSES,
} from '../parameters/watched';
import {
	DEFAULT_ABANDONED_AFTER_HOURS,
	DEFAULT_MAX_PER_POLL,
	DEFAULT_REQUESTS_PER_DAY,
	EXISTING,
	MAX_ABANDONED_AFTER_HOURS,
} from './parameters';

/** Written out: formatting it would load Intl, which takes longer than all else here. */
const LIMIT = '1,440';

const set = '/options.requestsPerDay';

const isSet = { [set]: [{ _cnd: { exists: true as const } }] };

const MINUTES = (24 * 60) / DEFAULT_REQUESTS_PER_DAY;
const OFTEN = `about every ${MINUTES} minutes, even if Poll Times is shorter`;
const SEVERAL = `Polls one form every ${MINUTES} minutes at most: 12 forms are each polled about every ${12 * MINUTES} minutes`;
const CHANGE = "To change this, set 'Requests per Day' in the options.";

/** n8n shows no expression in a notice, so there is one for each case. */
const createNotice = (text: string, displayOptions: IDisplayOptions): INodeProperties => ({
	displayName: text,
	name: 'requestsNotice',
	type: 'notice',
	default: '',
	displayOptions,
});

const notices: INodeProperties[] = [
	createNotice(`Polls the form ${OFTEN}. ${CHANGE}`, {
		show: { watch: ['one'] },
		hide: { ...isSet, ...WITH_FORM_EVENTS },
	}),
	createNotice(`${SEVERAL}. ${CHANGE}`, {
		show: { watch: ['several', 'all'] },
		hide: { ...isSet, ...WITH_FORM_EVENTS },
	}),
	createNotice(`${SEVERAL}, and the list of forms about every hour. ${CHANGE}`, {
		show: { ...WITH_FORM_EVENTS, ...WITH_RESPONSES },
		hide: isSet,
	}),
	createNotice(`Polls the list of forms ${OFTEN}. ${CHANGE}`, {
		show: WITH_FORM_EVENTS,
		hide: { ...isSet, ...WITH_RESPONSES },
	}),
	createNotice(
		"All triggers on this account share 'Requests per Day', which is set in the options below. The more forms are watched, the less often each one is polled.",
		{ show: { [set]: [{ _cnd: { between: { from: 1, to: REQUESTS_PER_DAY - 1 } } }] } },
	),
	createNotice(
		"With this 'Requests per Day', triggers can use up the whole daily limit. Requests of other nodes on this account may then be refused.",
		{ show: { [set]: [{ _cnd: { gte: REQUESTS_PER_DAY } }] } },
	),
];

/** What starts the workflow. n8n's node panel offers each as an action. */
const triggerEvents = sortBy(
	EVENTS.map((value): INodePropertyOptions => {
		const { name, description } = eventTable[value];
		return { name, value, description };
	}),
	'name',
);

const exceptFormIds: INodeProperties = {
	displayName: 'Excluded Form Names or IDs',
	name: 'exceptFormIds',
	type: 'multiOptions',
	default: [],
	typeOptions: { loadOptionsMethod: 'getForms' },
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
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
		typeOptions: { minValue: 1, maxValue: MAX_ABANDONED_AFTER_HOURS },
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
		displayOptions: { hide: WITH_FORM_CREATED },
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
	{
		displayName: 'Form Names or IDs',
		name: 'formIds',
		type: 'multiOptions',
		required: true,
		default: [],
		typeOptions: { loadOptionsMethod: 'getForms' },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		displayOptions: showForWatch('several'),
	},
	{ ...exceptFormIds, displayOptions: showForWatch('all') },
	{ ...exceptFormIds, displayOptions: { show: WITH_FORM_CREATED } },
	...notices,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description: 'Only matching responses start the workflow. Others are marked as seen.',
		options: conditionFilters,
		displayOptions: { show: WITH_RESPONSES },
	},
	simplifySwitch,
	makeOptions(
		inOrder([
			...outputOptions.map(showWithResponses),
			{
				displayName: 'Emit Existing Responses',
				name: 'emitExisting',
				type: 'options',
				default: 'no',
				options: toOptions(EXISTING),
				displayOptions: { show: WITH_RESPONSES },
				description:
					'Which responses created before the first activation also start the workflow, oldest first',
			},
			{
				displayName: 'Existing Responses Since',
				name: 'emitSince',
				type: 'dateTime',
				default: '',
				displayOptions: { show: { emitExisting: ['since'], ...WITH_RESPONSES } },
				description:
					'Existing responses created at this time or later start the workflow. A time without a zone is in the time zone of the workflow.',
			},
			{
				displayName: 'Max Responses per Poll',
				name: 'maxPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MAX_PER_POLL,
				description: 'Max number of responses per execution. Later polls deliver the rest.',
			},
			{
				displayName: 'Requests per Day',
				name: 'requestsPerDay',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_REQUESTS_PER_DAY,
				description: 'Max API requests in 24 hours, shared by all triggers on this account',
				hint: `The default limit of Form Service is ${LIMIT} a day; yours may differ`,
			},
		]),
	),
];

/** What is only about responses is hidden where only Form Created is chosen. */
function showWithResponses(option: INodeProperties): INodeProperties {
	const { displayOptions, name } = option;
	if (name === 'includeSecrets') return option;
	return { ...option, displayOptions: { show: { ...displayOptions?.show, ...WITH_RESPONSES } } };
}

/** As n8n orders options, wherever they come from. */
function inOrder(options: INodeProperties[]): INodeProperties[] {
	return [...options].sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
