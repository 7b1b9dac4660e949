import type { IBinaryData } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../clock';
import { FileError } from '../errors';
import { createNotSent, createRequestError, getStopSignal } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { createLimits, createTooMany, fetchFile } from './fetchFile';
import type { FetchedFile, FileProblem, LinkedFile } from './fetchFile';

/** The most files that are downloaded for one response. */
const MAX_FILES = 20;

/** Files of one response that are requested again, and how often a PDF is. */
const MAX_RETRIES = 3;

const PAUSE_S = 1;
const LONGEST_PAUSE_S = 60;

/** Responses whose files are downloaded at a time in this process; triggers do not wait for items. */
const MAX_AT_A_TIME = { prompt: 2, bulk: 4 };

/**
 * Downloads the uploaded files of one response into n8n's binary data, one after another and without
 * the token: respondents choose the links. They do not count for the account's limits.
 *
 * @returns one entry for each file, in order. A FileError says why a file is missing, also a file beyond
 * the limits in number, size and time; `failure` is `temporarily-unavailable` if its host may have the file later
 * @throws NotSent if the caller gave up
 */
export async function downloadFiles(
	context: RequestContext,
	files: ReadonlyArray<{ url: string; name: string }>,
): Promise<Array<IBinaryData | FileError>> {
	if (files.length === 0) return [];
	return await waitForPlace(context, async () => {
		const links = files
			.slice(0, MAX_FILES)
			.map((file) => ({ ...file, madeBy: 'respondent' as const }));
		const limits = createLimits(context);
		const fetched: FetchedFile[] = [];
		for (const link of links) fetched.push(await fetchFile(context, link, limits));
		const retried = [...fetched.entries()]
			.flatMap(([index, one]) => (one.kind === 'problem' && one.mayRetry ? [index] : []))
			.slice(0, context.retry === false ? 0 : MAX_RETRIES);
		if (retried.length > 0) await clock.sleep(PAUSE_S * 1000, getStopSignal(context));
		for (const index of retried) fetched[index] = await fetchFile(context, links[index], limits);
		return files.map((_file, index) => {
			const one = fetched[index] ?? createTooMany(MAX_FILES);
			return one.kind === 'file' ? one.binary : createFileError(context, one);
		});
	});
}

/**
 * Downloads the PDF of a response from the link that the service made. The token is sent if the link is
 * on the account's origin. The PDF waits for no turn in the account's rate limit: the service limits its
 * API, and should the link lead into the API, a refusal is waited for here.
 *
 * @throws FileError that says why there is no PDF; NotSent if the caller gave up
 */
export async function downloadPdf(
	context: RequestContext,
	link: string,
	name: string,
): Promise<IBinaryData> {
	const mimeType = 'application/pdf';
	const file: LinkedFile = {
		url: link,
		name,
		mimeType,
		madeBy: 'service',
		findMismatch: findPdfMismatch,
	};
	return await waitForPlace(context, async () => {
		for (let retries = 0; ; retries++) {
			const fetched = await fetchFile(context, file, createLimits(context));
			if (fetched.kind === 'file') return fetched.binary;
			if (!fetched.mayRetry || retries === MAX_RETRIES) throw createFileError(context, fetched);
			const pauseS = Math.min(fetched.retryAfterS ?? PAUSE_S * 2 ** retries, LONGEST_PAUSE_S);
			await clock.sleep(pauseS * 1000, getStopSignal(context));
		}
	});
}

function createFileError(context: RequestContext, { explanation }: FileProblem): FileError {
	return createRequestError(context, explanation, FileError);
}

/**
 * What came in place of a PDF: a page such as a login, a reply of the API, an image, nothing. A PDF has
 * its mark in its first 1,024 bytes (ISO 32000-1, annex H, note 13).
 *
 * @returns undefined for a PDF
 */
function findPdfMismatch(start: Buffer): string | undefined {
	const text = start.toString('latin1');
	if (text.includes('%PDF-')) return undefined;
	const [, found = 'another file'] = STARTS.find(([pattern]) => pattern.test(text.trim())) ?? [];
	return found;
}

const STARTS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^$/, 'an empty file'],
	[/^(\xEF\xBB\xBF)?</, 'a web page'],
	[/^(\xEF\xBB\xBF)?[{[]/, 'JSON'],
	[/^(\x89PNG|GIF8|\xFF\xD8\xFF|RIFF....WEBP)/s, 'an image'],
	[/^[\t\n\r\x20-\x7E]+$/, 'text'],
];

const open = { prompt: 0, bulk: 0 };
const wakers = new Set<() => void>();

/** Does the work as soon as few enough others are under way. */
async function waitForPlace<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
	const { urgency } = context;
	while (open[urgency] >= MAX_AT_A_TIME[urgency]) {
		const ended = new Promise<void>((resolve) => wakers.add(resolve));
		await waitUnlessAborted(ended, getStopSignal(context), () => createNotSent(context));
	}
	if (getStopSignal(context)?.aborted) throw createNotSent(context);
	open[urgency]++;
	try {
		return await work();
	} finally {
		open[urgency]--;
		for (const wake of wakers) wake();
		wakers.clear();
	}
}
