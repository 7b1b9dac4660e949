import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { accountOf } from './account';
import type { Account } from './account';
import { endpoints } from './endpoints';
import { problemOf } from './request/connectionProblem';
import { destroyBody, inTime, readBody, REPLY_TIMEOUT_MS } from './request/exchange';
import type { Outcome } from './request/exchange';
import { explainBroken } from './request/explain/broken';
import { explainReply } from './request/explain/reply';
import { asSentence, shortened } from './request/explain/words';
import type { Headers } from './gate/rateHeaders';
import { isRecord } from './records';
import { readContent, unwrap } from './replies/content';
import { workspaceSchema } from './schemas';
import { MAX_REDIRECTS, MAX_REPLY_BYTES, redirectOf } from './request/request';
import { endpointUrl } from './request/url';

/**
 * Tells whether a credential works, by asking for the workspace: fine, token refused, not this
 * service, or unreachable. A person waits for the answer, so nothing is repeated and the gate is not
 * waited for.
 */
export async function testCredential(
	context: ICredentialTestFunctions,
	credential: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	try {
		const account = accountOf(credential);
		const endpoint = endpoints.getWorkspace;
		const token = String(credential.accessToken);
		let url: string | undefined = endpointUrl(account.baseUrl, endpoint);
		let reply = await ask(context, url, token);
		for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
			url = redirectOf(reply, url, endpoint, account);
			if (url === undefined) break;
			reply = await ask(context, url, token);
		}
		return { message: judge(reply, account), status: 'OK' };
	} catch (error) {
		return { message: error instanceof Error ? error.message : String(error), status: 'Error' };
	}
}

/** n8n gives a credential test no other helper than `request`, the older of its two. */
async function ask(
	{ helpers }: ICredentialTestFunctions,
	uri: string,
	token: string,
): Promise<Outcome> {
	try {
		const request = helpers.request({
			method: endpoints.getWorkspace.method,
			uri,
			headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
			useStream: true,
			json: false,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			followAllRedirects: false,
			timeout: REPLY_TIMEOUT_MS,
		});
		const reply = (await inTime<unknown>(request, REPLY_TIMEOUT_MS, destroyBody)) as {
			statusCode: number;
			headers: Headers;
			body: unknown;
		};
		const { statusCode: status, headers } = reply;
		const read = await readBody(reply.body, MAX_REPLY_BYTES, REPLY_TIMEOUT_MS);
		return { kind: 'reply', status, headers, ...read };
	} catch (error) {
		return { kind: 'broken', ...problemOf(error) };
	}
}

/** What to tell of a success. Throws what to tell of anything else. */
function judge(reply: Outcome, { baseUrl, origin, conceal }: Account): string {
	const endpoint = endpoints.getWorkspace;
	const circumstances = { endpoint, baseUrl, origin, conceal, sent: 1, now: Date.now() };
	if (reply.kind === 'broken') throw told(explainBroken(reply, circumstances));
	const content = readContent(reply.headers, reply.body);
	const envelope = content.kind === 'json' ? unwrap(content.value) : undefined;
	if (
		reply.tooLarge ||
		reply.status < 200 ||
		reply.status >= 300 ||
		envelope === undefined ||
		envelope.failed
	) {
		throw told(explainReply(reply, circumstances));
	}
	if (!isRecord(envelope.data) || !workspaceSchema.safeParse(envelope.data).success) {
		throw new Error(
			`Something answers at ${baseUrl}, but it is not a Form Service. Check the Base URL.`,
		);
	}
	return `Connected to the workspace "${shortened(String(envelope.data.name))}"`;
}

function told({ message, description }: { message: string; description?: string }): Error {
	return new Error(description === undefined ? message : `${asSentence(message)} ${description}`);
}
