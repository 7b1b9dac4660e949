import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
	/** how often the triggers look, as cron expressions; else as in the example */
	looks?: string[];
	/** the allowance of the triggers, when not the usual one */
	requestsPerDay?: number;
};

const isOurs = ({ type }: INode) => type.startsWith('n8n-nodes-formservice.');
const isTrigger = ({ type }: INode) => type === 'n8n-nodes-formservice.formServiceTrigger';
const startsByHand = ({ type }: INode) => type === 'n8n-nodes-base.manualTrigger';

/** The file names of the examples. */
export const exampleFiles = async () =>
	(await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

/** An example as it is in the repository. */
export const readExample = async (file: string) =>
	JSON.parse(await readFile(join(folder, file), 'utf8')) as WorkflowFile;

/** Whether a workflow can be active; one that starts by hand alone cannot. */
export const canBeActive = ({ nodes }: WorkflowFile) => !nodes.some(startsByHand);

/** Whether a workflow starts by the package's trigger. */
export const hasTrigger = ({ nodes }: WorkflowFile) => nodes.some(isTrigger);

/** The example with a person's choices made. */
export async function fillIn(
	rest: N8nRest,
	workflow: WorkflowFile,
	choices: Choices,
): Promise<WorkflowFile> {
	const nodes = [];
	for (const node of workflow.nodes) {
		if (!isOurs(node)) {
			nodes.push(node);
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
			filled.parameters.fields = await mapAnswers(rest, filled, choices.answers);
		}
		nodes.push(filled);
	}
	return { ...workflow, nodes };
}

function chosenForm({ parameters }: INode, { form }: Choices): INodeParameters {
	const locator = parameters.formId as { mode: string } | undefined;
	if (locator?.mode !== 'list') return {};
	return { formId: { __rl: true, mode: 'list', value: form.id, cachedResultName: form.name } };
}

function looks(node: INode, { looks: cronExpressions, requestsPerDay }: Choices): INodeParameters {
	if (!isTrigger(node) || !cronExpressions) return {};
	const item = cronExpressions.map((cronExpression) => ({ mode: 'custom', cronExpression }));
	return { pollTimes: { item }, options: requestsPerDay ? { requestsPerDay } : {} };
}

type MapperField = { id: string; displayName: string; options?: INodePropertyOptions[] };

/** Asks n8n for the form's fields, as the editor does, and maps the answers to them. */
async function mapAnswers(
	rest: N8nRest,
	{
		type,
		typeVersion,
		parameters,
		credentials,
	}: Pick<INode, 'type' | 'typeVersion' | 'parameters' | 'credentials'>,
	answers: Record<string, string>,
): Promise<INodeParameters> {
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
