import { isMatch } from 'lodash';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { getAccount } from '../api/account';
import { filterByConditions, findConditionMismatch } from '../answers/conditions';
import { fetchFields, type FormField } from '../answers/fields';
import { getExampleAnswer } from '../answers/fieldKinds';
import { nameAttribute } from '../answers/responseItem';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { InputError } from '../api/errors';
import { sortByTime } from '../api/records';
import { fetchPages, fetchRecords } from '../api/replies/fetchPages';
import type { RequestContext } from '../api/requestContext';
import { createFormNotFoundError } from '../parameters/locators';
import {
	eventTexts,
	FORM_EVENTS,
	RESPONSE_EVENTS,
	type ResponseEvent,
} from '../parameters/triggerEvents';
import { createConditionError, createEventItems, type ResponseEventData } from './deliverEvents';
import { isIncomplete } from './responseEvents';
import { createFormEventItem, indexForms, type ListedForm } from './formList';
import {
	hasSeveralForms,
	isWatched,
	readTriggerParameters,
	type TriggerParameters,
} from './triggerParameters';

/* The test event, with which a person builds a workflow. */

/** How many forms are searched for a response. Each takes a request. */
const MAX_FORMS = 5;

/**
 * Returns the newest response of a form's first page, or the newest form, or an example made from the fields, with
 * `example: true`. Changes no state.
 *
 * @throws InputError if there is no form, or if no response meets the filters
 */
export async function fetchTestEvent(n8n: IPollFunctions): Promise<INodeExecutionData[]> {
	const parameters = readTriggerParameters(n8n);
	const { conditions, events, output, lists } = parameters;
	const context: RequestContext = { n8n, account: await getAccount(n8n), priority: 'high' };
	const forms = await listForms(context, parameters);
	for (const one of lists.responses ? forms.slice(0, MAX_FORMS) : []) {
		const newest = await findNewest(context, one, parameters);
		if (newest === undefined) continue;
		const [{ item }] = await createEventItems([newest], { request: context, output });
		return [item];
	}
	const [form] = forms;
	const event = FORM_EVENTS.find((one) => events.includes(one));
	if (event !== undefined) {
		const changed = eventTexts[event].example?.changed as string[] | undefined;
		return [createFormEventItem({ ...form, event, changed }, output).item];
	}
	if (conditions.conditions.length > 0) {
		throw new InputError(n8n.getNode(), {
			message: 'No response meets the filters yet',
			description:
				'Submit a response that meets them, or remove the filters. The first page of each form was read.',
		});
	}
	return [await createExample(context, form, parameters)];
}

/** Returns the forms that the trigger watches, the newest first. */
async function listForms(
	context: RequestContext,
	{ watch }: TriggerParameters,
): Promise<ListedForm[]> {
	const node = context.n8n.getNode();
	const target = createTarget(context.account, endpoints.listForms);
	const { records } = await fetchRecords(context, target);
	const listed = indexForms(records);
	const watched = [...listed.values()].filter(({ id }) => isWatched(watch, id));
	if (watched.length > 0) return sortByTime(watched, 'newest');
	if (watch.kind === 'chosen') throw createFormNotFoundError(node, watch.formIds[0]);
	throw new InputError(node, {
		message: 'There is no form to watch',
		description: "Create a form, or remove some of 'Excluded Form Names or IDs'.",
	});
}

/** Finds, on the first page of a form, the newest response for which a chosen event is possible. */
async function findNewest(
	context: RequestContext,
	{ id, name }: ListedForm,
	{ conditions, events, lists, output, watch }: TriggerParameters,
): Promise<ResponseEventData | undefined> {
	const target = createTarget(context.account, endpoints.listResponses, { formId: id });
	const { value: firstPage } = await fetchPages(context, target).next();
	const fields = lists.fields ? await fetchFields(context, id, output) : undefined;
	if (fields !== undefined && !hasSeveralForms(watch)) {
		const problem = findConditionMismatch(conditions, fields);
		if (problem !== undefined) throw createConditionError(context.n8n.getNode(), problem);
	}
	const entries = (firstPage?.records ?? []).map((record) => ({ record }));
	const matches = await filterByConditions(entries, conditions, fields ?? []);
	for (const { record } of sortByTime(matches, 'newest')) {
		const event = RESPONSE_EVENTS.find((one) => events.includes(one) && isPossible(one, record));
		if (event !== undefined) return { event, record, form: { id, name }, fields };
	}
	return undefined;
}

function isPossible(event: ResponseEvent, record: IDataObject): boolean {
	return isMatch({ is_incomplete: isIncomplete(record) }, eventTexts[event].example ?? {});
}

/** Creates the item of a made-up response, with an answer of the right kind to each field. */
async function createExample(
	context: RequestContext,
	{ id, name }: ListedForm,
	{ events, output }: TriggerParameters,
): Promise<INodeExecutionData> {
	const fields = await fetchFields(context, id, output);
	const event = RESPONSE_EVENTS.find((one) => events.includes(one)) ?? 'responseCompleted';
	const record = createRecord(event, fields);
	const [{ item }] = await createEventItems([{ event, record, form: { id, name }, fields }], {
		request: context,
		output: { ...output, downloadFiles: false },
	});
	return { json: { ...item.json, [nameAttribute('example', output)]: true } };
}

function createRecord(event: ResponseEvent, fields: readonly FormField[]): IDataObject {
	return {
		uuid: '00000000-0000-4000-8000-000000000000',
		number: 1,
		number_formatted: '1',
		is_incomplete: false,
		...eventTexts[event].example,
		created_at: new Date(clock.now()).toISOString(),
		referrer: null,
		responses: fields.map((field) => ({ key: field.label, value: getExampleAnswer(field) })),
	};
}
