import { Readable } from 'node:stream';
import type { IDataObject, IN8nHttpFullResponse, INode } from 'n8n-workflow';
import type * as accounts from '../../nodes/FormService/api/account.ts';
import type { RequestContext } from '../../nodes/FormService/api/requestContext.ts';
import { builtFile, nodeTypes, typeOf } from '../../test/integration/n8n/built.mts';
import { core, workflow as n8n } from '../../test/integration/n8n/core.mts';
import {
	createAdditionalData,
	WORKFLOW_ID,
	type Account,
} from '../../test/integration/n8n/execution.mts';

export const MAX_REQUESTS = 10;

/** A reply to a GET. Without a status if no reply came. */
export type Reply = {
	/** Below the base URL, such as `/forms?page=2`. */
	path: string;
	status?: number;
	headers: IDataObject;
	/** Undefined if the body is not JSON. */
	body?: unknown;
};

export type Connection = {
	context: RequestContext;
	replies: Reply[];
};

const { createAccount } = builtFile<typeof accounts>('nodes/FormService/api/account.js');

/** Creates an n8n context that sends at most ten GET requests. Throws if the credential is invalid. */
export function connect(credential: Account): Connection {
	const account = createAccount(credential);
	const node: INode = {
		...{ id: 'probe', name: 'Probe', type: typeOf('formService'), typeVersion: 1 },
		...{ position: [0, 0], parameters: {} },
		credentials: { formServiceApi: { id: '1', name: 'Account' } },
	};
	const parts = { id: WORKFLOW_ID, nodes: [node], connections: {}, active: false, nodeTypes };
	const data = createAdditionalData(credential, 'manual');
	const context = new core.LoadOptionsContext(new n8n.Workflow(parts), node, data, '');
	const replies: Reply[] = [];
	const send = context.helpers.httpRequestWithAuthentication;
	context.helpers.httpRequestWithAuthentication = async function (type, options) {
		if (options.method !== 'GET' || replies.length >= MAX_REQUESTS) {
			throw new Error('The probe sends no more than ten GET requests');
		}
		const reply: Reply = { path: String(options.url).slice(account.baseUrl.length), headers: {} };
		replies.push(reply);
		const full = (await send.call(this, type, options)) as IN8nHttpFullResponse;
		Object.assign(reply, { status: full.statusCode, headers: full.headers });
		return { ...full, body: Readable.from(record(full.body as Readable, reply)) };
	};
	return { context: { n8n: context, account, priority: 'high', retry: false }, replies };
}

/** Passes the body through, and records its JSON at the end. */
async function* record(body: Readable, reply: Reply): AsyncGenerator<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of body as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		yield chunk;
	}
	try {
		reply.body = JSON.parse(Buffer.concat(chunks).toString());
	} catch {
		// the body is not JSON
	}
}
