import { DateTime } from 'luxon';

/** The text of an error: what happened, and what the user can do. */
export type ErrorText = { message: string; description: string };

export const CHECK_BASE_URL = "Check the 'Base URL' in the Form Service credential.";

export const CHECK_REPLY = `${CHECK_BASE_URL} If the URL is correct, report this message as an issue of n8n-nodes-formservice.`;

export const TRY_LATER =
	'Try again later. If this persists, contact your Form Service administrator.';

export const ASK_FOR_LARGER_PAGES = 'Ask your Form Service administrator for larger pages.';

/** Adds a full stop to a text, unless the text ends in a full stop, even within a quote. */
export function asSentence(text: string): string {
	return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

/** Returns a text of the service on one line, truncated if it is long. */
export function truncateText(text: string, maxLength = 300): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLength ? `${cutText(line, maxLength)}…` : line;
}

const characters = new Intl.Segmenter('en');

/** Cuts a text between two visible characters, so that no emoji or letter is broken. */
export function cutText(text: string, maxLength: number): string {
	if (text.length <= maxLength) return text;
	const end = characters.segment(text).containing(maxLength)!.index;
	if (end > 0) return text.slice(0, end);
	// one letter with more accents than `maxLength`: keep its code points whole
	return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** Formats a time to wait for, in whole minutes, such as "Nov 22, 2026, 00:31 UTC". */
export function formatTime(epochMs: number): string {
	const minuteMs = Math.ceil(epochMs / 60_000) * 60_000;
	const time = DateTime.fromMillis(minuteMs, { zone: 'utc', locale: 'en-US' });
	return time.toFormat("LLL d, yyyy, HH:mm 'UTC'");
}
