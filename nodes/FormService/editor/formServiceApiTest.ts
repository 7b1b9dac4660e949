import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { accountOf } from '../api/account';
import type { Account } from '../api/account';
import { endpoints, targetOf } from '../api/endpoints';
import { unwrap } from '../api/envelope';
import { asSentence, shortened } from '../api/errors';
import { isWorkspace } from '../api/replies/parse';
import { explain } from '../api/request/explain';
import { resultOf } from '../api/request/http';
import type { Broken, N8nReply, Reply } from '../api/request/http';
import { MAX_REPLY_BYTES, readReply, redirectOf, successIn } from '../api/request/reply';
import { MAX_REDIRECTS } from '../api/url';

/**
 * Tests the credential when a person saves it in the editor, by reading the workspace. A person is
 * waiting, so nothing is retried, and the test does not wait for the rate limiter.
 */
export async function formServiceApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const account = accountOf(data);
		const ended = await getWorkspace(this, account, data);
		return { message: account.conceal(await successMessage(account, ended)), status: 'OK' };
	} catch (error) {
		return { message: error instanceof Error ? error.message : String(error), status: 'Error' };
	}
}

const { getWorkspace: endpoint } = endpoints;

/** n8n gives a credential test only `request`, the older of its helpers: the second way to the service. */
async function getWorkspace(
	{ helpers }: ICredentialTestFunctions,
	account: Account,
	{ accessToken }: ICredentialDataDecryptedObject,
): Promise<Reply | Broken> {
	let { url } = targetOf(account, endpoint);
	for (let redirects = 0; ; redirects++) {
		const sending: Promise<unknown> = helpers.request({
			method: endpoint.method,
			uri: url,
			headers: { Accept: 'application/json', Authorization: `Bearer ${String(accessToken)}` },
			useStream: true,
			json: false,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			followAllRedirects: false,
			timeout: TIMEOUT_MS,
		});
		const read = { maxBytes: MAX_REPLY_BYTES, timeout: TIMEOUT_MS };
		const result = await resultOf(sending as Promise<N8nReply>, read);
		if (result.kind === 'broken') return result;
		const next = redirects < MAX_REDIRECTS && redirectOf(result, url, endpoint, account);
		if (!next) return result;
		url = next;
	}
}

const TIMEOUT_MS = 30_000;

/** @throws Error with a text for the person, for anything but a workspace */
async function successMessage(account: Account, ended: Reply | Broken): Promise<string> {
	const read = ended.kind === 'reply' ? readReply(ended, account) : ended;
	const success = successIn(read);
	if (success === undefined) {
		const failed = { effect: endpoint.effect, account, tries: 1, mayHaveActed: false };
		const { message, description, failure } = explain(read, failed);
		const advice =
			failure?.cause === 'credential-invalid' ? 'Enter a valid access token.' : description;
		throw new Error(account.conceal(`${asSentence(message)} ${advice ?? ''}`.trim()));
	}
	const { data } = unwrap(success.value);
	if (isWorkspace(data)) return `Connected to the workspace "${shortened(String(data.name))}"`;
	throw new Error(`${account.baseUrl} is not a Form Service address. Check the 'Base URL'.`);
}
