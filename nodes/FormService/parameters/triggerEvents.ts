import type { IDataObject, IDisplayOptions } from 'n8n-workflow';

/**
 * The name and the description of an event, for the editor, the README and the docs. A test event gets the
 * attributes in `example`: `{ is_incomplete: false }` for a completed response.
 */
type EventTexts = { name: string; description: string; example?: IDataObject };

const events = {
	responseCompleted: {
		name: 'Response Completed',
		description:
			'A response was submitted, or an incomplete one was completed. Edits and reopening are ignored.',
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
			'A response is still incomplete after the hours that you set, counted from its start. The form needs "Track incomplete submissions" turned on.',
		example: { is_incomplete: true },
	},
	responseUpdated: {
		name: 'Response Updated',
		description:
			'The answers of a completed response were edited. Completing it or renaming a field does not count.',
	},
	formCreated: {
		name: 'Form Created',
		description:
			'A form was added to the workspace. With this event, the trigger watches all forms.',
	},
	formUpdated: {
		name: 'Form Updated',
		description:
			'A form was renamed, closed or opened, or its settings or fields changed. Other attributes are ignored.',
		example: { changed: ['is_closed'] },
	},
} satisfies Record<string, EventTexts>;

/** An event that can start the workflow: a value of the parameter Trigger On. */
export type TriggerEvent = keyof typeof events;
export type FormEvent = Extract<TriggerEvent, `form${string}`>;
export type ResponseEvent = Exclude<TriggerEvent, FormEvent>;

export const eventTexts: Readonly<Record<TriggerEvent, EventTexts>> = events;

export const TRIGGER_EVENTS = Object.keys(events) as readonly TriggerEvent[];
export const FORM_EVENTS = TRIGGER_EVENTS.filter(isFormEvent);
export const RESPONSE_EVENTS = TRIGGER_EVENTS.filter(
	(event): event is ResponseEvent => !isFormEvent(event),
);

export function isFormEvent(event: TriggerEvent): event is FormEvent {
	return event.startsWith('form');
}

/** Which forms a trigger watches: a value of the parameter Watch. */
type WatchKind = 'one' | 'several' | 'all';

/**
 * Returns which forms a trigger watches. If Form Created is chosen, the trigger watches all forms and ignores
 * Watch, because only the list of all forms has new forms. For n8n's editor, `showForWatch` repeats this rule.
 */
export function getWatchKind(events: unknown, watch: unknown): WatchKind {
	if (Array.isArray(events) && events.includes('formCreated')) return 'all';
	return watch === 'several' || watch === 'all' ? watch : 'one';
}

/**
 * Returns display options that show a parameter only for these values of Watch. If Form Created is chosen, the
 * parameter is hidden.
 */
export function showForWatch(...kinds: WatchKind[]): IDisplayOptions {
	return { show: { watch: kinds }, hide: FORM_CREATED_CONDITION };
}

/** A display condition that is met if the user has chosen Form Created. */
export const FORM_CREATED_CONDITION = { events: ['formCreated'] };

/** A display condition that is met if the user has chosen a response event. */
export const RESPONSE_EVENT_CONDITION = { '/events': RESPONSE_EVENTS };
