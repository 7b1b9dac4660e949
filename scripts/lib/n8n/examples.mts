import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual as isEqual } from 'node:util';
import type { IDataObject, INode, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { root } from '../paths.mts';
import type { N8nRest, WorkflowFile } from './rest.mts';

const folder = join(root, 'examples');

/** What a person chooses after the import of an example. */
export type Choices = {
	credential: { id: string; name: string };
	form: { id: string; name: string };
	/** answers of Response: Create, by the label of the field; expressions begin with = */
	answers: Record<string, string>;
	/** the labels of the fields that identify a response */
	identifiedBy: string[];
	/** what forms are updated to, where the example leaves it open */
	settings: INodeParameters;
	/** the credential of a chat model */
	model?: { id: string; name: string };
	/** the workflow that handles one response */
	subWorkflow?: { id: string; name: string };
	/** how often the triggers look, as cron expressions; else as in the example */
	looks?: string[];
	/** the allowance of the triggers, when not the usual one */
	requestsPerDay?: number;
};

const isOurs = ({ type }: INode) => type.startsWith('n8n-nodes-formservice.');
const isTrigger = ({ type }: INode) => type === 'n8n-nodes-formservice.formServiceTrigger';
const isModel = ({ type }: INode) => type.startsWith('@n8n/n8n-nodes-langchain.lmChat');
const isTool = ({ type }: INode) => type === 'n8n-nodes-formservice.formServiceTool';
const isSubWorkflow = ({ type }: INode) => type === 'n8n-nodes-base.executeWorkflow';
const startsByHand = ({ type }: INode) => type === 'n8n-nodes-base.manualTrigger';

/** The file names of the examples. */
export const exampleFiles = async () =>
	(await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

/** An example as it is in the repository. */
export const readExample = async (file: string) =>
	JSON.parse(await readFile(join(folder, file), 'utf8')) as WorkflowFile;

/** Whether a workflow can be active; one that starts by hand alone cannot. */
export const canBeActive = ({ nodes }: WorkflowFile) => !nodes.some(startsByHand);

/** The example with a person's choices made. */
export async function fillIn(
	rest: N8nRest,
	workflow: WorkflowFile,
	choices: Choices,
): Promise<WorkflowFile> {
	const nodes = [];
	for (const node of workflow.nodes) {
		if (!isOurs(node)) {
			nodes.push(withChosen(node, choices));
			continue;
		}
		const parameters = {
			...node.parameters,
			...chosenForm(node, choices),
			...looks(node, choices),
		};
		const filled = {
			...node,
			parameters,
			credentials: { formServiceApi: choices.credential },
		};
		if (parameters.operation === 'create') {
			const fields = await fieldsOf(rest, filled);
			const answers = isTool(node) ? byModel(choices.answers) : choices.answers;
			filled.parameters.fields = mapAnswers(fields, answers);
			filled.parameters.options = chosenIdentity(fields, node, choices);
		}
		if (isEqual(parameters.settings, {})) filled.parameters.settings = choices.settings;
		nodes.push(filled);
	}
	return { ...workflow, nodes };
}

function chosenForm({ parameters }: INode, { form }: Choices): INodeParameters {
	const locator = parameters.formId as { mode: string } | undefined;
	if (locator?.mode !== 'list') return {};
	return { formId: { __rl: true, mode: 'list', value: form.id, cachedResultName: form.name } };
}

function chosenIdentity(
	fields: MapperField[],
	{ parameters }: INode,
	{ identifiedBy }: Choices,
): INodeParameters {
	const options = (parameters.options ?? {}) as INodeParameters;
	if (!('skipIfExists' in options)) return options;
	const chosen = fields.filter(({ displayName }) => identifiedBy.includes(displayName));
	return { ...options, skipIfExists: chosen.map(({ id }) => id) };
}

/** A node of n8n's own with what was chosen: a model's credential, a workflow, the form in a sheet's row. */
function withChosen(node: INode, { form, model, subWorkflow }: Choices): INode {
	if (isModel(node) && model) return { ...node, credentials: { openAiApi: model } };
	const { jsonOutput } = node.parameters;
	if (typeof jsonOutput === 'string') {
		const rows = jsonOutput.replace('"form_id": ""', `"form_id": "${form.id}"`);
		return { ...node, parameters: { ...node.parameters, jsonOutput: rows } };
	}
	if (!isSubWorkflow(node) || !subWorkflow) return node;
	const { id, name } = subWorkflow;
	const workflowId = { __rl: true, mode: 'list', value: id, cachedResultName: name };
	return { ...node, parameters: { ...node.parameters, workflowId } };
}

/** What the editor enters where a person lets the model define these answers. */
const byModel = (answers: Choices['answers']): Choices['answers'] =>
	Object.fromEntries(
		Object.keys(answers).map((label) => [label, `={{ $fromAI('${label}', '', 'string') }}`]),
	);

function looks(node: INode, { looks: cronExpressions, requestsPerDay }: Choices): INodeParameters {
	if (!isTrigger(node) || !cronExpressions) return {};
	const item = cronExpressions.map((cronExpression) => ({ mode: 'custom', cronExpression }));
	return { pollTimes: { item }, options: requestsPerDay ? { requestsPerDay } : {} };
}

type MapperField = { id: string; displayName: string; options?: INodePropertyOptions[] };

/** Asks n8n for the form's fields, as the editor does. */
async function fieldsOf(
	rest: N8nRest,
	{
		type,
		typeVersion,
		parameters,
		credentials,
	}: Pick<INode, 'type' | 'typeVersion' | 'parameters' | 'credentials'>,
): Promise<MapperField[]> {
	const { fields } = (await rest.send(
		'POST',
		'/rest/dynamic-node-parameters/resource-mapper-fields',
		{
			nodeTypeAndVersion: { name: type, version: typeVersion },
			path: 'parameters.fields',
			methodName: 'getFormFields',
			currentNodeParameters: parameters,
			credentials,
		},
	)) as { fields: MapperField[] };
	return fields;
}

function mapAnswers(fields: MapperField[], answers: Record<string, string>): INodeParameters {
	const value = Object.fromEntries(
		fields
			.filter(({ displayName }) => displayName in answers)
			.map(({ id, displayName }) => [id, answers[displayName]]),
	);
	return {
		mappingMode: 'defineBelow',
		value,
		schema: fields as unknown as IDataObject[],
	} as INodeParameters;
}
