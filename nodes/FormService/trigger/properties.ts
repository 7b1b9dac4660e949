import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { REQUESTS_PER_DAY } from '../api/rateLimiter/limits';
import { conditionFilters } from '../parameters/filters';
import { formLocator, optionsOf, simplifySwitch } from '../parameters/properties';
import { outputOptions } from '../parameters/responseOutput';
import {
	DEFAULT_ABANDONED_AFTER_HOURS,
	DEFAULT_MAX_PER_POLL,
	DEFAULT_REQUESTS_PER_DAY,
} from './parameters';

/** Written out: formatting it would load Intl, which takes longer than all else here. */
const LIMIT = '1,440';

const set = '/options.requestsPerDay';

/** n8n shows no expression in a notice, so there is one for the default and one for other values. */
const budgetNotices: INodeProperties[] = [
	{
		displayName: `Checks for responses about every ${(24 * 60) / DEFAULT_REQUESTS_PER_DAY} minutes and skips the polls in between, since all triggers on this account share ${DEFAULT_REQUESTS_PER_DAY} requests a day ('Requests per Day')`,
		name: 'budgetNotice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { [set]: [{ _cnd: { exists: true } }] } },
	},
	{
		displayName:
			"All triggers on this account share the 'Requests per Day' set below, and polls in between are skipped",
		name: 'ownBudgetNotice',
		type: 'notice',
		default: '',
		displayOptions: {
			show: { [set]: [{ _cnd: { between: { from: 1, to: REQUESTS_PER_DAY - 1 } } }] },
		},
	},
	{
		displayName:
			'At this setting, triggers can use the whole daily limit, and other nodes on this account may then be refused',
		name: 'largeBudgetNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { [set]: [{ _cnd: { gte: REQUESTS_PER_DAY } }] } },
	},
];

const responseEvents: INodePropertyOptions[] = [
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
			'Someone began to fill in a form that has "Track incomplete submissions" turned on',
	},
];

/** Trigger On, by which forms are watched: only the list of all forms shows that there is a new one. */
function triggerOn(
	options: INodePropertyOptions[],
	displayOptions: INodeProperties['displayOptions'],
): INodeProperties {
	return {
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['responseCompleted'],
		options,
		displayOptions,
	};
}

const formCreated: INodePropertyOptions = {
	name: 'Form Created',
	value: 'formCreated',
	description: 'A form was added to the workspace',
};

/** The parameters of the trigger. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Forms',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		default: 'one',
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
		displayOptions: { show: { watch: ['one'] } },
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
		displayOptions: { show: { watch: ['several'] } },
	},
	{
		displayName: 'Excluded Form Names or IDs',
		name: 'exceptFormIds',
		type: 'multiOptions',
		default: [],
		typeOptions: { loadOptionsMethod: 'getForms' },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		displayOptions: { show: { watch: ['all'] } },
	},
	...budgetNotices,
	// n8n's list of triggers offers the first, and opens a node by what that is shown for
	triggerOn(responseEvents, { hide: { watch: ['all'] } }),
	triggerOn([formCreated, ...responseEvents], { show: { watch: ['all'] } }),
	{
		displayName: 'Abandoned After (Hours)',
		name: 'abandonedAfterHours',
		type: 'number',
		default: DEFAULT_ABANDONED_AFTER_HOURS,
		description: 'Hours after which a response that is still incomplete counts as abandoned',
		displayOptions: { show: { events: ['responseAbandoned'] } },
	},
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description: 'Which responses start the workflow. The others are marked as seen.',
		options: conditionFilters,
	},
	simplifySwitch,
	optionsOf(
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
					'Maximum number of requests that all triggers on this account make in 24 hours. Forms share them: with 3 forms, each is polled about every 6 minutes, and busy ones more often.',
				hint: `The default limit is ${LIMIT} a day; yours may differ`,
			},
		]),
	),
];

/** As n8n orders options, wherever they come from. */
function inOrder(options: INodeProperties[]): INodeProperties[] {
	return [...options].sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
