import type {
	GenericValue,
	IDataObject,
	INode,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import { getAccount } from '../api/account';
import { conditionProblem, meets } from '../api/answers/conditions';
import { formFieldsOf } from '../api/answers/fields';
import type { FieldKind, FormField } from '../api/answers/fields';
import { oldestFirst } from '../api/answers/order';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import { inputError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { listRecords } from '../api/service';
import { isIncomplete } from './compare';
import type { TriggerEvent } from './compare';
import { wrongCondition } from './errors';
import { listedForms } from './formList';
import { itemsOf } from './output';
import type { Event } from './output';
import { needsFields, readParameters } from './parameters';
import type { Parameters } from './parameters';

/** The most forms that are asked for an example: each takes a request. */
const MAX_FORMS = 5;

type Form = { id: string; name: string | null; record?: IDataObject };

/**
 * The newest response of the first form that has one, as the trigger would emit it, to build a workflow
 * with; or else an example made from the fields of the form, which says so. Remembers and changes nothing.
 */
export async function fetchExample(n8n: IPollFunctions): Promise<INodeExecutionData[]> {
	const parameters = readParameters(n8n);
	const { events, watch } = parameters;
	const node = n8n.getNode();
	const account = await getAccount(n8n);
	const context: RequestContext = { n8n, account, urgency: 'prompt' };
	const forms = await formsOf(context, parameters);
	if (forms.length === 0 && watch.kind === 'all') throw noForms(node, watch.except);
	const watchesResponses = events.some((event) => event !== 'formCreated');
	for (const form of watchesResponses ? forms.slice(0, MAX_FORMS) : []) {
		const newest = await newestOf(context, form, parameters);
		if (newest !== undefined) return await asItem(context, newest, parameters);
	}
	const [form] = forms;
	const { id, name, record } = form;
	if (events.includes('formCreated') && record !== undefined) {
		return await asItem(context, { event: 'formCreated', record, form: { id, name } }, parameters);
	}
	const [item] = await asItem(context, await madeUp(context, form, parameters), {
		...parameters,
		output: { ...parameters.output, filePrefix: undefined },
	});
	return [{ json: { ...item.json, example: true } }];
}

/** The forms of a trigger, newest first if all are watched. */
async function formsOf(context: RequestContext, parameters: Parameters): Promise<Form[]> {
	const { watch, names } = parameters;
	const isNamed = watch.kind === 'chosen' && watch.formIds.every((id) => names.has(id));
	if (isNamed) return watch.formIds.map((id) => ({ id, name: names.get(id) ?? null }));
	const target = targetOf(context.account, endpoints.listForms);
	const listed = listedForms(await listRecords(context, target));
	if (watch.kind === 'all') {
		return oldestFirst(listed.filter(({ id }) => !watch.except.includes(id))).reverse();
	}
	const nameOf = (id: string) => listed.find((form) => form.id === id)?.name ?? null;
	return watch.formIds.map((id) => ({ id, name: nameOf(id) }));
}

async function newestOf(
	context: RequestContext,
	{ id, name }: Form,
	parameters: Parameters,
): Promise<Event | undefined> {
	const { conditions, events, output } = parameters;
	const target = targetOf(context.account, endpoints.listResponses, { formId: id });
	const records = await listRecords(context, target);
	const fields = needsFields(parameters) ? await fieldsOf(context, id, output) : undefined;
	const problem = fields && conditionProblem(conditions, fields, records);
	if (problem !== undefined) throw wrongCondition(context.n8n.getNode(), problem);
	const wanted = records.filter((record) => meets(record, conditions, fields ?? []));
	const newest = newestResponse(wanted, events);
	return newest && { ...newest, form: { id, name }, fields };
}

async function fieldsOf(
	context: RequestContext,
	formId: string,
	output: Parameters['output'],
): Promise<FormField[]> {
	const target = targetOf(context.account, endpoints.listFields, { formId });
	return formFieldsOf(await listRecords(context, target), output);
}

async function asItem(context: RequestContext, event: Event, { output }: Parameters) {
	const timeUp = new AbortController().signal;
	const options = { limit: 1, until: Infinity, timeUp, isPatient: false };
	return await itemsOf([event], { context, output, ...options });
}

/** The newest response that can start the workflow, and the event that it would be. */
function newestResponse(
	records: readonly IDataObject[],
	events: readonly TriggerEvent[],
): Pick<Event, 'event' | 'record'> | undefined {
	const examples = records.flatMap((record) => {
		const possible: TriggerEvent[] = isIncomplete(record)
			? ['responseStarted', 'responseAbandoned']
			: ['responseCompleted'];
		const event = possible.find((one) => events.includes(one));
		return event === undefined ? [] : [{ record, event }];
	});
	return oldestFirst(examples).at(-1);
}

function noForms(node: INode, except: readonly string[]) {
	return inputError(node, {
		message: except.length > 0 ? 'All forms are excluded' : 'The workspace has no forms',
		description:
			except.length > 0
				? "Remove a form from 'Excluded Form Names or IDs', then fetch the test event again."
				: 'Create a form, then fetch the test event again.',
	});
}

/** An event of a response that nobody has submitted, with an answer of the right type to each field. */
async function madeUp(
	context: RequestContext,
	{ id, name }: Form,
	{ events, output }: Parameters,
): Promise<Event> {
	const target = targetOf(context.account, endpoints.listFields, { formId: id });
	const records = await listRecords(context, target);
	const fields = formFieldsOf(records, output);
	const event = EVENTS.find((one) => events.includes(one)) ?? 'responseCompleted';
	const record = {
		uuid: '00000000-0000-4000-8000-000000000000',
		number: 1,
		number_formatted: '1',
		is_incomplete: event !== 'responseCompleted',
		created_at: new Date(clock.now()).toISOString(),
		referrer: null,
		responses: fields.map((field) => ({ key: field.label, value: exampleAnswer(field) })),
	};
	return { event, record, form: { id, name }, fields };
}

const EVENTS: readonly TriggerEvent[] = [
	'responseCompleted',
	'responseStarted',
	'responseAbandoned',
];

/** An answer as a service lists it. */
function exampleAnswer({ kind, choices, label }: FormField): GenericValue {
	const [choice = 'Example', ...others] = choices.map(({ value }) => String(value));
	const answers: Record<FieldKind, GenericValue> = {
		boolean: true,
		date: '2026-01-31',
		file: ['example.pdf|https://example.com/example.pdf'],
		layout: null,
		multipleChoice: [choice, ...others.slice(0, 1)],
		number: 1,
		singleChoice: choice,
		text: /e-?mail/i.test(label) ? 'ada@example.com' : 'Example',
	};
	return answers[kind];
}
