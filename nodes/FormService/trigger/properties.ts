import type { INodeProperties } from 'n8n-workflow';
import { REQUESTS_PER_DAY } from '../api/gate/limits';
import { fileOptions, formLocator, simplifySwitch } from '../resources/common/properties';
import { DEFAULT_MAX_PER_POLL, DEFAULT_REQUESTS_PER_DAY } from './readSettings';

const set = '/options.requestsPerDay';
const left = REQUESTS_PER_DAY - DEFAULT_REQUESTS_PER_DAY;
const limit = REQUESTS_PER_DAY.toLocaleString('en');

/** n8n shows no expression in a notice, so there is one for the default and one for other values. */
const allowanceNotices: INodeProperties[] = [
	{
		displayName: `All triggers on this account together make up to <strong>${DEFAULT_REQUESTS_PER_DAY} requests a day</strong>: one every 2 minutes. That leaves ${left} of the ${limit} that the service allows to other nodes and tools. Requests per Day in the options changes this.`,
		name: 'allowanceNotice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { [set]: [{ _cnd: { exists: true } }] } },
	},
	{
		displayName: `All triggers on this account together make up to as many requests a day as Requests per Day says below. What is left of ${limit}, which the service allows, is for other nodes and tools.`,
		name: 'ownAllowanceNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { [set]: [{ _cnd: { between: { from: 1, to: 1439 } } }] } },
	},
	{
		displayName: `With this many Requests per Day, the triggers alone use all of the ${limit} that the service allows unless yours allows more. Other nodes and tools on the account are refused then.`,
		name: 'largeAllowanceNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { [set]: [{ _cnd: { gte: REQUESTS_PER_DAY } }] } },
	},
];

/** The parameters of the trigger. */
export const triggerProperties: INodeProperties[] = [
	{ ...formLocator, description: 'The form whose responses start the workflow' },
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['responseCompleted'],
		description: 'What starts the workflow',
		options: [
			{
				name: 'Response Completed',
				value: 'responseCompleted',
				description: 'A form was submitted, or a partial submission was completed',
			},
			{
				name: 'Response Started',
				value: 'responseStarted',
				description:
					'Someone began to fill in a form that has "Track incomplete submissions" turned on',
			},
		],
	},
	simplifySwitch,
	...allowanceNotices,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			...fileOptions,
			{
				displayName: 'Emit Existing Responses',
				name: 'emitExisting',
				type: 'boolean',
				default: false,
				description:
					'Whether responses that are there when the trigger first looks at a form start the workflow too, oldest first',
			},
			{
				displayName: 'Max Responses per Poll',
				name: 'maxPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_MAX_PER_POLL,
				description:
					'How many responses one execution takes at most. The rest follows with the next polls.',
			},
			{
				displayName: 'Requests per Day',
				name: 'requestsPerDay',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: DEFAULT_REQUESTS_PER_DAY,
				description:
					'How many requests all triggers on this account make in 24 hours at most. They share it evenly: with 3 triggers, each looks at its form every 6 minutes.',
				hint: `The service allows ${limit} a day; whoever runs it may have chosen another limit`,
			},
		],
	},
];
