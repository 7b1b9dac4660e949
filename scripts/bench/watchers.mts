import type { INode } from 'n8n-workflow';
import { triggerWorkflow } from '../../test/n8n/delivery/workflow.mts';
import { type WorkflowFile, workflowNode } from '../lib/n8n/rest.mts';

type Credential = { id: string; name: string };

/** The workflow of the delivery tests, with a tick every so many seconds and an allowance of its own. */
export function ownTrigger(
	credential: Credential,
	{
		formIds,
		tickSeconds,
		requestsPerDay,
	}: { formIds: string[]; tickSeconds: number; requestsPerDay: number },
): WorkflowFile {
	const workflow = triggerWorkflow(credential, formIds[0]);
	const [trigger] = workflow.nodes;
	// one for each second: n8n takes no expression of a trigger that means several a minute
	const item = Array.from({ length: 60 / tickSeconds }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${index * tickSeconds} * * * * *`,
	}));
	Object.assign(trigger.parameters, {
		pollTimes: { item },
		options: { requestsPerDay },
		...(formIds.length > 1 && { watch: 'several', formIds }),
	});
	return workflow;
}

export const REMOVE_DUPLICATES = 'Remove Duplicates';

/** Polls forms as people are told to: all responses of each at every tick, without those seen before. */
export function usualAdvice(
	credential: Credential,
	{ formIds, tickSeconds, baseUrl }: { formIds: string[]; tickSeconds: number; baseUrl: string },
): WorkflowFile {
	const interval = [{ field: 'seconds', secondsInterval: tickSeconds }];
	const nodes: INode[] = [
		nodeOf('Schedule Trigger', 'scheduleTrigger', 1.3, { rule: { interval } }),
		nodeOf('Forms', 'set', 3.4, {
			mode: 'raw',
			jsonOutput: JSON.stringify({ formId: formIds }),
			options: {},
		}),
		nodeOf('Each Form', 'splitOut', 1, { fieldToSplitOut: 'formId', options: {} }),
		{
			...nodeOf('HTTP Request', 'httpRequest', 4.2, {
				url: `=${baseUrl}/responses/{{ $json.formId }}`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				options: {},
			}),
			credentials: { httpHeaderAuth: credential },
		},
		nodeOf('Each Response', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
		nodeOf(REMOVE_DUPLICATES, 'removeDuplicates', 2, {
			operation: 'removeItemsSeenInPreviousExecutions',
			dedupeValue: '={{ $json.uuid }}',
			options: {},
		}),
	];
	const names = nodes.map(({ name }) => name);
	const connections = Object.fromEntries(
		names
			.slice(1)
			.map((node, index) => [
				names[index],
				{ main: [[{ node, type: 'main' as const, index: 0 }]] },
			]),
	);
	return { name: 'Usual advice', nodes, connections, settings: { executionOrder: 'v1' } };
}

const nodeOf = (
	name: string,
	type: string,
	typeVersion: number,
	parameters: INode['parameters'],
): INode => workflowNode(name, `n8n-nodes-base.${type}`, { typeVersion, parameters });
