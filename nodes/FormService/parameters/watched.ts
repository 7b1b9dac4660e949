import type { IDisplayOptions } from 'n8n-workflow';

/** The events of a response. */
export const RESPONSE_EVENTS = [
	'responseCompleted',
	'responseStarted',
	'responseAbandoned',
] as const;
export type ResponseEvent = (typeof RESPONSE_EVENTS)[number];

/** What starts a workflow, and the values of the trigger's parameter Trigger On. */
export const EVENTS = ['formCreated', ...RESPONSE_EVENTS] as const;
export type TriggerEvent = (typeof EVENTS)[number];

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

/** A display condition: an event of responses is chosen. */
export const WITH_RESPONSES = { '/events': [...RESPONSE_EVENTS] };
