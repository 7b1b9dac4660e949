import { DateTime } from 'luxon';

export type ErrorText = { message: string; description: string };

/** Adds a period to a sentence, unless the sentence ends with ".", "!" or "?", which a quote can follow. */
export function addPeriod(text: string): string {
	return /[.!?]"?$/.test(text) ? text : `${text}.`;
}

/** Puts text of the service on one line. Cuts long text, and adds "…". */
export function truncateText(text: string, maxLength = 300): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLength ? `${cutAtCharacter(line, maxLength)}…` : line;
}

/** Leaves no half of a character. */
export function cutAtCharacter(text: string, maxLength: number): string {
	return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** Formats a time for the user, rounded up to the minute: "Nov 22, 2026, 00:31 UTC". */
export function formatTime(epochMs: number): string {
	const minuteMs = Math.ceil(epochMs / 60_000) * 60_000;
	const time = DateTime.fromMillis(minuteMs, { zone: 'utc', locale: 'en-US' });
	return time.toFormat("LLL d, yyyy, HH:mm 'UTC'");
}
