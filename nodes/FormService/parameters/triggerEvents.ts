import type { IDataObject, IDisplayOptions } from 'n8n-workflow';

/** An event for the editor, n8n's node panel, README and docs, and what its test event has. */
type EventTexts = { name: string; description: string; example?: IDataObject };

const events = {
	responseCompleted: {
		name: 'Response Completed',
		description:
			'A response was submitted, or an incomplete one was completed. Edits and reopening do not count.',
		example: { is_incomplete: false },
	},
	responseStarted: {
		name: 'Response Started',
		description:
			'Someone started a response and had not completed it by the next poll. The form needs "Track incomplete submissions" turned on.',
		example: { is_incomplete: true },
	},
	responseAbandoned: {
		name: 'Response Abandoned',
		description:
			'A response is still incomplete after the hours that you set, counted from its start',
		example: { is_incomplete: true },
	},
	responseUpdated: {
		name: 'Response Updated',
		description:
			'The answers of a completed response changed. Its completion, renamed fields and other attributes do not count.',
	},
	formCreated: {
		name: 'Form Created',
		description:
			'A form was added to the workspace. With this event, the trigger watches all forms.',
	},
	formUpdated: {
		name: 'Form Updated',
		description:
			'A form was renamed, closed or opened, or its settings or fields changed. Times and counters do not count.',
		example: { changed: ['is_closed'] },
	},
} satisfies Record<string, EventTexts>;

/** What starts a workflow, and the values of the trigger's parameter Trigger On. */
export type TriggerEvent = keyof typeof events;
export type FormEvent = Extract<TriggerEvent, `form${string}`>;
export type ResponseEvent = Exclude<TriggerEvent, FormEvent>;

/** The one table of the events. */
export const eventTable: Readonly<Record<TriggerEvent, EventTexts>> = events;

export const TRIGGER_EVENTS = Object.keys(events) as readonly TriggerEvent[];
export const FORM_EVENTS = TRIGGER_EVENTS.filter(isFormEvent);
export const RESPONSE_EVENTS = TRIGGER_EVENTS.filter(
	(event): event is ResponseEvent => !isFormEvent(event),
);

export function isFormEvent(event: TriggerEvent): event is FormEvent {
	return event.startsWith('form');
}

/** Which forms a trigger watches, and the values of its parameter Watch. */
export type WatchKind = 'one' | 'several' | 'all';

/**
 * Which forms a trigger watches: only the list of all forms shows a new one, so with Form Created all
 * forms are watched, and Watch (by default one form) has no effect. `WATCH_IN_EXPRESSION` and
 * `showForWatch` are the same rule as n8n's editor needs it.
 */
export function getWatchKind(events: unknown, watch: unknown): WatchKind {
	if (Array.isArray(events) && events.includes('formCreated')) return 'all';
	return watch === 'several' || watch === 'all' ? watch : 'one';
}

/** JavaScript for an expression of n8n, in which `events` and `watch` are the values of these parameters. */
export const WATCH_KIND_EXPRESSION =
	'((events ?? []).includes("formCreated") ? "all" : (watch ?? "one"))';

/** When the editor shows a parameter: for these values of Watch, without Form Created. */
export function showForWatch(...kinds: WatchKind[]): IDisplayOptions {
	return { show: { watch: kinds }, hide: FORM_CREATED_CHOSEN };
}

/** A display condition: Form Created is chosen. */
export const FORM_CREATED_CHOSEN = { events: ['formCreated'] };

/** A display condition: an event of responses is chosen. */
export const RESPONSE_EVENT_CHOSEN = { '/events': RESPONSE_EVENTS };
