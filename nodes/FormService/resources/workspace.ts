import { pick } from 'lodash';
import { endpoints } from '../api/endpoints';
import { removeSecrets } from '../api/records';
import { fetchWorkspace } from '../api/service';
import { fetchOnce, type Operation } from '../execution/operation';
import { readSimplify, simplificationProperties } from '../parameters/resultParameters';

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
	properties: simplificationProperties,
	prepare(input) {
		const simplify = readSimplify(input);
		return {
			async read(request) {
				const workspace = removeSecrets(await fetchOnce(request, fetchWorkspace));
				return [{ json: simplify ? pick(workspace, WORKSPACE_ATTRIBUTES) : workspace }];
			},
		};
	},
};

/** The ten attributes of simplified output, in which `owner` is one. n8n's guidelines allow at most ten. */
const WORKSPACE_ATTRIBUTES = [
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
