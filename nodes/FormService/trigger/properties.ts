import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { REQUESTS_PER_DAY } from '../api/rateLimiter/limits';
import { conditionFilters } from '../parameters/filters';
import { formLocator, makeOptions, simplifySwitch } from '../parameters/properties';
import { outputOptions } from '../parameters/responseOutput';
import { showForWatch, WITH_FORM_CREATED } from '../parameters/watched';
import {
	DEFAULT_ABANDONED_AFTER_HOURS,
	DEFAULT_MAX_PER_POLL,
	DEFAULT_REQUESTS_PER_DAY,
	MAX_ABANDONED_AFTER_HOURS,
} from './parameters';

/** Written out: formatting it would load Intl, which takes longer than all else here. */
const LIMIT = '1,440';

const set = '/options.requestsPerDay';

const MINUTES = (24 * 60) / DEFAULT_REQUESTS_PER_DAY;
const CHANGE = "To change this, set 'Requests per Day' in the options.";

const isSet = { [set]: [{ _cnd: { exists: true as const } }] };

const severalForms: INodeProperties = {
	displayName: `The trigger polls one form at most every ${MINUTES} minutes, even if 'Poll Times' are more frequent, to stay within ${DEFAULT_REQUESTS_PER_DAY} requests a day. Forms take turns: with 12 forms, each is polled about every ${12 * MINUTES} minutes. ${CHANGE}`,
	name: 'severalAllowanceNotice',
	type: 'notice',
	default: '',
};

/** n8n shows no expression in a notice, so there is one for each case. */
const allowanceNotices: INodeProperties[] = [
	{
		displayName: `The trigger polls at most every ${MINUTES} minutes, even if 'Poll Times' are more frequent, to stay within ${DEFAULT_REQUESTS_PER_DAY} requests a day. ${CHANGE}`,
		name: 'allowanceNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { watch: ['one'] }, hide: { ...isSet, ...WITH_FORM_CREATED } },
	},
	{
		...severalForms,
		displayOptions: {
			show: { watch: ['several', 'all'] },
			hide: { ...isSet, ...WITH_FORM_CREATED },
		},
	},
	{ ...severalForms, displayOptions: { show: WITH_FORM_CREATED, hide: isSet } },
	{
		displayName:
			"All triggers on this account share 'Requests per Day', which is set in the options below. The trigger skips polls beyond this number.",
		name: 'setAllowanceNotice',
		type: 'notice',
		default: '',
		displayOptions: {
			show: { [set]: [{ _cnd: { between: { from: 1, to: REQUESTS_PER_DAY - 1 } } }] },
		},
	},
	{
		displayName:
			"With this 'Requests per Day', triggers can use up the whole daily limit. Requests of other nodes on this account may then be refused.",
		name: 'largeAllowanceNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { [set]: [{ _cnd: { gte: REQUESTS_PER_DAY } }] } },
	},
];

/** What starts the workflow. n8n's node panel offers each as an action. */
const triggerEvents: INodePropertyOptions[] = [
	{
		name: 'Form Created',
		value: 'formCreated',
		description:
			'A form was added to the workspace. With this event, the trigger watches all forms.',
	},
	{
		name: 'Response Abandoned',
		value: 'responseAbandoned',
		description: 'A response has been incomplete for a number of hours',
	},
	{
		name: 'Response Completed',
		value: 'responseCompleted',
		description: 'A response was submitted, or an incomplete one was completed',
	},
	{
		name: 'Response Started',
		value: 'responseStarted',
		description:
			'Someone started to fill out a form that has "Track incomplete submissions" turned on',
	},
];

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
		displayName: 'Forms',
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
		description: 'The form whose responses start the workflow',
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
	...allowanceNotices,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description:
			'Which responses start the workflow. The trigger marks all other responses as seen, and they never start the workflow.',
		options: conditionFilters,
	},
	simplifySwitch,
	makeOptions(
		inOrder([
			...outputOptions,
			{
				displayName: 'Emit Existing Responses',
				name: 'emitExisting',
				type: 'boolean',
				default: false,
				description:
					'Whether to also start the workflow for responses that already exist when the trigger is first activated, oldest first',
			},
			{
				displayName: 'Max Responses per Poll',
				name: 'maxPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MAX_PER_POLL,
				description:
					'Maximum number of responses per execution. The rest follow at the next polls.',
			},
			{
				displayName: 'Requests per Day',
				name: 'requestsPerDay',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_REQUESTS_PER_DAY,
				description:
					'Maximum number of requests that all triggers on this account in one n8n process send in 24 hours. Forms share them: with 3 forms, each is polled about every 6 minutes, and busy forms more often.',
				hint: `The service's default limit is ${LIMIT} a day; yours may differ`,
			},
		]),
	),
];

/** As n8n orders options, wherever they come from. */
function inOrder(options: INodeProperties[]): INodeProperties[] {
	return [...options].sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
