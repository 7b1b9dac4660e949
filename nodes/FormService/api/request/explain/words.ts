import type { Endpoint } from '../../endpoints';
import type { Envelope } from '../../replies/content';

/** What an explanation needs to know beside the reply. */
export type Circumstances = {
	endpoint: Pick<Endpoint, 'url' | 'effect'>;
	/** See `Account.baseUrl`. */
	baseUrl: string;
	/** Scheme, host and port of the service. */
	origin: string;
	/** How often the request was sent. */
	sent: number;
	/** Epoch milliseconds. */
	now: number;
	/** A text of the service without the token, which is never shown. */
	conceal: (text: string) => string;
};

export const CHECK_BASE_URL = 'Check the Base URL in the Form Service credential.';

export const TRY_LATER = 'Try again later. If it stays so, ask whoever runs the service.';

/** For a response of which nobody knows whether it was added. */
export const LOOK_FIRST =
	'It was not sent again, so that no response is added twice. Look at the responses of the form before you run this item again.';

/** The longest part of the service's own words that is shown. */
const MAX_QUOTE = 300;

/** Messages on single fields that are shown. */
const MAX_DETAILS = 20;

/** The service's own message (specification, section 7), as the end of a sentence. */
export function quoted(envelope: Envelope | undefined): string {
	return envelope?.message === undefined ? '' : `: "${shortened(envelope.message)}"`;
}

/** The service's messages on single fields, but not its `message` again, one a line; else what to do. */
export function detailsOr(fallback: string, envelope: Envelope | undefined): string {
	const said = shortened(envelope?.message ?? '');
	const details = envelope?.details.map(shortened) ?? [];
	const lines = details.filter((line) => line !== '' && line !== said);
	return lines.slice(0, MAX_DETAILS).join('\n') || fallback;
}

/** With a full stop, unless it ends in one already, as a quote can. */
export function asSentence(text: string): string {
	return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

/** How often a request was sent, as a further sentence, where that says something. */
export function tried({ sent }: Circumstances): string {
	return sent > 1 ? ` It was tried ${sent} times.` : '';
}

/** What an endpoint is about. */
export function nounOf({ url }: Pick<Endpoint, 'url'>): 'form' | 'response' | 'address' {
	if (url.includes('{formId}')) return 'form';
	return url.includes('{responseId}') ? 'response' : 'address';
}

/** The service's words as they can be shown. */
export function concealed(envelope: Envelope, { conceal }: Circumstances): Envelope {
	const { message, details } = envelope;
	return {
		...envelope,
		...(message !== undefined && { message: conceal(message) }),
		details: details.map(conceal),
	};
}

/** A text of the service on one line, cut where it is long. */
export function shortened(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line;
}
