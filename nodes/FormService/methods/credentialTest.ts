import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { createAccount } from '../api/account';
import { createTarget, endpoints } from '../api/endpoints';
import { endSentence, truncateText } from '../api/text';
import { clock } from '../api/clock';
import { parseReply } from '../api/request/parseReply';
import { JSON_HEADERS, readReply, DEFAULT_TIMEOUT_MS } from '../api/request/callApi';
import { createFailure, describeFailure } from '../api/failures';
import { isWorkspace } from '../api/service';

const { getWorkspace: endpoint } = endpoints;

/** `STREAM_OPTIONS` for n8n's older helper: the reply is a stream, and redirects are not followed. */
const STREAM_WITHOUT_REDIRECTS = {
	useStream: true,
	json: false,
	simple: false,
	resolveWithFullResponse: true,
	followRedirect: false,
	followAllRedirects: false,
};

/**
 * Tests a credential by fetching the workspace, without the request queue and without retries, because the user
 * is waiting. n8n gives this function only its older helper `request`.
 */
export async function formServiceApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	try {
		const account = createAccount(data);
		const sentPromise: Promise<unknown> = helpers.request({
			uri: createTarget(account, endpoint).url,
			headers: { ...JSON_HEADERS, Authorization: `Bearer ${String(data.accessToken).trim()}` },
			...STREAM_WITHOUT_REDIRECTS,
			timeout: DEFAULT_TIMEOUT_MS,
		});
		const reply = await readReply(sentPromise, DEFAULT_TIMEOUT_MS);
		const { data: workspace, requestFailure } = parseReply(reply, endpoint, clock.now());
		if (requestFailure === undefined && isWorkspace(workspace)) {
			const name = truncateText(account.redact(String(workspace.name)));
			return { status: 'OK', message: `Connected to the workspace "${name}"` };
		}
		const failure = requestFailure ?? createFailure('wrongAddress', { detail: 'no workspace' });
		const { message, description } = describeFailure(failure, account);
		throw new Error(`${endSentence(message)} ${description}`);
	} catch (error) {
		return { status: 'Error', message: error instanceof Error ? error.message : String(error) };
	}
}
