import type { IDataObject, INode } from 'n8n-workflow';
import { clock } from '../api/clock';
import { createTarget, endpoints } from '../api/endpoints';
import { NotSent, ServiceError } from '../api/errors';
import { getFormId } from '../api/records';
import { MAX_PAGES } from '../api/replies/list';
import type { PagePosition } from '../api/replies/list';
import { describeUnknownForm, getChosenName } from '../parameters/formId';
import { addRequests, computeMaxRequests, DAY_MS, EMPTY_BUCKET, HOUR_MS, isEmpty } from './budget';
import type { Bucket, Demand } from './budget';
import { HEALTHY, isBackOffOver, isRetryWanted } from './health';
import type { AccountHealth, Failing } from './health';
import { readPart } from './reading';
import type { Part, ReadContext } from './reading';

/** Which forms there are: the list of all forms, and what the process remembers of it. */

/** A form as the list of all forms has it, and its attributes once they are compared. */
export type ListedForm = { id: string; name: string; record: IDataObject; attributes?: string };

/** What the process remembers of the list. Only this file writes it, but for the health. */
export type FormList = Failing & {
	demand?: Demand;
	bucket: Bucket;
	/** The forms of the last reading, and of one that is under way, by ID. */
	forms: ReadonlyMap<string, ListedForm>;
	/** Where a reading that takes several polls goes on, and what it has found. */
	reading?: { next: PagePosition; forms: ReadonlyMap<string, ListedForm> };
	/** The IDs of the last whole reading, and when it ended, in epoch milliseconds of the service. */
	whole?: { ids: ReadonlySet<string>; readAtMs: number };
	/** Requests that it takes to read the list. */
	pages: number;
	/** When it was last read for a name, or that was tried. */
	namedAtMs: number;
};

export function createFormList(): FormList {
	const begun = { bucket: EMPTY_BUCKET, forms: new Map(), pages: 1, namedAtMs: -Infinity };
	return { health: HEALTHY, ...begun };
}

/** The forms of a list, each once. A form without an ID cannot be polled. */
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

/** The error for a form that does not exist, which is named as it was chosen or listed. */
export function createUnknownFormError(node: INode, formId: string, forms?: FormList['forms']) {
	const name = getChosenName(node, formId) ?? forms?.get(formId)?.name;
	const failure = { cause: 'configuration-invalid' } as const;
	const explanation = { ...describeUnknownForm(formId, name), failure };
	return new ServiceError(node, { ...explanation, httpCode: '404' });
}

/** The most requests a day for the list: if responses are read too, it is read once an hour. */
export function setListDemand(list: FormList, demand: Demand, watchesResponses: boolean): void {
	const maxPerDay = watchesResponses ? (list.pages * DAY_MS) / HOUR_MS : Infinity;
	list.demand = { ...demand, weight: list.pages, maxPerDay };
}

/** Whether the list is due. The first reading is due at once, and so is what a person waits for. */
export function isListDue(
	list: FormList,
	account: AccountHealth,
	spacingMs: number,
	isPublished: boolean,
): boolean {
	const nowMs = clock.now();
	if (isPublished && isRetryWanted([list, account], nowMs)) return true;
	if (![list, account].every((one) => isBackOffOver(one, spacingMs, nowMs))) return false;
	const isFirst = list.whole === undefined && list.health.count === 0;
	return isFirst || isEmpty(list.bucket, spacingMs, nowMs);
}

/** Reads a part of the list, and takes note of the forms and of where the reading goes on. */
export async function readFormList(
	context: ReadContext,
	list: FormList,
	spacingMs: number,
): Promise<Part> {
	const startedAtMs = clock.now();
	const target = createTarget(context.request.account, endpoints.listForms);
	const { reading } = list;
	const isFirst = list.whole === undefined && list.health.count === 0;
	const max = computeMaxRequests(list.bucket, 'whole', spacingMs, startedAtMs);
	const maxRequests = isFirst ? MAX_PAGES : max;
	const part = await readPart(context, target, { from: reading?.next, maxRequests });
	const { pages, requests, isEnd, next, error } = part;
	// the first reading comes on top of Requests per Day
	const counted = isFirst ? Math.min(requests, max) : requests;
	list.bucket = addRequests(list.bucket, counted, spacingMs, startedAtMs);
	const read = parseFormList(pages.flatMap(({ records }) => records));
	const forms = new Map([...(reading?.forms ?? []), ...read]);
	list.forms = isEnd ? forms : new Map([...list.forms, ...read]);
	const last = pages.at(-1);
	if (last !== undefined)
		list.pages = isEnd ? last.pagesBefore + 1 : Math.max(list.pages, last.pagesBefore + 1);
	if (isEnd) list.whole = { ids: new Set(forms.keys()), readAtMs: last!.readAtMs };
	// a page that fails again where a reading went on: the next reading begins again
	const isGivenUp = error !== undefined && !(error instanceof NotSent) && pages.length === 0;
	list.reading = isEnd || isGivenUp || next === undefined ? undefined : { next, forms };
	return part;
}

/** The longest time that found responses wait for the name of their form. */
const NAME_MS = 3_000;

/**
 * Reads the list for the names of forms that were chosen by ID, once an hour at most.
 *
 * @returns the requests; none if it was tried within the hour
 */
export async function readNames(context: ReadContext, list: FormList): Promise<number> {
	const nowMs = clock.now();
	if (nowMs >= context.readUntilMs || Math.abs(nowMs - list.namedAtMs) < HOUR_MS) return 0;
	list.namedAtMs = nowMs;
	const target = createTarget(context.request.account, endpoints.listForms);
	const part = await readPart({ ...context, timeUp: clock.timeout(NAME_MS) }, target);
	const read = parseFormList(part.pages.flatMap(({ records }) => records));
	list.forms = new Map([...list.forms, ...read]);
	if (part.error instanceof Error) {
		const { logger } = context.request.n8n;
		logger.info(`The names of the forms could not be read: ${part.error.message}`);
	}
	return part.requests;
}
