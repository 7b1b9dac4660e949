import { DateTime } from 'luxon';

/** The text of an error: what happened, and what the user can do. */
export type ErrorText = { message: string; description: string };

export const CHECK_BASE_URL = "Check the 'Base URL' in the Form Service credential.";

export const CHECK_REPLY = `${CHECK_BASE_URL} If the URL is correct, report this message as an issue of n8n-nodes-formservice.`;

export const TRY_LATER =
	'Try again later. If this persists, contact your Form Service administrator.';

export const ASK_FOR_LARGER_PAGES = 'Ask your Form Service administrator for larger pages.';

/**
 * Adds a period to a sentence. Adds nothing if the sentence ends with a period, "!" or "?". A closing quote
 * can follow the mark.
 */
export function addPeriod(text: string): string {
	return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

/** Puts text of the service on one line. Cuts long text, and adds "…". */
export function truncateText(text: string, maxLength = 300): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLength ? `${cutAtCharacter(line, maxLength)}…` : line;
}

const characters = new Intl.Segmenter('en');

/** Cuts a string between two visible characters, so that an emoji or a letter with accents stays whole. */
export function cutAtCharacter(text: string, maxLength: number): string {
	if (text.length <= maxLength) return text;
	const end = characters.segment(text).containing(maxLength)!.index;
	if (end > 0) return text.slice(0, end);
	// the first letter has more accents than `maxLength`, so cut within the letter
	return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** Formats a time for the user, in whole minutes: "Nov 22, 2026, 00:31 UTC". */
export function formatTime(epochMs: number): string {
	const minuteMs = Math.ceil(epochMs / 60_000) * 60_000;
	const time = DateTime.fromMillis(minuteMs, { zone: 'utc', locale: 'en-US' });
	return time.toFormat("LLL d, yyyy, HH:mm 'UTC'");
}
