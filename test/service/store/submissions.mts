import type { Form } from './forms.mts';
import type { Store } from './store.mts';

/** Why a form takes no response now, in words for a person; undefined when it takes them. */
export function closedBecause(form: Form, store: Store): string | undefined {
	const { is_closed: closed, closed_message: message, responses_limit: limit } = form.settings;
	const full = typeof limit === 'number' && store.completeCount(form.id) >= limit;
	if (!closed && !full) return undefined;
	return typeof message === 'string' && message ? message : 'This form takes no more responses.';
}
