import type { IDataObject } from 'n8n-workflow';
import { formFieldsOf } from '../api/answers/fields';
import type { FormField } from '../api/answers/fields';
import { hasUnmatchedAnswers } from '../api/answers/match';
import { clock } from '../api/clock';
import { endpoints, targetOf } from '../api/endpoints';
import { asNodeError, NotSent } from '../api/errors';
import { cutFields } from './errors';
import { listedForms } from './formList';
import type { FormMemory } from './memory';
import { decideReading, payFor } from './due';
import { LIST, sharerKey } from './pollRun';
import type { Listing, PollRun } from './pollRun';
import { readWhole } from './reading';
import { HOUR_MS } from './schedule';

/**
 * The fields of a form, for conditions and items. They are read again after an hour, and if answers belong
 * to none of them. If no request or time is left for that, or if it fails, the last known fields are used.
 *
 * @param records the responses that are to be delivered
 * @returns undefined if none are known yet and they cannot be read now: the responses have to wait
 * @throws why they cannot be read, if none are known
 */
export async function fieldsOf(
	run: PollRun,
	id: string,
	memory: FormMemory,
	records: readonly IDataObject[],
): Promise<readonly FormField[] | undefined> {
	const { allowance, context, parameters } = run;
	const { fields: known, schedule } = memory;
	const now = clock.now();
	const isCurrent =
		known !== undefined &&
		now - known.triedAt < HOUR_MS &&
		(known.isUnmatched || !hasUnmatchedAnswers(records, known.fields));
	if (isCurrent) return known.fields;
	// a response that was found goes before what may be found
	const left =
		known === undefined
			? allowance.left(now)
			: allowance.leftFor(sharerKey(run, id), schedule.startedAt, now);
	if (run.isStopped || left < 1 || now >= run.until) return known?.fields;
	const before = run.requests;
	run.hasBegun = true;
	try {
		const target = targetOf(context.account, endpoints.listFields, { formId: id });
		const reading = await readWhole(run, target);
		if (!reading.isWhole) throw cutFields(context.n8n.getNode());
		const fields = formFieldsOf(reading.records, parameters.output);
		const isUnmatched = hasUnmatchedAnswers(records, fields);
		memory.fields = { fields, triedAt: now, isUnmatched };
		return fields;
	} catch (error) {
		if (error instanceof NotSent) {
			run.isStopped = true;
			return known?.fields;
		}
		if (known === undefined) throw asNodeError(context.n8n.getNode(), error);
		memory.fields = { ...known, triedAt: now };
		const { message } = asNodeError(context.n8n.getNode(), error);
		context.n8n.logger.warn(`The fields of form ${id} could not be read again: ${message}`);
		return known.fields;
	} finally {
		const requests = run.requests - before;
		memory.schedule = { ...schedule, debt: schedule.debt + requests };
	}
}

/** The longest time that found responses wait for the name of their form. */
const NAME_MS = 3_000;

/**
 * The name of a form; null if it is not known. If nobody has told it, the list of all forms is read, once
 * an hour at most. A list that does not come at once is not waited for.
 */
export async function nameOf(run: PollRun, id: string): Promise<string | null> {
	const { context, memory, parameters } = run;
	const { list } = memory;
	const listing: Listing = { about: LIST, memory: list, isFirst: false };
	const isNeeded = knownName(run, id) === undefined && parameters.watch.kind === 'chosen';
	const startedAt = clock.now();
	if (!isNeeded || startedAt >= run.until || decideReading(run, listing) === undefined) {
		return knownName(run, id) ?? null;
	}
	const scope = { ...run, timeUp: clock.timeout(NAME_MS), requests: 0 };
	try {
		const target = targetOf(context.account, endpoints.listForms);
		const { records, isWhole } = await readWhole(scope, target);
		if (isWhole) Object.assign(list, { forms: listedForms(records), isWhole });
	} catch (error) {
		const { message } = asNodeError(context.n8n.getNode(), error);
		context.n8n.logger.info(`The names of the forms could not be read: ${message}`);
	} finally {
		payFor(run, listing, { startedAt, requests: 1, isWhole: true }, false);
	}
	return knownName(run, id) ?? null;
}

function knownName({ memory, parameters }: PollRun, id: string): string | undefined {
	return parameters.names.get(id) ?? memory.list.forms?.find((form) => form.id === id)?.name;
}
