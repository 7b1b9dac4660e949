import type { IDataObject } from 'n8n-workflow';
import type { World } from '../../../scripts/demo/world.mts';
import { itemsOf } from '../../../scripts/lib/n8n/rest.mts';
import { demoForms } from '../../service/index.mts';
import { TRIGGER, triggerWorkflow } from '../delivery/workflow.mts';

/**
 * Switches on a workflow that starts when a response of the newsletter form is started, and when it is
 * completed. Gives a function that tells what the workflow has run on so far.
 */
export async function watchNewsletter(
	{ n8n: { rest } }: World,
	credential: { id: string; name: string },
): Promise<() => Promise<IDataObject[]>> {
	const workflow = triggerWorkflow(credential, demoForms.newsletter);
	workflow.nodes[0].parameters.events = ['responseStarted', 'responseCompleted'];
	const id = await rest.createWorkflow(workflow);
	await rest.activate(id);
	// what is there until then is the baseline; looks at the form tell nothing, as other workflows take them too
	await rest.published(id);
	return async () => {
		const items = [];
		for (const execution of await rest.executionIds(id)) {
			const run = await rest.execution(execution);
			if (run.status === 'success') items.push(...itemsOf(run, TRIGGER).map(({ json }) => json));
		}
		return items;
	};
}
