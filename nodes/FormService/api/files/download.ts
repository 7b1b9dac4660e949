import type { IBinaryData } from 'n8n-workflow';
import { clock, unlessAborted } from '../clock';
import { fileError, NotSent } from '../errors';
import type { Explanation, FileError } from '../errors';
import { timeoutOf } from '../request/http';
import { stopSignal } from '../request/request';
import type { RequestContext } from '../requestContext';
import { fetchFile } from './fetchFile';
import type { FetchedFile, FileLimits, FileProblem, LinkedFile } from './fetchFile';
import { pdfMismatch } from './pdf';

/** The most files that are downloaded for one response. */
const MAX_FILES = 20;

/** The most bytes of one response's files together: n8n may keep them in memory. */
const MAX_BYTES = 256 * 1024 * 1024;

/** How long the files of one response may take together, unless the node's Timeout is longer. */
const TIME_MS = 60_000;

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
	return await inTurn(context, async () => {
		const links = files.slice(0, MAX_FILES).map((file) => ({ ...file, isOfService: false }));
		const limits = limitsFor(context);
		const fetched: FetchedFile[] = [];
		for (const link of links) fetched.push(await fetchFile(context, link, limits));
		const again = context.retry === false ? [] : [...fetched.keys()];
		const retried = again.filter((index) => mayPass(fetched[index])).slice(0, MAX_RETRIES);
		if (retried.length > 0) await clock.sleep(PAUSE_S * 1000, stopSignal(context));
		for (const index of retried) fetched[index] = await fetchFile(context, links[index], limits);
		return files.map((_file, index) => {
			const one = fetched[index] ?? { kind: 'tooMany' };
			return one.kind === 'file' ? one.binary : errorOf(context, one);
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
	const file: LinkedFile = { url: link, name, mimeType, isOfService: true, mismatch: pdfMismatch };
	return await inTurn(context, async () => {
		for (let retries = 0; ; retries++) {
			const fetched = await fetchFile(context, file, limitsFor(context));
			if (fetched.kind === 'file') return fetched.binary;
			if (!mayPass(fetched) || retries === MAX_RETRIES) throw errorOf(context, fetched);
			const pauseS = Math.min(fetched.retryAfterS ?? PAUSE_S * 2 ** retries, LONGEST_PAUSE_S);
			await clock.sleep(pauseS * 1000, stopSignal(context));
		}
	});
}

function mayPass(fetched: FetchedFile): fetched is FileProblem {
	return fetched.kind === 'problem' && fetched.mayPass === true;
}

function limitsFor(context: RequestContext): FileLimits {
	return { bytesLeft: MAX_BYTES, deadline: clock.timeout(timeFor(context)) };
}

/** Milliseconds. A Timeout of the node that is longer allows for larger files. */
function timeFor({ transport }: RequestContext): number {
	return Math.max(TIME_MS, timeoutOf(transport?.timeout));
}

const CHECK_FILE = 'Open the response in the service to check whether the file is there.';
const PASSING = { failure: { cause: 'temporarily-unavailable' } } as const;

type Missing = Exclude<FetchedFile, { kind: 'file' }> | { kind: 'tooMany' };

function errorOf(context: RequestContext, missing: Missing): FileError {
	return fileError(context, explain(missing, timeFor(context) / 1000));
}

function explain(missing: Missing, seconds: number): Explanation {
	if (missing.kind === 'tooMany') {
		const message = `Only the first ${MAX_FILES} files of a response are downloaded`;
		return { message, description: CHECK_FILE };
	}
	if (missing.kind === 'tooLarge') {
		const message = `The files of this response are larger than ${MAX_BYTES / 2 ** 20} MB together`;
		return { message, description: CHECK_FILE };
	}
	if (missing.kind === 'tooLate') {
		return {
			message: `The files of this response could not be downloaded within ${seconds} seconds`,
			description: "To wait longer, set 'Timeout' in the node's request options.",
			...PASSING,
		};
	}
	if (missing.kind === 'mismatch') {
		return {
			message: `The link to the PDF returned ${missing.found} instead of a PDF`,
			description:
				"The service may still be creating it: try again later. Turn off 'Download' to get the link, and open it in a browser.",
			...PASSING,
		};
	}
	const { message, detail, status } = missing;
	return {
		message,
		description: CHECK_FILE + (detail === undefined ? '' : ` (${detail})`),
		...(status !== undefined && { httpCode: String(status) }),
		...(missing.mayPass && PASSING),
	};
}

const open = { prompt: 0, bulk: 0 };
const wakers = new Set<() => void>();

/** Does the work as soon as few enough others are under way. */
async function inTurn<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
	const { n8n, itemIndex, urgency } = context;
	const stopped = () => new NotSent(n8n.getNode(), itemIndex);
	while (open[urgency] >= MAX_AT_A_TIME[urgency]) {
		const ended = new Promise<void>((resolve) => wakers.add(resolve));
		await unlessAborted(ended, stopSignal(context), stopped);
	}
	if (stopSignal(context)?.aborted) throw stopped();
	open[urgency]++;
	try {
		return await work();
	} finally {
		open[urgency]--;
		for (const wake of wakers) wake();
		wakers.clear();
	}
}
