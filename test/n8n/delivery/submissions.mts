import lodash from 'lodash';
import { setTimeout as sleep } from 'node:timers/promises';
import { oftenPolled } from '../../../scripts/lib/n8n/examples.mts';
import {
	type Credential,
	type WorkflowFile,
	workflowNode,
} from '../../../scripts/lib/n8n/rest.mts';
import type { Service } from '../../service/index.mts';

export const TRIGGER = 'New Response';

/** A trigger on a form, which n8n polls every ten seconds, and a node that does nothing. */
export const triggerWorkflow = (credential: Credential, formId: string): WorkflowFile => ({
	name: 'Delivery',
	nodes: [
		workflowNode(TRIGGER, 'n8n-nodes-formservice.formServiceTrigger', {
			credentials: { formServiceApi: credential },
			parameters: {
				...oftenPolled,
				formId: { __rl: true, mode: 'id', value: formId },
				events: ['responseCompleted'],
			},
		}),
		workflowNode('End', 'n8n-nodes-base.noOp', { position: [240, 0] }),
	],
	connections: { [TRIGGER]: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
	settings: { executionOrder: 'v1' },
});

/** How many requests for responses the service has got. */
export const countPolls = ({ requests }: Pick<Service, 'requests'>) =>
	requests.filter(({ path }) => path.startsWith('/responses/')).length;

type Plan = { submissions: number; durationMs: number };

/** Adds responses with a name at random times of about the given span. */
export async function submitAll({ store }: Service, formId: string, plan: Plan): Promise<void> {
	for (const index of lodash.range(plan.submissions)) {
		await sleep((Math.random() * 2 * plan.durationMs) / plan.submissions);
		store.addResponse(formId, { answers: { Name: `Person ${index}` } });
	}
}
