import { pick } from 'lodash';
import { endpoints } from '../api/endpoints';
import { withoutSecrets } from '../api/records';
import { getWorkspace } from '../api/service';
import { readIncludeSecrets, readSwitch } from '../parameters/input';
import { includeSecretsSwitch, simplifySwitch } from '../parameters/properties';
import { readOnce } from './operation';
import type { Operation } from './operation';

export const workspaceGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get workspace',
		description: 'Retrieve the workspace with its defaults, owner and members',
	},
	endpoint: endpoints.getWorkspace,
	toolDescription:
		'Gets the workspace of the account: its name, owner, members, time zone and language.',
	properties: [simplifySwitch, includeSecretsSwitch],
	prepare(input) {
		const simplify = readSwitch(input, 'simplify', 'Simplify', true);
		const includeSecrets = !simplify && readIncludeSecrets(input);
		return {
			async send(request) {
				const workspace = await readOnce(request, getWorkspace);
				const shown = includeSecrets ? structuredClone(workspace) : withoutSecrets(workspace);
				return [{ json: simplify ? pick(shown, KEPT_ATTRIBUTES) : shown }];
			},
		};
	},
};

/** The attributes that simplified output keeps, at most ten. */
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
