import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { adviseOnBaseUrl, createAccount } from '../api/account';
import type { Account } from '../api/account';
import { createTarget, endpoints } from '../api/endpoints';
import { unwrap } from '../api/envelope';
import { asSentence, shortenText } from '../api/errors';
import { isWorkspace } from '../api/replies/parse';
import { readWholeReply } from '../api/request/http';
import type { Broken, N8nReply, Reply } from '../api/request/http';
import { readReply } from '../api/request/reply';
import { explain, explainBroken } from '../api/request/trouble';

/**
 * Tests the credential when a person saves it in the editor, by reading the workspace. A person is
 * waiting, so nothing is retried, and the test does not wait for the rate limiter.
 */
export async function formServiceApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const account = createAccount(data);
		const ended = await requestWorkspace(this, account, data);
		return { message: account.conceal(explainSuccess(account, ended)), status: 'OK' };
	} catch (error) {
		return { message: error instanceof Error ? error.message : String(error), status: 'Error' };
	}
}

const { getWorkspace: endpoint } = endpoints;

const TIMEOUT_MS = 30_000;

/** A workspace takes a few kilobytes (specification, section 2.1); its texts can be long. */
const MAX_BYTES = 1024 * 1024;

/** n8n gives a credential test only `request`, the older of its helpers: the second way to the service. */
async function requestWorkspace(
	{ helpers }: ICredentialTestFunctions,
	account: Account,
	{ accessToken }: ICredentialDataDecryptedObject,
): Promise<Reply | Broken> {
	const sending: Promise<unknown> = helpers.request({
		method: endpoint.method,
		uri: createTarget(account, endpoint).url,
		headers: {
			Accept: 'application/json',
			Authorization: `Bearer ${String(accessToken).trim()}`,
		},
		useStream: true,
		json: false,
		simple: false,
		resolveWithFullResponse: true,
		followRedirect: false,
		followAllRedirects: false,
		timeout: TIMEOUT_MS,
	});
	return await readWholeReply(sending as Promise<N8nReply>, MAX_BYTES, TIMEOUT_MS);
}

/** @throws Error with a text for the person, for anything but a workspace */
function explainSuccess(account: Account, ended: Reply | Broken): string {
	const { url } = createTarget(account, endpoint);
	const { effect } = endpoint;
	const outcome =
		ended.kind === 'reply'
			? readReply(ended, { url, effect, account })
			: { trouble: explainBroken(ended, { account }) };
	if ('value' in outcome) {
		const { data } = unwrap(outcome.value);
		if (isWorkspace(data)) return `Connected to the workspace "${shortenText(String(data.name))}"`;
	} else if (ended.kind === 'broken' || ended.body !== undefined) {
		const explained = explain(outcome.trouble, { effect, tries: 1, isUncertain: false });
		const { message, description = '', failure } = explained;
		const advice =
			failure?.cause === 'credential-invalid' ? 'Enter a valid access token.' : description;
		throw new Error(account.conceal(`${asSentence(message)} ${advice}`.trim()));
	}
	throw new Error(`${account.baseUrl} is not a Form Service address. ${adviseOnBaseUrl(account)}`);
}
