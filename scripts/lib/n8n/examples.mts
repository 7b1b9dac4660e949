import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import lodash from 'lodash';
import type { INode, INodeParameters } from 'n8n-workflow';
import { root } from '../paths.mts';
import type { WorkflowFile } from './rest.mts';

type Named = { id: string; name: string };

/** The values that a user chooses after importing an example. */
export type Choices = {
	credential: Named;
	form: Named;
	fields: ReadonlyArray<{ uuid: string; label: string }>;
	/** The answers of Response: Create by label; an expression starts with "=". */
	answers: Record<string, string>;
	identifiedBy: string[];
	/** The settings to update, if the example leaves them open. */
	settings: INodeParameters;
	subWorkflow: Named;
};

/** One poll every ten seconds: the stand-in allows it, a real account's 1,440 requests a day would not. */
export const oftenPolled = {
	pollTimes: {
		item: lodash.range(0, 60, 10).map((second) => {
			return { mode: 'custom', cronExpression: `${second} * * * * *` };
		}),
	},
	options: { requestsPerDay: 100_000 },
};

const OURS = 'n8n-nodes-formservice.formService';
const folder = join(root, 'examples');

export const exampleFiles = async () =>
	(await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

export const readExample = async (file: string) =>
	JSON.parse(await readFile(join(folder, file), 'utf8')) as WorkflowFile;

/** Whether a workflow can be active; a workflow that only starts by hand cannot. */
export const canBeActive = ({ nodes }: WorkflowFile) =>
	!nodes.some(({ type }) => type === 'n8n-nodes-base.manualTrigger');

export const fillIn = (workflow: WorkflowFile, choices: Choices): WorkflowFile => ({
	...workflow,
	nodes: workflow.nodes.map((node) =>
		node.type.startsWith(OURS) ? fillInOurs(node, choices) : fillInOthers(node, choices),
	),
});

function fillInOurs(node: INode, choices: Choices): INode {
	const { form, credential, settings } = choices;
	const parameters = lodash.cloneDeep(node.parameters);
	if ((parameters.formId as { mode?: string } | undefined)?.mode === 'list') {
		parameters.formId = selectFromList(form);
	}
	if (node.type === `${OURS}Trigger`) lodash.merge(parameters, oftenPolled);
	if (lodash.isEqual(parameters.settings, {})) parameters.settings = settings;
	if (parameters.operation === 'create') {
		Object.assign(parameters, mapAnswers(node, choices));
	}
	return { ...node, parameters, credentials: { formServiceApi: credential } };
}

const selectFromList = ({ id, name }: Named): INodeParameters =>
	({ __rl: true, mode: 'list', value: id, cachedResultName: name }) as unknown as INodeParameters;

/** Maps answers to the form's fields, as the editor does. */
function mapAnswers({ type, parameters }: INode, { answers, fields, identifiedBy }: Choices) {
	const answered = fields.filter(({ label }) => label in answers);
	const value = answered.map(({ uuid, label }) => {
		// the editor enters this expression if the user lets the model define an answer
		const byModel = `={{ $fromAI('${label}', '', 'string') }}`;
		return [uuid, type === `${OURS}Tool` ? byModel : answers[label]];
	});
	const schema = fields.map(({ uuid, label }) => ({
		...{ id: uuid, displayName: label, type: 'string' },
		...{ required: false, defaultMatch: false, display: true },
	}));
	const options = (parameters.options ?? {}) as INodeParameters;
	const identifying = fields.filter(({ label }) => identifiedBy.includes(label));
	return {
		fields: { mappingMode: 'defineBelow', value: Object.fromEntries(value), schema },
		...('skipDuplicatesBy' in options && {
			options: { ...options, skipDuplicatesBy: identifying.map(({ uuid }) => uuid) },
		}),
	};
}

/** Fills in a node of n8n: a workflow, or the form in the row of a sheet. */
function fillInOthers(node: INode, { form, subWorkflow }: Choices): INode {
	const { type, parameters } = node;
	if (type === 'n8n-nodes-base.executeWorkflow') {
		return { ...node, parameters: { ...parameters, workflowId: selectFromList(subWorkflow) } };
	}
	if (typeof parameters.jsonOutput !== 'string') return node;
	const jsonOutput = parameters.jsonOutput.replace('"form_id": ""', `"form_id": "${form.id}"`);
	return { ...node, parameters: { ...parameters, jsonOutput } };
}
