import { omit } from 'lodash';
import type { IPollFunctions } from 'n8n-workflow';
import { HOUR_MS } from '../api/clock';
import { isId } from '../api/records';
import { conditionsNeedFields, type ConditionSet } from '../answers/conditions';
import { outputNeedsFields, type ResponseOutput } from '../answers/responseItem';
import { readConditions, readTimeMs } from '../parameters/filters';
import { readFormId } from '../parameters/locators';
import {
	createNamedError,
	readSelectedOption,
	readInteger,
	readTextList,
	type ParameterContext,
} from '../parameters/parameterContext';
import { readResponseOutput } from '../parameters/resultParameters';
import {
	TRIGGER_EVENTS,
	getWatchKind,
	isFormEvent,
	type TriggerEvent,
} from '../parameters/triggerEvents';
import { RETENTION_MS } from './responseEvents';
import {
	DEFAULT_ABANDONED_AFTER_HOURS,
	DEFAULT_MAX_PER_POLL,
	DEFAULT_REQUESTS_PER_DAY,
	triggerProperties,
} from './triggerProperties';
import type { FormState, FormStates, KnownForms } from './triggerState';

/** The forms with these IDs, or all forms of the workspace but these. */
export type Watch =
	| { kind: 'chosen'; formIds: readonly string[] }
	| { kind: 'all'; except: readonly string[] };

export function isWatched(watch: Watch, formId: string): boolean {
	return watch.kind === 'all' ? !watch.except.includes(formId) : watch.formIds.includes(formId);
}

export function hasSeveralForms(watch: Watch): boolean {
	return watch.kind === 'all' || watch.formIds.length > 1;
}

export type TriggerParameters = {
	watch: Watch;
	events: readonly TriggerEvent[];
	/** What the trigger reads for its events and items. */
	lists: Readonly<Record<'responses' | 'forms' | 'fields', boolean>>;
	abandonedAfterMs: number;
	/** A response that does not meet them is seen, and does not start the workflow. */
	conditions: ConditionSet;
	/** Existing responses created at this time or later start the workflow. Undefined if none does. */
	emitExistingSinceMs: number | undefined;
	maxPerPoll: number;
	requestsPerDay: number;
	output: ResponseOutput;
};

/**
 * Reads the parameters of the node.
 *
 * @throws NodeOperationError that names the parameter and the expected value
 */
export function readTriggerParameters(n8n: IPollFunctions): TriggerParameters {
	const input = createInput(n8n);
	const events = readEvents(input);
	const watch = readWatch(input, events);
	const conditions = readConditions(input);
	const output = readResponseOutput(input);
	const readCount = (name: string, fallback: number) => readInteger(input, name, 1, fallback);
	return {
		watch,
		events,
		lists: {
			responses: events.some((event) => !isFormEvent(event)),
			forms: watch.kind === 'all' || events.some(isFormEvent),
			fields: conditionsNeedFields(conditions) || outputNeedsFields(output),
		},
		abandonedAfterMs: HOUR_MS * readCount('abandonedAfterHours', DEFAULT_ABANDONED_AFTER_HOURS),
		conditions,
		emitExistingSinceMs: readTimeMs(input, 'options.emitExistingSince'),
		maxPerPoll: readCount('options.maxPerPoll', DEFAULT_MAX_PER_POLL),
		requestsPerDay: readCount('options.requestsPerDay', DEFAULT_REQUESTS_PER_DAY),
		output,
	};
}

/** The values of Watch, see `triggerProperties`. */
const WATCH_NAMES = { one: 'One Form', several: 'Several Forms', all: 'All Forms' };

function readWatch(input: ParameterContext, events: readonly TriggerEvent[]): Watch {
	const watch = readSelectedOption(input, 'watch', WATCH_NAMES, 'one');
	const kind = getWatchKind(events, watch);
	if (kind === 'one') return { kind: 'chosen', formIds: [readFormId(input)] };
	if (kind === 'all') return { kind, except: readFormIds(input, 'exceptFormIds') };
	const formIds = readFormIds(input, 'formIds');
	if (formIds.length > 0) return { kind: 'chosen', formIds };
	throw createNamedError(input, 'formIds', 'is empty', 'Choose at least one form from the list.');
}

function readFormIds(input: ParameterContext, name: string): string[] {
	const ids = readTextList(input, name);
	const wrong = ids.find((id) => !isId(id));
	if (wrong === undefined) return [...new Set(ids)];
	const advice = 'Choose forms from the list, or provide a list of their IDs.';
	throw createNamedError(input, name, 'has an entry that is not a form ID', advice);
}

/** A poll has no input item. */
function createInput(n8n: IPollFunctions): ParameterContext {
	return {
		parameter: <T>(name: string, fallback?: T) => n8n.getNodeParameter(name, fallback) as T,
		json: {},
		itemIndex: undefined,
		hasSeveralItems: false,
		node: n8n.getNode(),
		properties: triggerProperties,
		zone: n8n.getTimezone(),
	};
}

function readEvents(input: ParameterContext): TriggerEvent[] {
	const chosen = input.parameter('events', ['responseCompleted']);
	const events = TRIGGER_EVENTS.filter((event) => Array.isArray(chosen) && chosen.includes(event));
	if (events.length > 0) return events;
	throw createNamedError(input, 'events', 'is empty', 'Choose at least one event.');
}

/** Returns the IDs of the forms whose responses are watched. */
export function getWatchedFormIds(
	{ watch, lists }: TriggerParameters,
	forms: FormStates,
): string[] {
	if (!lists.responses) return [];
	if (watch.kind === 'chosen') return [...watch.formIds];
	const listed = [...forms].filter(([, { absentSinceMs }]) => absentSinceMs === undefined);
	return listed.map(([id]) => id).filter((id) => !watch.except.includes(id));
}

/** Adapts the states of the forms to the parameters: which forms are watched, and whether for Form Updated. */
export function applyParameters(
	{ watch, events }: TriggerParameters,
	state: KnownForms,
	nowMs: number,
): KnownForms {
	const isAll = watch.kind === 'all';
	const watched = isAll
		? state.forms
		: updateAbsences(state.forms, (id) => watch.formIds.includes(id), nowMs);
	const forms = new Map(watched);
	for (const [id, form] of forms) {
		const isStale = form.attributes !== undefined && !events.includes('formUpdated');
		if (isStale) forms.set(id, omit(form, 'attributes'));
	}
	// if the user later chooses all forms again, the forms that already exist are not new
	return { forms, listedSinceMs: isAll ? state.listedSinceMs : undefined };
}

/**
 * Notes which forms are absent, and leaves out a form that has been absent for 30 days. A form that comes back
 * earlier goes on where it was.
 */
export function updateAbsences(
	forms: FormStates,
	isPresent: (id: string) => boolean,
	nowMs: number,
): Map<string, FormState> {
	const updated = new Map<string, FormState>();
	for (const [id, form] of forms) {
		const { absentSinceMs } = form;
		if (isPresent(id)) {
			updated.set(id, absentSinceMs === undefined ? form : omit(form, 'absentSinceMs'));
		} else if (absentSinceMs === undefined) {
			updated.set(id, { ...form, absentSinceMs: nowMs });
		} else if (nowMs - absentSinceMs < RETENTION_MS) updated.set(id, form);
	}
	return updated;
}
