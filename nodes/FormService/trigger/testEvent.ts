import { isMatch } from 'lodash';
import type { IDataObject, INode, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import {
	filterByConditions,
	findConditionFieldProblem,
	findConditionValueProblem,
} from '../answers/conditions';
import type { FormField } from '../answers/fields';
import { fieldKinds } from '../answers/fieldKinds';
import { nameAttribute } from '../answers/responseItem';
import { sortByTime } from '../api/recordTimes';
import { clock } from '../api/clock';
import { endpoints, createTarget, type Target } from '../api/endpoints';
import { InputError } from '../api/errors';
import type { RequestContext } from '../api/requestContext';
import { fetchPages } from '../api/replies/fetchPages';
import { fetchRecords } from '../api/replies/listReader';
import { fetchFields } from '../answers/fetchFields';
import {
	createFormNotFoundError,
	getSelectedFormName,
	isFormNotFoundError,
} from '../parameters/formId';
import {
	eventTexts,
	FORM_EVENTS,
	RESPONSE_EVENTS,
	type ResponseEvent,
} from '../parameters/triggerEvents';
import { indexListedForms } from './formDetails';
import { createFormItem } from './forms/pollFormList';
import { isIncomplete } from './responses/detectEvent';
import {
	createConditionError,
	createResponseItems,
	type ItemOptions,
	type ResponseEventData,
} from './responses/deliverEvents';
import {
	hasSeveralForms,
	isWatched,
	readTriggerParameters,
	type TriggerParameters,
	type Watch,
} from './triggerParameters';

/** The maximum number of forms whose responses are fetched for a test event. Each form takes at least one request. */
const MAX_FORMS = 5;

/** The maximum number of pages of responses that are fetched for each form. */
const MAX_PAGES = 3;

type Form = { id: string; name: string | null; record?: IDataObject };

/**
 * Returns the test event, with which the user can build a workflow. Changes no state. The test event is the
 * first of these that exists:
 *
 * - the newest response that can start the workflow, in the first form that has such a response
 * - the first form, if the trigger reacts to form events
 * - an example made from the fields of the first form, with `example: true`
 *
 * @throws InputError if there is no form, or if no response meets the filters
 */
export async function fetchTestEvent(n8n: IPollFunctions): Promise<INodeExecutionData[]> {
	const [node, parameters] = [n8n.getNode(), readTriggerParameters(n8n)];
	const { conditions, events, output, watch, lists } = parameters;
	const account = await getAccount(n8n);
	const context: RequestContext = { n8n, account, priority: 'high' };
	const forms = await listExampleForms(context, parameters);
	if (forms.length === 0) throw createNoFormsError(node, watch);
	for (const form of lists.responses ? forms.slice(0, MAX_FORMS) : []) {
		const newest = await findNewestMatch(context, form, parameters);
		if (newest !== undefined) return await showItem(newest, { request: context, output });
	}
	const [form] = forms;
	const { id, name, record } = form;
	const formEvent = FORM_EVENTS.find((event) => events.includes(event));
	if (formEvent !== undefined && record !== undefined) {
		const { changed } = eventTexts[formEvent].example ?? {};
		const example = createFormItem(formEvent, { id, name, record }, output, changed as string[]);
		return [example.item];
	}
	if (conditions.conditions.length > 0) {
		// an example that does not match the filters would mislead the user
		const description = `Submit a response that meets them, or remove the filters. The first ${MAX_PAGES} pages of each form were read.`;
		throw new InputError(node, { message: 'No response meets the filters yet', description });
	}
	const fields = await fetchFields(context, id, output);
	const event = RESPONSE_EVENTS.find((name) => events.includes(name)) ?? 'responseCompleted';
	const madeUp = { event, record: createRecord(event, fields), form: { id, name }, fields };
	const withoutFiles = { ...output, downloadFiles: false };
	const [item] = await showItem(madeUp, { request: context, output: withoutFiles });
	return [{ json: { ...item.json, [nameAttribute('example', output)]: true } }];
}

async function showItem(
	event: ResponseEventData,
	options: ItemOptions,
): Promise<INodeExecutionData[]> {
	return (await createResponseItems([event], options)).map(({ item }) => item);
}

/** Returns the forms that the trigger watches. If the trigger watches all forms, the newest form is the first. */
async function listExampleForms(
	context: RequestContext,
	{ watch, lists }: TriggerParameters,
): Promise<Form[]> {
	const formIds = watch.kind === 'all' ? [] : watch.formIds;
	const chosen = formIds.map((id) => ({
		id,
		name: getSelectedFormName(context.n8n.getNode(), id) ?? null,
	}));
	if (!lists.forms && chosen.every(({ name }) => name !== null)) return chosen;
	const target = createTarget(context.account, endpoints.listForms);
	const listed = indexListedForms(await fetchRecords(context, target));
	if (!lists.forms) return chosen.map((form) => ({ ...form, ...listed.get(form.id) }));
	const watched = [...listed.values()].filter(({ id }) => isWatched(watch, id));
	return sortByTime(watched, 'oldest').reverse();
}

/**
 * Searches the first pages of a form for the newest response that can start the workflow. Returns the
 * response with its event. Undefined if no response can start the workflow.
 */
async function findNewestMatch(
	context: RequestContext,
	{ id, name }: Form,
	{ conditions, events, lists, output, watch }: TriggerParameters,
): Promise<ResponseEventData | undefined> {
	const target = createTarget(context.account, endpoints.listResponses, { formId: id });
	const records = await fetchFirstPages(context, target).catch((error: unknown) => {
		throw isFormNotFoundError(error) ? createFormNotFoundError(context.n8n.getNode(), id) : error;
	});
	const fields = lists.fields ? await fetchFields(context, id, output) : undefined;
	// if the trigger watches several forms, a form without the field of a filter is not a problem
	const problem =
		fields && !hasSeveralForms(watch)
			? (findConditionFieldProblem(conditions, fields, name ?? id) ??
				findConditionValueProblem(conditions, fields))
			: undefined;
	if (problem !== undefined) throw createConditionError(context.n8n.getNode(), problem);
	const entries = records.map((record) => ({ record }));
	const met = await filterByConditions(entries, conditions, fields ?? []);
	const examples = met.flatMap(({ record }) => {
		const is_incomplete = isIncomplete(record);
		const event = RESPONSE_EVENTS.find(
			(name) => events.includes(name) && isMatch({ is_incomplete }, eventTexts[name].example ?? {}),
		);
		return event === undefined ? [] : [{ event, record, form: { id, name }, fields }];
	});
	return sortByTime(examples, 'oldest').at(-1);
}

/** Fetches the responses on the first `MAX_PAGES` pages of a form. */
async function fetchFirstPages(context: RequestContext, target: Target): Promise<IDataObject[]> {
	const records: IDataObject[] = [];
	let pages = 0;
	for await (const page of fetchPages(context, target)) {
		records.push(...page.records);
		pages += 1;
		if (pages === MAX_PAGES) break;
	}
	return records;
}

function createNoFormsError(node: INode, watch: Watch) {
	if (watch.kind === 'chosen') return createFormNotFoundError(node, watch.formIds[0]);
	const description = "Create a form, or remove some of 'Excluded Form Names or IDs'.";
	return new InputError(node, { message: 'There is no form to watch', description });
}

/** Creates the record of an example response, with an answer of the right kind to each field. */
function createRecord(event: ResponseEvent, fields: readonly FormField[]): IDataObject {
	return {
		uuid: '00000000-0000-4000-8000-000000000000',
		number: 1,
		number_formatted: '1',
		is_incomplete: false,
		...eventTexts[event].example,
		created_at: new Date(clock.now()).toISOString(),
		referrer: null,
		responses: fields.map(({ kind, choices, label }) => ({
			key: label,
			value: fieldKinds[kind].example(choices, label),
		})),
	};
}
