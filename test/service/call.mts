import type { Fault } from './faults/faultKinds.mts';
import type { Account } from './store/accounts.mts';

/** What reached the service, for assertions. */
export type RecordedRequest = {
	/** epoch milliseconds */
	at: number;
	method: string;
	/** below the base URL for the API (`/forms`), whole for pages and files; without the query */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** of the reply; 0 while there is none, and for ever when none is given */
	status: number;
	/** the bearer token, when one was sent */
	token?: string;
	body?: unknown;
};

/** What the service knows of a request while it works on it. */
export type Call = {
	record: RecordedRequest;
	isApi: boolean;
	fault?: Fault;
	account?: Account;
};

declare module 'fastify' {
	interface FastifyRequest {
		call: Call;
	}
}
