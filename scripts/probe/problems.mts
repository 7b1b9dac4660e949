import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.mts';
import type { Reply } from './connect.mts';

/** What cannot be read, why, and what to do. */
export type Problem = { what: string; why: string; advice: string };

export const REPORT = 'Report this output as an issue of n8n-nodes-formservice.';

/** What to do by the cause of an error in n8n's terms. */
const ADVICE: Readonly<Record<string, string>> = {
	'credential-invalid': 'Check the access token.',
	'temporarily-unavailable': 'Check the address, or try again later.',
	'rate-limited': 'Try again in a minute.',
	'quota-exhausted': 'Try again tomorrow.',
};

/** The same by the status of a reply that is no such failure. */
const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
	403: 'Check what the token may read.',
	404: 'Check the address, and the ID of the form.',
};

const paths = globSync('nodes/FormService/api/**/*.ts', { cwd: root });
const sources = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');

/** The beginning of a text, as far as it is in the package's sources; one word alone can be anything. */
function keepOwnWords(text: string): string {
	const words = text.split(' ');
	while (words.length > 1 && !sources.includes(words.join(' '))) words.pop();
	return words.length > 1 ? words.join(' ') : '';
}

/** What the package itself says in an error: it quotes the service in quotes, brackets, URLs and after colons. */
function keepOwnText(message: string): string {
	const [own] = message.replaceAll(/\w+:\/\/\S+/g, ADDRESS).split(/["(\n]|: /);
	return own.split(ADDRESS).map(keepOwnWords).join(ADDRESS).trim();
}

const ADDRESS = 'the address';

/** Explains an error of the package, or of anything else; the latter's message can quote anything. */
export function explainError(what: string, error: unknown, reply?: Reply): Problem {
	const { name, message, failure } = error as Error & { failure?: { cause: string } };
	if (name !== 'NodeApiError' && name !== 'NodeOperationError') {
		const kind = error instanceof TypeError || error instanceof RangeError ? name : 'Error';
		return { what, why: `an unexpected ${kind}`, advice: REPORT };
	}
	const { status = 0, body } = reply ?? {};
	const isElsewhere = status > 0 && (body === undefined || Math.floor(status / 100) === 3);
	const otherwise = ADVICE_BY_STATUS[status] ?? (isElsewhere ? 'Check the address.' : REPORT);
	const why = keepOwnText(message) || `status ${status}`;
	return { what, why, advice: ADVICE[failure?.cause ?? ''] ?? otherwise };
}

/** A sentence on what cannot be read, and what to do. */
export function describeProblems(problems: readonly Problem[]): string {
	const reasons = [...new Set(problems.map(({ why }) => why))].map((why) => {
		const concerned = problems.filter((problem) => problem.why === why);
		return `${concerned.map(({ what }) => what).join(', ')} (${why})`;
	});
	const advice = new Set(problems.map((problem) => problem.advice));
	return `Not read as documented: ${reasons.join('; ')}. ${[...advice].join(' ')}`;
}
