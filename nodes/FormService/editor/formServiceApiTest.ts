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
import { resultOf } from '../api/request/http';
import { followOf, MAX_REPLY_BYTES, outcomeOf, readReply } from '../api/request/request';
import { sendUntilSettled } from '../api/request/send';

/**
 * Tests the credential when a person saves it in the editor, by asking for the workspace: fine, token
 * refused, not this service, or unreachable. A person waits for the answer, so nothing is repeated and
 * the rate limiter is not waited for.
 */
export async function formServiceApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const account = accountOf(data);
		return { message: account.conceal(await workspaceOf(this, account, data)), status: 'OK' };
	} catch (error) {
		return { message: error instanceof Error ? error.message : String(error), status: 'Error' };
	}
}

const INTERRUPTED = { kind: 'broken', problem: 'interrupted' } as const;

/** What to tell of a success. Throws what to tell of anything else. */
async function workspaceOf(
	{ helpers }: ICredentialTestFunctions,
	account: Account,
	{ accessToken }: ICredentialDataDecryptedObject,
): Promise<string> {
	const endpoint = endpoints.getWorkspace;
	// n8n gives a credential test no other helper than `request`, the older of its two
	const ask = async (uri: string, timeout: number): Promise<unknown> =>
		await helpers.request({
			method: endpoint.method,
			uri,
			headers: { Accept: 'application/json', Authorization: `Bearer ${String(accessToken)}` },
			useStream: true,
			json: false,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			followAllRedirects: false,
			timeout,
		});
	const { ended } = await sendUntilSettled(targetOf(account, endpoint).url, {
		async send(url) {
			const send = async (timeout: number) => await ask(url, timeout);
			const result = await resultOf(send, { maxBytes: MAX_REPLY_BYTES });
			return await readReply(result.kind === 'cancelled' ? INTERRUPTED : result);
		},
		follow: followOf(endpoint, account),
	});
	const outcome = outcomeOf(ended, { endpoint, account, sent: 1 });
	if (!('value' in outcome)) {
		const { message, description, failure } = outcome;
		const advice =
			failure?.cause === 'credential-invalid' ? 'Enter a valid access token.' : description;
		throw new Error(account.conceal(`${asSentence(message)} ${advice ?? ''}`.trim()));
	}
	const { data } = unwrap(outcome.value);
	if (isWorkspace(data)) return `Connected to the workspace "${shortened(String(data.name))}"`;
	throw new Error(`${account.baseUrl} is not a Form Service. Check the 'Base URL'.`);
}
