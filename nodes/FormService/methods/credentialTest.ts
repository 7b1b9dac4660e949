import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { createAccount } from '../api/account';
import { createTarget, endpoints } from '../api/endpoints';
import { asSentence, CHECK_BASE_URL, truncateText } from '../api/errors';
import { parseReply } from '../api/request/callApi';
import { JSON_HEADERS, readReply, DEFAULT_TIMEOUT_MS } from '../api/request/sendOnce';
import { isWorkspace } from '../api/service';

const { getWorkspace: endpoint } = endpoints;

/**
 * Tests the credential when a person saves it in the editor, by reading the workspace. A person is waiting, so
 * nothing is retried, and the test waits for no turn. n8n gives it only `request`, the older of its helpers.
 */
export async function formServiceApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	try {
		const account = createAccount(data);
		const sending: Promise<unknown> = helpers.request({
			uri: createTarget(account, endpoint).url,
			headers: { ...JSON_HEADERS, Authorization: `Bearer ${String(data.accessToken).trim()}` },
			...{ useStream: true, json: false, simple: false, resolveWithFullResponse: true },
			...{ followRedirect: false, followAllRedirects: false, timeout: DEFAULT_TIMEOUT_MS },
		});
		const outcome = parseReply(await readReply(sending, DEFAULT_TIMEOUT_MS), {
			...endpoint,
			account,
		});
		const workspace = outcome.trouble === undefined ? outcome.envelope.data : undefined;
		if (isWorkspace(workspace)) {
			const name = account.conceal(truncateText(String(workspace.name)));
			return { status: 'OK', message: `Connected to the workspace "${name}"` };
		}
		const { message, description } = outcome.trouble ?? NO_WORKSPACE;
		throw new Error(account.conceal(`${asSentence(message)} ${description}`));
	} catch (error) {
		return { status: 'Error', message: error instanceof Error ? error.message : String(error) };
	}
}

const NO_WORKSPACE = {
	message: 'This is not the address of a Form Service',
	description: CHECK_BASE_URL,
};
