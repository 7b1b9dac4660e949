import type { IDataObject } from 'n8n-workflow';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { asNodeError } from '../api/errors';
import { getFormId } from '../api/records';
import { getSelectedFormName } from '../parameters/formId';
import { fetchPagesInTime } from './fetchList';
import type { PollContext } from './pollContext';
import { hasElapsed, HOUR_MS } from './requestBudget';
import type { FormNames } from './triggerCache';

/** The forms of the list of all forms, and their names. */

/** A form of the list of all forms. */
export type ListedForm = { id: string; name: string; record: IDataObject };

/** Parses the forms of a list, each once. A form without an ID cannot be polled. */
export function parseFormList(records: readonly IDataObject[]): Map<string, ListedForm> {
	const byId = new Map<string, ListedForm>();
	for (const record of records) {
		const id = getFormId(record);
		if (id === undefined || byId.has(id)) continue;
		const { name } = record;
		byId.set(id, { id, name: typeof name === 'string' && name.trim() !== '' ? name : id, record });
	}
	return byId;
}

/** Stores the names of listed forms. A form without a name is listed by its ID, which is not a name. */
export function rememberNames({ byId }: FormNames, listed: Iterable<ListedForm>): void {
	for (const { id, name } of listed) {
		if (name === id) byId.delete(id);
		else byId.set(id, name);
	}
}

/** The longest time that items wait for the name of their form. */
const NAME_TIMEOUT_MS = 3_000;

/**
 * Finds the name of a form: the name in the list of all forms when it was last read, or the name that was chosen
 * in the Form parameter. Null if neither has the name. For forms that were chosen by ID, the list is read at most
 * once an hour.
 */
export async function findFormName(context: PollContext, formId: string): Promise<string | null> {
	const { request, cache, parameters, times } = context;
	const { n8n, account } = request;
	const { names } = cache;
	const name = names.byId.get(formId) ?? getSelectedFormName(n8n.getNode(), formId);
	const wasTriedRecently = !hasElapsed(names.fetchedAtMs, HOUR_MS, clock.now());
	if (name !== undefined || parameters.lists.forms || wasTriedRecently) return name ?? null;
	names.fetchedAtMs = clock.now();
	const target = createTarget(account, endpoints.listForms);
	const deadline = clock.timeout(NAME_TIMEOUT_MS);
	try {
		for await (const page of fetchPagesInTime(context, target, { deadline })) {
			rememberNames(names, parseFormList(page.records).values());
			if (clock.now() >= times.readUntilMs) break;
		}
	} catch (error) {
		const { message } = asNodeError(n8n.getNode(), error);
		n8n.logger.info(`The names of the forms could not be read: ${message}`);
	}
	return names.byId.get(formId) ?? null;
}
