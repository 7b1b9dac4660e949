import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../api/endpoints';
import { isRecord } from '../../api/records';
import { getWorkspace } from '../../api/service';
import type { Input } from '../../parameters/input';
import { readSwitch } from '../../parameters/input';
import { simplifySwitch } from '../../parameters/properties';
import type { Operation, Prepared } from '../operation';
import { requestTo } from '../routing';

export const workspaceGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get workspace',
		description: 'Get the workspace with its defaults, owner and members',
		routing: requestTo(endpoints.getWorkspace, prepare),
	},
	toolDescription:
		'Gets the workspace of the account: its name, owner, members, time zone and language.',
	properties: [
		simplifySwitch,
		{
			displayName: 'Include Secrets',
			name: 'includeSecrets',
			type: 'boolean',
			default: false,
			description:
				'Whether to include the webhook secret and the webhook URLs. They are then stored with the execution.',
			displayOptions: { show: { simplify: [false] } },
		},
	],
};

function prepare(input: Input): Prepared {
	const simplify = readSwitch(input, 'simplify', 'Simplify', true);
	const includeSecrets = !simplify && readSwitch(input, 'includeSecrets', 'Include Secrets', false);
	return {
		async send(request) {
			const workspace = await request.run.once(request, getWorkspace);
			const shown = includeSecrets ? structuredClone(workspace) : withoutSecrets(workspace);
			return [{ json: simplify ? pick(shown, KEPT_ATTRIBUTES) : shown }];
		},
	};
}

/** What simplified output keeps: at most ten attributes, of the owner the name and the address. */
const KEPT_ATTRIBUTES = [
	'name',
	'timezone',
	'locale',
	'replyto_email',
	'field_errormessage',
	'after_redirect_url',
	'onboarding_completed',
	'owner.name',
	'owner.email',
	'members',
	'created_at',
];

/** Names of attributes whose value lets whoever has it act for the workspace (specification, section 2.1). */
const SECRET_NAME = /secret|token|password|api_?key|webhook_?url/i;

/** A record without its secrets, at any depth: the webhook secret, the addresses of chat webhooks. */
export function withoutSecrets(record: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(record)
			.filter(([name]) => !SECRET_NAME.test(name))
			.map(([name, value]) => [name, cleaned(value)]),
	);
}

function cleaned(value: IDataObject[string]): IDataObject[string] {
	if (Array.isArray(value)) return value.map((entry) => cleaned(entry)) as IDataObject[];
	return isRecord(value) ? withoutSecrets(value) : value;
}
