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
import { createAdditionalData, WORKFLOW_ID, type Account } from './n8n/execution.mts';
import { core, workflow as n8n } from './n8n/core.mts';
import { builtFile, nodeOf, nodeTypes, typeOf } from './n8n/built.mts';

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

/** Starts a workflow whose source gives these items. `done` has what comes out of the node, and the whole execution. */
export function startWorkflow(
	account: Account,
	workflow: Workflow,
	node: INode,
	items: INodeExecutionData[],
) {
	const execution = new core.WorkflowExecute(createAdditionalData(account, 'trigger'), 'trigger');
	const startNode = workflow.getNode(SOURCE_NAME)!;
	const running = execution.run({ workflow, startNode, pinData: { [SOURCE_NAME]: items } });
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
		const { poll } = nodeOf('formServiceTrigger');
		const output = await workflow.expression.withIsolate(async () => await poll!.call(context));
		return { items: output?.[0] ?? null, staticData: workflow.staticData };
	}

	/** Calls a method of the editor by its name, such as a list of one of the nodes. */
	async function callMethod<T>(
		method: string,
		parameters: INodeParameters = {},
		...args: unknown[]
	): Promise<T> {
		const groups = ['formService', 'formServiceTrigger'].map((name) => nodeOf(name).methods);
		type Methods = Record<string, (...given: unknown[]) => Promise<T>>;
		const methods: Methods = Object.assign({}, ...groups.flatMap((all) => Object.values(all!)));
		const { workflow, node } = createWorkflow('formService', parameters);
		const data = createAdditionalData(account, 'manual');
		const given = { ...data, currentNodeParameters: parameters };
		const context = new core.LoadOptionsContext(workflow, node, given, '');
		return await workflow.expression.withIsolate(
			async () => await methods[method].apply(context, args),
		);
	}

	return {
		startNode,
		runNode: async (...given: Parameters<typeof startNode>) => await startNode(...given).done,
		runPoll,
		callMethod,
		searchForms: async (filter?: string) =>
			await callMethod<INodeListSearchResult>('searchForms', {}, filter),
		async getFormFields(formId: string) {
			const given = { resource: 'response', operation: 'create', formId: locator(formId) };
			return await callMethod<ResourceMapperFields>('getFormFields', given);
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
		nodes: [workflowNode(SOURCE_NAME, typeOf(type)), node],
		connections: { [SOURCE_NAME]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes,
		// some hours behind UTC
		settings: { executionOrder: 'v1', timezone: 'America/New_York' },
		...stored,
	});
	return { workflow, node: workflow.getNode(NODE_NAME)! };
}
