import { mapValues } from 'lodash';
import type { IBinaryData } from 'n8n-workflow';
import { clock, waitUnlessAborted } from '../clock';
import type { ServiceError } from '../errors';
import { decideRetry } from '../request/trouble';
import { createNotSent, createRequestError, getStopSignal } from '../requestContext';
import type { RequestContext } from '../requestContext';
import { createLimits, createTrouble, fetchFile } from './fetchFile';
import type { FetchedFile } from './fetchFile';

/** The most files that are downloaded for one response. */
const MAX_FILES = 20;

/** Files of one response that are requested again, after a pause. */
const MAX_RETRIED = 3;
const PAUSE_MS = 1_000;

/** Responses whose files are downloaded at a time in this process; triggers do not wait for items. */
const MAX_AT_A_TIME = { prompt: 2, bulk: 4 };

const TOO_MANY = createTrouble(`Only the first ${MAX_FILES} files of a response are downloaded`);

/**
 * Downloads the uploaded files of one response into n8n's binary data, one after another and without
 * the token: respondents choose the links. They do not count for the account's limits.
 *
 * @returns one entry for each file, in order. A ServiceError says why a file is missing, also a file beyond
 * the limits in number, size and time; `failure` is `temporarily-unavailable` if its host may have the file later
 * @throws NotSent if the caller gave up
 */
export async function downloadFiles(
	context: RequestContext,
	files: ReadonlyArray<{ url: string; name: string }>,
): Promise<Array<IBinaryData | ServiceError>> {
	if (files.length === 0) return [];
	return await waitForPlace(context, async () => {
		const limits = createLimits(context);
		const fetch = async (index: number) =>
			await fetchFile(context, { ...files[index], kind: 'upload' }, limits);
		const fetched: FetchedFile[] = files.map(() => TOO_MANY);
		for (const index of files.slice(0, MAX_FILES).keys()) fetched[index] = await fetch(index);
		const retried = [...fetched.entries()]
			.filter(([, one]) => 'trouble' in one && one.trouble.maxTries > 1)
			.slice(0, context.retry === false ? 0 : MAX_RETRIED);
		if (retried.length > 0) await clock.sleep(PAUSE_MS, getStopSignal(context));
		for (const [index] of retried) fetched[index] = await fetch(index);
		return fetched.map((one) =>
			'binary' in one ? one.binary : createRequestError(context, one.trouble),
		);
	});
}

/**
 * Downloads the PDF of a response from the link that the service made. The token is sent if the link is
 * on the account's origin. The PDF waits for no turn in the account's rate limit: the service limits its
 * API, and should the link lead into the API, a refusal is waited for here.
 *
 * @throws ServiceError that says why there is no PDF; NotSent if the caller gave up
 */
export async function downloadPdf(
	context: RequestContext,
	url: string,
	name: string,
): Promise<IBinaryData> {
	return await waitForPlace(context, async () => {
		for (let tries = 1; ; tries++) {
			const fetched = await fetchFile(context, { url, name, kind: 'pdf' }, createLimits(context));
			if ('binary' in fetched) return fetched.binary;
			const pauseMs = decideRetry('safe', fetched.trouble, tries, Math.random());
			if (pauseMs === undefined) throw createRequestError(context, fetched.trouble);
			await clock.sleep(pauseMs, getStopSignal(context));
		}
	});
}

/** Each place has the files of one response after another. */
const places = mapValues(MAX_AT_A_TIME, (count) =>
	Array<Promise<void>>(count).fill(Promise.resolve()),
);

/** Does the work once the earlier work at its place has ended. */
async function waitForPlace<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
	const queue = places[context.urgency];
	const before = queue.shift()!;
	const stop = getStopSignal(context);
	const turn = waitUnlessAborted(before, stop, () => createNotSent(context)).then(work);
	queue.push(Promise.allSettled([before, turn]).then(() => {}));
	return await turn;
}
