/**
 * How soon docs/trigger.md promises an event ("How often it polls"), if all goes well and n8n polls each
 * minute. It has no word for when a form is busy, so each other form may take four times its share.
 */
import type { Owed } from './edits.mts';
import type { Parameters } from './n8n.mts';
import { Form } from './service.mts';
import { DAY_MINUTES, MINUTE_MS } from '../time.mts';

const MAX_WEIGHT = 4;

/** Lists of fewer pages are read whole about as soon. */
const MIN_PAGES = 3;

type Watched = {
	parameters: Parameters;
	/** The forms that are watched, whether they are there or not. */
	formCount: number;
	/** The pages of the list of all forms, and of the fields of a form: each hour, an item can need both. */
	listPages: number;
	fieldPages: number;
};

/** Minutes from an event to the poll that delivers it, at most. */
export function promiseMinutes(
	{ subject, event, at }: Owed,
	{ parameters, formCount, listPages, fieldPages }: Watched,
): number {
	const { events, requestsPerDay } = parameters;
	const spacing = DAY_MINUTES / requestsPerDay;
	const isListAlone = events.every((one) => one.startsWith('form'));
	if (subject instanceof Form) return isListAlone ? listPages * spacing : 60;
	const isListRead = parameters.watch.kind === 'all' || events.includes('formUpdated');
	const left = requestsPerDay - (isListRead ? 24 * listPages : 0);
	const perRequest = (DAY_MINUTES / left) * (1 + MAX_WEIGHT * (formCount - 1));
	const { order, paging, pageSize, kept } = subject.form;
	const pages = Math.max(1, Math.ceil(kept.length / pageSize));
	const isOrdered = order === 'newest' || (order === 'oldest' && paging === 'number');
	const isNew = !event.endsWith('Updated') && at - subject.createdAt < MINUTE_MS;
	const isByItself = pages >= MIN_PAGES && isOrdered;
	const requests = !isByItself ? pages : 2 * (isNew ? 1 : pages);
	return (requests + listPages + fieldPages) * perRequest;
}
