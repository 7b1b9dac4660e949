import { NodeOperationError } from 'n8n-workflow';
import type { IBinaryData } from 'n8n-workflow';
import { fileError, serviceError } from '../errors';
import type { Explanation } from '../errors';
import { isLogin, isRedirect } from '../request/redirects';
import type { Broken, Reply } from '../request/http';
import { isRateLimited } from '../request/retry';
import { repeating, sendUntilSettled, toOtherHost, toService } from '../request/send';
import type { Headers } from '../rateLimiter/limits';
import type { RequestContext } from '../requestContext';
import { parseUrl } from '../url';
import { checkLink, leadsIntoApi } from './links';

/** Bytes of a file that are taken at most. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

export type RemoteFile = {
	url: string;
	/** The name that the file gets. */
	name?: string;
	/** Where it is known; otherwise what its server or its name says. */
	mimeType?: string;
	/** Whether the service itself made the link, as it does for a PDF; else a respondent may have. */
	fromService?: boolean;
	/** Why what came is not the file that was asked for; undefined when it may be. */
	problemOf?: (data: Buffer) => Explanation | undefined;
};

/**
 * Downloads a file, in the form in which n8n keeps binary data.
 *
 * @throws NodeApiError or NodeOperationError when the file cannot be had
 */
export async function fetchBinary(context: RequestContext, file: RemoteFile): Promise<IBinaryData> {
	const { n8n, itemIndex } = context;
	const { helpers } = n8n;
	if (!('prepareBinaryData' in helpers)) {
		throw new NodeOperationError(
			n8n.getNode(),
			'Files cannot be downloaded while the editor loads its lists',
		);
	}
	const { data, mimeType } = await download(context, file);
	const problem = file.problemOf?.(data);
	if (problem !== undefined) throw serviceError(n8n.getNode(), problem, itemIndex);
	return await helpers.prepareBinaryData(data, file.name, file.mimeType ?? mimeType);
}

type Downloaded = { data: Buffer; mimeType?: string };

/**
 * Fetches a file that a reply links to: the PDF of a response, an uploaded file. Redirects are
 * followed by hand, each checked like the link itself; the token goes along only to the account's
 * own origin, and into its API only where the service itself leads.
 *
 * @throws NodeApiError when the link may not be followed or brings no file
 */
async function download(context: RequestContext, file: RemoteFile): Promise<Downloaded> {
	const { account } = context;
	let { fromService = false } = file;
	let withToken = false;
	/** The URL that a link means, once it is known that it may be followed. */
	const checked = (next: string, base: string): string => {
		const result = checkLink(next, base, account.origin, fromService);
		if (!result.allowed) {
			throw fileProblem(context, `The link to the file was not followed: ${result.reason}`);
		}
		// what another host leads back to is that host's choice
		fromService &&= result.own;
		withToken = result.own && (fromService || !leadsIntoApi(result.url));
		return result.url;
	};
	const repeats = repeating(context, 'read');
	const { ended, url } = await sendUntilSettled<Broken | Reply>(
		checked(file.url, account.baseUrl),
		{
			async send(next, isRetry) {
				const outgoing = {
					url: next,
					method: 'GET',
					headers: ANY,
					body: undefined,
					maxBytes: MAX_FILE_BYTES,
				} as const;
				return withToken
					? await toService(context, isRetry, outgoing)
					: await toOtherHost(context, outgoing);
			},
			follow(location, current) {
				const target = parseUrl(location, current);
				if (target === undefined || !isLogin(target)) return checked(location, current);
				throw fileProblem(
					context,
					`The file at ${hostOf(current)} is only for those who log in there`,
				);
			},
			...repeats,
			// another host's refusals are not what the rate limiter waits for
			decide: (one, tries) =>
				isRateLimited(one) && !withToken ? { again: false } : repeats.decide(one, tries),
		},
	);
	return fileIn(context, ended, url);
}

const ANY = { Accept: '*/*' };

function fileIn(context: RequestContext, ended: Broken | Reply, url: string): Downloaded {
	if (ended.kind === 'broken') {
		throw fileProblem(context, `The file at ${hostOf(url)} could not be fetched`, ended.detail);
	}
	const { status, headers, body } = ended;
	if (isRedirect(status) && typeof headers.location === 'string') {
		throw fileProblem(context, 'The link to the file redirects in a loop');
	}
	if (status < 200 || status >= 300) {
		const text = `The file at ${hostOf(url)} could not be fetched (status ${status})`;
		throw fileProblem(context, text, undefined, status);
	}
	if (ended.tooLarge) {
		throw fileProblem(
			context,
			'The file is larger than 256 MB, too large for n8n to handle safely',
		);
	}
	return { data: body, mimeType: mimeTypeOf(headers) };
}

/** The media type without its parameters, where the server says more than "some bytes". */
function mimeTypeOf(headers: Headers): string | undefined {
	const type = String(headers['content-type'] ?? '')
		.split(';')[0]
		.trim()
		.toLowerCase();
	return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream'
		? type
		: undefined;
}

function hostOf(url: string): string {
	return new URL(url).host;
}

function fileProblem(context: RequestContext, message: string, detail?: string, status?: number) {
	return fileError(context, {
		message,
		description: `Open the response in the service to check whether the file is there.${detail ? ` (${detail})` : ''}`,
		...(status !== undefined && { httpCode: String(status) }),
	});
}
