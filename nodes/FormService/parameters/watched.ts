import type { IDataObject, IDisplayOptions } from 'n8n-workflow';

/** An event for the editor, n8n's node panel, README and docs, and what its test event has. */
type EventTexts = { name: string; description: string; example?: IDataObject };

const events = {
	responseCompleted: {
		name: 'Response Completed',
		description:
			'A response was submitted, or completed after it was incomplete. Edits and reopening start nothing.',
		example: { is_incomplete: false },
	},
	responseStarted: {
		name: 'Response Started',
		description:
			'Someone started to fill out a form that has "Track incomplete submissions" turned on, and had not completed it at the next poll',
		example: { is_incomplete: true },
	},
	responseAbandoned: {
		name: 'Response Abandoned',
		description:
			'A response stayed incomplete for the hours that you set, counted from when it was started',
		example: { is_incomplete: true },
	},
	responseUpdated: {
		name: 'Response Updated',
		description:
			'The answers of a response changed, other than by its completion. Renamed fields and other attributes start nothing.',
	},
	formCreated: {
		name: 'Form Created',
		description:
			'A form was added to the workspace. With this event, the trigger watches all forms.',
	},
	formUpdated: {
		name: 'Form Updated',
		description:
			'A form was renamed, closed or opened, or its settings or fields changed. Times and counters start nothing.',
		example: { changed: ['is_closed'] },
	},
} satisfies Record<string, EventTexts>;

/** What starts a workflow, and the values of the trigger's parameter Trigger On. */
export type TriggerEvent = keyof typeof events;
export type FormEvent = Extract<TriggerEvent, `form${string}`>;
export type ResponseEvent = Exclude<TriggerEvent, FormEvent>;

/** The one table of the events. */
export const eventTable: Readonly<Record<TriggerEvent, EventTexts>> = events;

export const EVENTS = Object.keys(events) as readonly TriggerEvent[];
export const FORM_EVENTS = EVENTS.filter(isFormEvent);
export const RESPONSE_EVENTS = EVENTS.filter((one): one is ResponseEvent => !isFormEvent(one));

export function isFormEvent(event: TriggerEvent): event is FormEvent {
	return event.startsWith('form');
}

/** Which forms a trigger watches, and the values of its parameter Watch. */
export type WatchKind = 'one' | 'several' | 'all';

/**
 * Which forms a trigger watches: only the list of all forms shows a new one, so with Form Created all
 * forms are watched, whatever Watch says (its default is one form). `WATCH_IN_EXPRESSION` and
 * `showForWatch` are the same rule as n8n's editor needs it.
 */
export function findWatchKind(events: unknown, watch: unknown): WatchKind {
	if (Array.isArray(events) && events.includes('formCreated')) return 'all';
	return watch === 'several' || watch === 'all' ? watch : 'one';
}

/** JavaScript for an expression of n8n, in which `events` and `watch` are the values of these parameters. */
export const WATCH_IN_EXPRESSION =
	'((events ?? []).includes("formCreated") ? "all" : (watch ?? "one"))';

/** When the editor shows a parameter: for these values of Watch, without Form Created. */
export function showForWatch(...kinds: WatchKind[]): IDisplayOptions {
	return { show: { watch: kinds }, hide: WITH_FORM_CREATED };
}

/** A display condition: Form Created is chosen. */
export const WITH_FORM_CREATED = { events: ['formCreated'] };

/** A display condition: the list of forms is read for its events. */
export const WITH_FORM_EVENTS = { events: FORM_EVENTS };

/** A display condition: an event of responses is chosen. */
export const WITH_RESPONSES = { '/events': RESPONSE_EVENTS };
