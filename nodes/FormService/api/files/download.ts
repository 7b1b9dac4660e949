import { getAccount } from '../account';
import type { Account } from '../account';
import { serviceError } from '../errors';
import type { Outcome } from '../request/exchange';
import { mimeTypeOf } from './fileHeaders';
import { steadyClock } from '../gate/accounts';
import { checkLink, leadsIntoApi } from './links';
import { isLogin } from '../request/explain/redirect';
import { MAX_REDIRECTS } from '../request/request';
import { decideRetry } from '../request/retry';
import { pause, throughGate, toOtherHost } from '../request/send';
import { parseUrl } from '../request/url';
import type { Sender } from '../sender';

/** Bytes of a file that are taken at most. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** A link to a file, and whether the service itself made it, as it does for a PDF; or a respondent. */
export type FileLink = { url: string; fromService: boolean };

export type Downloaded = { data: Buffer; mimeType?: string };

/**
 * Fetches a file that a reply links to: the PDF of a response, an uploaded file. Redirects are
 * followed by hand, each checked like the link itself; the token goes along only to the account's
 * own origin, and into its API only where the service itself leads.
 *
 * @throws NodeApiError when the link may not be followed or brings no file
 */
export async function download(sender: Sender, link: FileLink): Promise<Downloaded> {
	const account = await getAccount(sender.context, sender.itemIndex);
	let current = account.baseUrl;
	let next = link.url;
	let { fromService } = link;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const checked = checkLink(next, current, account.origin);
		if (!checked.allowed) {
			throw fileError(sender, `The link to the file was not followed: ${checked.reason}`);
		}
		current = checked.url;
		// what another host leads back to is that host's choice
		fromService &&= checked.own;
		const withToken = checked.own && (fromService || !leadsIntoApi(current));
		const reply = await fetchFile(sender, account, current, withToken);
		if (reply.kind === 'broken') {
			throw fileError(sender, `The file at ${hostOf(current)} could not be fetched`, reply.detail);
		}
		const { location } = reply.headers;
		if (reply.status >= 300 && reply.status < 400 && typeof location === 'string') {
			const target = parseUrl(location, current);
			if (target !== undefined && isLogin(target)) {
				throw fileError(
					sender,
					`The file at ${hostOf(current)} is only for those who log in there`,
				);
			}
			next = location;
			continue;
		}
		return taken(sender, reply, current);
	}
	throw fileError(sender, 'The link to the file leads in a circle');
}

function taken(sender: Sender, reply: Outcome & { kind: 'reply' }, url: string): Downloaded {
	if (reply.status < 200 || reply.status >= 300) {
		const text = `The file at ${hostOf(url)} could not be fetched (status ${reply.status})`;
		throw fileError(sender, text, undefined, reply.status);
	}
	if (reply.tooLarge)
		throw fileError(sender, 'The file is larger than 256 MB, which n8n cannot safely take');
	return { data: reply.body, mimeType: mimeTypeOf(reply.headers) };
}

/** Fetches once, and again where the trouble can pass. What goes with the token, the gate counts. */
async function fetchFile(
	sender: Sender,
	account: Account,
	url: string,
	withToken: boolean,
): Promise<Outcome> {
	const outgoing = {
		url,
		method: 'GET',
		headers: { Accept: '*/*' },
		maxBytes: MAX_FILE_BYTES,
	} as const;
	let refused = 0;
	for (let sent = 1; ; sent++) {
		const reply = withToken
			? await throughGate(sender, account, sent > 1, outgoing)
			: await toOtherHost(sender, outgoing);
		const isRefusal = reply.kind === 'reply' && reply.status === 429;
		if (isRefusal) refused++;
		const tries = { sent, refused };
		const decision = decideRetry('read', reply, tries, Math.random(), steadyClock.now());
		// another host's refusals are not what the gate waits for
		if (sender.retry === false || !decision.again || (isRefusal && !withToken)) return reply;
		await pause(sender, decision.afterMs);
	}
}

function hostOf(url: string): string {
	return new URL(url).host;
}

function fileError(
	{ context, itemIndex }: Sender,
	message: string,
	detail?: string,
	status?: number,
) {
	return serviceError(
		context.getNode(),
		{
			message,
			description: `Open the response in the service to see whether the file is there.${detail ? ` (${detail})` : ''}`,
			...(status !== undefined && { httpCode: String(status) }),
		},
		itemIndex,
	);
}
