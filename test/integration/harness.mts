import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	IPairedItemData,
	ResourceMapperFields,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { workflowNode } from '../../scripts/lib/n8n/rest.mts';
import { HttpTime } from '../time.mts';
import { beginExecution, createAdditionalData, WORKFLOW_ID } from './n8n/execution.mts';
import { container, core, workflow as n8n } from './n8n/core.mts';
import type { Account } from './n8n/credentials.mts';
import { builtFile, nodeOf, nodeTypes, typeOf } from './n8n/built.mts';

export type { Account } from './n8n/credentials.mts';

/** The time of the built package, and of the services in its tests. */
export const time = new HttpTime();
const { now, monotonicMs, sleep, timeout } = time;
const { clock } = builtFile<{ clock: object }>('nodes/FormService/api/clock.js');
Object.assign(clock, { now, monotonicMs, sleep, timeout });

const NODE_NAME = 'Under Test';
export const SOURCE_NAME = 'Source';

export type PollOptions = {
	mode?: 'trigger' | 'manual';
	activation?: WorkflowActivateMode;
	/** The poll changes it, as in n8n. */
	staticData?: IDataObject;
	/** Tells triggers on one account apart. */
	workflowId?: string;
	/** How long n8n lets the poll take; null as before n8n 2.38, which does not say it. */
	budgetMs?: number | null;
};

/** Starts a workflow at a node with these items. `done` has what comes out of the node, and the whole execution. */
export function startWorkflow(
	account: Account,
	workflow: Workflow,
	node: INode,
	items: INodeExecutionData[],
) {
	const beginning = beginExecution(node, items, SOURCE_NAME);
	const data = createAdditionalData(account, 'trigger');
	const execution = new core.WorkflowExecute(data, 'trigger', beginning);
	const running = execution.processRunExecutionData(workflow);
	const done = running.then((run) => {
		const { runData, error } = run.data.resultData;
		const main = runData[node.name]?.at(-1)?.data?.main ?? [];
		const outputs = main.map((output) => output ?? []);
		const [first = []] = outputs;
		return { run, outputs, items: first, error: error as (Error & IDataObject) | undefined };
	});
	return { done, cancel: () => running.cancel() };
}

/** Runs the built nodes on n8n-core's own classes for one account, over real HTTP. */
export function n8nFor(account: Account) {
	function startNode(
		parameters: INodeParameters,
		items: INodeExecutionData[] = [{ json: {} }],
		nodeSettings: Partial<INode> = {},
	) {
		const { workflow, node } = createWorkflow('formService', parameters, nodeSettings);
		return startWorkflow(account, workflow, node, items);
	}

	async function runPoll(parameters: INodeParameters, options: PollOptions = {}) {
		const { mode = 'trigger', staticData = {}, workflowId = WORKFLOW_ID, budgetMs } = options;
		const { activation = mode === 'manual' ? 'manual' : 'activate' } = options;
		const given = { id: workflowId, staticData };
		const { workflow, node } = createWorkflow('formServiceTrigger', parameters, {}, given);
		const data = createAdditionalData(account, mode);
		const context = new core.PollContext(workflow, node, data, mode, activation);
		const getPollBudgetMs = budgetMs === null ? undefined : () => budgetMs;
		if (budgetMs !== undefined) Object.assign(context, { getPollBudgetMs });
		const pollers = container.get(core.TriggersAndPollers);
		const output = await workflow.expression.withIsolate(
			async () => await pollers.runPollFunction(workflow, node, context),
		);
		return { items: output?.[0] ?? null, staticData: workflow.staticData };
	}

	async function callMethod<T>(
		group: 'listSearch' | 'loadOptions' | 'resourceMapping',
		method: string,
		parameters: INodeParameters = {},
		...args: unknown[]
	): Promise<T> {
		type Methods = Record<string, (...given: unknown[]) => Promise<T>> | undefined;
		const findMethod = (name: string) => (nodeOf(name).methods?.[group] as Methods)?.[method];
		const name = findMethod('formService') ? 'formService' : 'formServiceTrigger';
		const { workflow, node } = createWorkflow(name, parameters);
		const data = createAdditionalData(account, 'manual');
		const given = { ...data, currentNodeParameters: parameters };
		const context = new core.LoadOptionsContext(workflow, node, given, '');
		return await workflow.expression.withIsolate(
			async () => await findMethod(name)!.apply(context, args),
		);
	}

	return {
		startNode,
		runNode: async (...given: Parameters<typeof startNode>) => await startNode(...given).done,
		runPoll,
		callMethod,
		searchForms: async (filter?: string) =>
			await callMethod<INodeListSearchResult>('listSearch', 'searchForms', {}, filter),
		async getFormFields(formId: string) {
			const given = { resource: 'response', operation: 'create', formId: locator(formId) };
			return await callMethod<ResourceMapperFields>('resourceMapping', 'getFormFields', given);
		},
		async testCredential() {
			const { description, methods } = nodeOf('formService');
			const test = methods!.credentialTest![description.credentials![0].testedBy as string];
			const credential = { id: '1', name: 'Account', type: 'formServiceApi', data: { ...account } };
			return await test.call(new core.CredentialTestContext(), credential);
		},
	};
}

export type N8n = ReturnType<typeof n8nFor>;

export function locator(formId: string, mode: 'id' | 'list' = 'id'): INodeParameters {
	return { __rl: true, mode, value: formId } as unknown as INodeParameters;
}

export function itemsOf(...json: IDataObject[]): INodeExecutionData[] {
	return json.map((data) => ({ json: data }));
}

export function placesOf(items: readonly INodeExecutionData[]): Array<number | undefined> {
	return items.map(({ pairedItem }) => (pairedItem as IPairedItemData | undefined)?.item);
}

function createWorkflow(
	type: string,
	parameters: INodeParameters,
	extra: Partial<INode> = {},
	stored: { id?: string; staticData?: IDataObject } = {},
) {
	const credentials = { formServiceApi: { id: '1', name: 'Account' } };
	const node = workflowNode(NODE_NAME, typeOf(type), { parameters, credentials, ...extra });
	const workflow = new n8n.Workflow({
		id: WORKFLOW_ID,
		// where the items come from; it is not run
		nodes: [{ ...node, id: 'source', name: SOURCE_NAME }, node],
		connections: { [SOURCE_NAME]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes,
		// some hours behind UTC
		settings: { executionOrder: 'v1', timezone: 'America/New_York' },
		...stored,
	});
	return { workflow, node: workflow.getNode(NODE_NAME)! };
}
