import type { INodeProperties } from 'n8n-workflow';
import { withoutSecrets } from '../../api/secrets';
import { getWorkspace } from '../../api/service';
import type { Operation } from '../../routing/operation';
import { readSwitch } from '../common/input';

const showOnlyForWorkspaceGet = { resource: ['workspace'], operation: ['get'] };

export const workspaceGetProperties: INodeProperties[] = [
	{
		displayName: 'Include Secrets',
		name: 'includeSecrets',
		type: 'boolean',
		default: false,
		description:
			'Whether to include the webhook secret and the webhook URLs. They are then stored with the execution.',
		displayOptions: { show: showOnlyForWorkspaceGet },
	},
];

export const workspaceGet: Operation = {
	prepare(input) {
		const includeSecrets = readSwitch(input, 'includeSecrets', 'Include Secrets', false);
		return async (sender, run) => {
			const workspace = await run.once('workspace', async () => await getWorkspace(sender));
			return [{ json: includeSecrets ? structuredClone(workspace) : withoutSecrets(workspace) }];
		};
	},
};
