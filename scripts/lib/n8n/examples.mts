import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual as isEqual } from 'node:util';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { root } from '../paths.mts';
import type { N8nRest, WorkflowFile } from './rest.mts';

type Named = { id: string; name: string };

/** The values that a user chooses after importing an example. */
export type Choices = {
	credential: Named;
	form: Named;
	/** The answers of Response: Create by label; an expression starts with "=". */
	answers: Record<string, string>;
	/** The labels of the fields that identify a response. */
	identifiedBy: string[];
	/** The settings to update, if the example leaves them open. */
	settings: INodeParameters;
	/** The credential of a chat model. */
	model?: Named;
	/** The workflow that handles one response. */
	subWorkflow?: Named;
	/** The poll times of the triggers as cron expressions; by default, those of the example. */
	pollTimes?: string[];
	requestsPerDay?: number;
};

const OURS = 'n8n-nodes-formservice.formService';
const folder = join(root, 'examples');

/** Lists the file names of the examples. */
export const exampleFiles = async () =>
	(await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

/** Reads an example from the repository. */
export const readExample = async (file: string) =>
	JSON.parse(await readFile(join(folder, file), 'utf8')) as WorkflowFile;

/** Whether a workflow can be active; a workflow that only starts by hand cannot. */
export const canBeActive = ({ nodes }: WorkflowFile) =>
	!nodes.some(({ type }) => type === 'n8n-nodes-base.manualTrigger');

/** Fills in the values that a user chooses in an example. */
export async function fillIn(
	rest: N8nRest,
	workflow: WorkflowFile,
	choices: Choices,
): Promise<WorkflowFile> {
	const nodes = workflow.nodes.map(async (node) =>
		node.type.startsWith(OURS)
			? await fillInOurs(rest, node, choices)
			: fillInOthers(node, choices),
	);
	return { ...workflow, nodes: await Promise.all(nodes) };
}

async function fillInOurs(rest: N8nRest, node: INode, choices: Choices): Promise<INode> {
	const { form, credential, settings, pollTimes, requestsPerDay } = choices;
	const parameters: INodeParameters = { ...node.parameters };
	const filled = { ...node, parameters, credentials: { formServiceApi: credential } };
	if ((parameters.formId as { mode?: string } | undefined)?.mode === 'list') {
		parameters.formId = selectFromList(form);
	}
	if (node.type === `${OURS}Trigger` && pollTimes) {
		const item = pollTimes.map((cronExpression) => ({ mode: 'custom', cronExpression }));
		parameters.pollTimes = { item };
		const options = parameters.options as INodeParameters;
		parameters.options = { ...options, ...(requestsPerDay && { requestsPerDay }) };
	}
	if (isEqual(parameters.settings, {})) parameters.settings = settings;
	if (parameters.operation === 'create') await mapAnswers(rest, filled, choices);
	return filled;
}

const selectFromList = ({ id, name }: Named): INodeParameters =>
	({ __rl: true, mode: 'list', value: id, cachedResultName: name }) as unknown as INodeParameters;

type MapperField = { id: string; displayName: string };

/** Returns the title of a question without the hints of its input: `Name (required)` → `Name`. */
const getTitle = ({ displayName }: MapperField) => displayName.replace(/ \([^()]*\)$/, '');

/** Maps answers to the form's fields, which n8n loads as for the editor. */
async function mapAnswers(rest: N8nRest, node: INode, { answers, identifiedBy }: Choices) {
	const { type, typeVersion, parameters, credentials } = node;
	const path = '/rest/dynamic-node-parameters/resource-mapper-fields';
	const { fields } = (await rest.send('POST', path, {
		nodeTypeAndVersion: { name: type, version: typeVersion },
		path: 'parameters.fields',
		methodName: 'getFormFields',
		currentNodeParameters: parameters,
		credentials,
	})) as { fields: MapperField[] };
	const value = fields
		.filter((field) => getTitle(field) in answers)
		.map((field) => {
			const title = getTitle(field);
			// the editor enters this expression if the user lets the model define an answer
			const byModel = `={{ $fromAI('${title}', '', 'string') }}`;
			return [field.id, type === `${OURS}Tool` ? byModel : answers[title]];
		});
	parameters.fields = {
		mappingMode: 'defineBelow',
		value: Object.fromEntries(value) as IDataObject,
		schema: fields,
	} as unknown as INodeParameters;
	const options = (parameters.options ?? {}) as INodeParameters;
	if (!('skipDuplicatesBy' in options)) return;
	const chosen = fields.filter((field) => identifiedBy.includes(getTitle(field)));
	parameters.options = { ...options, skipDuplicatesBy: chosen.map(({ id }) => id) };
}

/** Fills in a node of n8n: the credential of a model, a workflow, or the form in the row of a sheet. */
function fillInOthers(node: INode, { form, model, subWorkflow }: Choices): INode {
	const { type, parameters } = node;
	if (type.startsWith('@n8n/n8n-nodes-langchain.lmChat') && model) {
		return { ...node, credentials: { openAiApi: model } };
	}
	if (type === 'n8n-nodes-base.executeWorkflow' && subWorkflow) {
		return { ...node, parameters: { ...parameters, workflowId: selectFromList(subWorkflow) } };
	}
	if (typeof parameters.jsonOutput !== 'string') return node;
	const jsonOutput = parameters.jsonOutput.replace('"form_id": ""', `"form_id": "${form.id}"`);
	return { ...node, parameters: { ...parameters, jsonOutput } };
}
