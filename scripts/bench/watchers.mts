import { setTimeout as sleep } from 'node:timers/promises';
import type { INode } from 'n8n-workflow';
import { randomNumbers, triggerWorkflow } from '../../test/n8n/delivery/submissions.mts';
import type { Service } from '../../test/service/index.mts';
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

/** Adds an account with forms, each with responses already, and gives the ids of the forms. */
export function addAccount(
	{ store }: Service,
	token: string,
	{ forms, responses }: { forms: number; responses: number },
): string[] {
	const { id: accountId } = store.addAccount({ tokens: [token] });
	const fields = ['Name', 'Email', 'Message'].map((label) => ({ label }));
	return Array.from({ length: forms }, (_, index) => {
		const { id } = store.addForm({ accountId, name: `Form ${index + 1}`, fields });
		for (let number = 0; number < responses; number++) submit({ store }, id);
		return id;
	});
}

function submit({ store }: Pick<Service, 'store'>, formId: string): string {
	const texts = ['Ada Lovelace', 'ada@example.com', 'I would like to know more about this.'];
	const uuids = store.fields(formId).map(({ uuid }) => uuid);
	const answers = Object.fromEntries(uuids.map((uuid, index) => [uuid, texts[index]]));
	return store.addResponse(formId, { answers }).uuid;
}

/** Submits responses at random times, the same number to each form, and gives the time of each by its UUID. */
export async function submitAll(
	service: Service,
	formIds: string[],
	{ responses, withinMs }: { responses: number; withinMs: number },
) {
	const random = randomNumbers(1);
	const start = Date.now();
	const plan = formIds
		.flatMap((formId) => Array.from({ length: responses }, () => formId))
		.map((formId) => ({ formId, at: start + random() * withinMs }))
		.sort((one, other) => one.at - other.at);
	const submitted = new Map<string, number>();
	for (const { formId, at } of plan) {
		await sleep(Math.max(0, at - Date.now()));
		submitted.set(submit(service, formId), Date.now());
	}
	return submitted;
}
