import lodash from 'lodash';
import type { Reply } from './connect.mts';
import { showError } from './words.mts';

/** Shapes and counts, never values. A list of names has the attributes of one type. */
export type Facts = Readonly<Record<string, string | readonly string[]>>;

/** The findings of a probe. */
export type Report = {
	/** One sentence. */
	verdict: string;
	isAsDocumented: boolean;
	/** The facts by the title of their section. */
	sections: Record<string, Facts>;
};

export const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';

/** Advice by n8n's cause of an error, or by the status of the reply. */
const ADVICE: Readonly<Record<string, string>> = {
	'credential-invalid': 'Check the access token.',
	'temporarily-unavailable': 'Check the address, or try again later.',
	'rate-limited': 'Try again in a minute.',
	'quota-exhausted': 'Try again tomorrow.',
	403: 'Check what the token may read.',
	404: 'Check the address, and the ID of the form.',
};

/**
 * Explains why something is unreadable, and what to do. Only errors of the package have a message that may be
 * shown.
 */
export function explainError(error: unknown, reply?: Reply): string {
	const { name, message, failure } = error as Error & { failure?: { cause: string } };
	if (name !== 'NodeApiError') return `An unexpected error. ${REPORT}`;
	const { status = 0, body } = reply ?? {};
	const otherwise = body === undefined ? 'Check the address.' : REPORT;
	const advice = ADVICE[failure?.cause ?? ''] ?? ADVICE[status] ?? otherwise;
	return `${lodash.upperFirst(showError(message)) || `Status ${status}`}. ${advice}`;
}

/** Renders a report for a terminal. */
export function renderText({ verdict, sections }: Report): string {
	const lines = Object.entries(sections).flatMap(([title, facts]) => [
		`\n${title}`,
		...Object.entries(facts).map(([name, fact]) => `  ${name}: ${[fact].flat().join(', ')}`),
	]);
	return [...lines, '', verdict].join('\n');
}
