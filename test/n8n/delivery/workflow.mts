import type { WorkflowFile } from '../../../scripts/lib/n8n/rest.mts';

export const TRIGGER = 'New Response';

/** Looks every ten seconds; the stand-in's limits are raised for it. */
const LOOKS = [0, 10, 20, 30, 40, 50].map((second) => `${second} * * * * *`);

/** A trigger on a form or on all of them, and a node that does nothing. */
export const triggerWorkflow = (
	credential: { id: string; name: string },
	formId: string | 'all',
): WorkflowFile => ({
	name: 'Delivery',
	nodes: [
		{
			id: 'trigger',
			name: TRIGGER,
			type: 'n8n-nodes-formservice.formServiceTrigger',
			typeVersion: 1,
			position: [0, 0],
			credentials: { formServiceApi: credential },
			parameters: {
				pollTimes: { item: LOOKS.map((cronExpression) => ({ mode: 'custom', cronExpression })) },
				...(formId === 'all'
					? { watch: 'all' }
					: { watch: 'one', formId: { __rl: true, mode: 'id', value: formId } }),
				events: ['responseCompleted'],
				options: { requestsPerDay: 100_000 },
			},
		},
		{
			id: 'end',
			name: 'End',
			type: 'n8n-nodes-base.noOp',
			typeVersion: 1,
			position: [240, 0],
			parameters: {},
		},
	],
	connections: { [TRIGGER]: { main: [[{ node: 'End', type: 'main', index: 0 }]] } },
	settings: { executionOrder: 'v1' },
});
