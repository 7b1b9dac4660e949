import type { Socket } from 'node:net';
import type { Fault } from './faults/faultKinds.mts';
import type { Faults } from './faults/faults.mts';
import type { Limits, Usage } from './specification/limiter.mts';
import type { Shapes } from './specification/shapes.mts';
import type { Account, Store } from './store.mts';

/** What reached the service, for assertions. */
export type RecordedRequest = {
	/** epoch milliseconds */
	at: number;
	method: string;
	/** below the base URL for the API (`/forms`), whole for pages and files; without the query */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** of the reply; 0 until the service has replied */
	status: number;
	/** the bearer token, when one was sent */
	token?: string;
	body?: unknown;
};

/** What the service knows about a request while it handles the request. */
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

/** The limits of a running service; a change holds from the next request on. */
export type LimitControl = Limits & {
	/** forgets what every account has used */
	reset(): void;
};

/** What the routes of one running service share. */
export type Parts = {
	store: Store;
	faults: Faults;
	shapes: Shapes;
	limits: LimitControl;
	/** by account */
	usage: Map<number, Usage>;
	/** what reached the API, and what reached the pages and files */
	requests: RecordedRequest[];
	visits: RecordedRequest[];
	now: () => number;
	/** see ServiceOptions */
	wait: (milliseconds: number, connection: Socket) => Promise<void>;
	/** see ServiceOptions */
	latency: () => number;
	/** see ServiceOptions */
	secret?: string;
	/** scheme, host and port of the service; known once it listens */
	origin: () => string;
	/** the same for links to PDFs and files */
	filesOrigin: () => string;
};
