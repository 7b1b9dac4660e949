import type { Socket } from 'node:net';
import type { Fault } from './faults/faultKinds.mts';
import type { Faults } from './faults/faults.mts';
import type { Limits, Usage } from './specification/limiter.mts';
import type { Shapes } from './specification/shapes.mts';
import type { Account, Store } from './store.mts';

export type ServiceOptions = Partial<Limits> & {
	port?: number;
	token?: string;
	/** Whether to fill the store with the demo's forms and responses. Otherwise, it has only an account. */
	seed?: boolean;
	now?: () => number;
	/**
	 * Leaves the request of this connection without a reply for this many milliseconds. In the tests' time, an
	 * infinite number means forever.
	 */
	wait?: (milliseconds: number, connection: Socket) => Promise<void>;
	/**
	 * Returns the milliseconds that each request to the API takes to arrive, and each reply. Different times
	 * change the order in which requests act and replies arrive. By default 0.
	 */
	latency?: () => number;
	/** The value of secret attributes in every record, such as `webhook_secret`. */
	secret?: string;
};

/** A request that the service received, for assertions. */
export type RecordedRequest = {
	at: number;
	method: string;
	/** The path without the query: below the base URL for the API (`/forms`), whole for pages and files. */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** The status of the reply; 0 before the reply. */
	status: number;
	token?: string;
	body?: unknown;
};

export type Service = {
	url: string;
	/** The value for the credential's Base URL. */
	baseUrl: string;
	token: string;
	requests: RecordedRequest[];
	/** The requests for pages, PDFs and files. */
	visits: RecordedRequest[];
	store: Store;
	faults: Faults;
	shapes: Shapes;
	/** Stops the service and all requests. A second call changes nothing. */
	close(): Promise<void>;
};

/** The data that the routes of a running service share. */
export type Parts = Pick<Service, 'requests' | 'visits' | 'store' | 'faults' | 'shapes'> &
	Required<Pick<ServiceOptions, 'now' | 'wait' | 'latency'>> &
	Pick<ServiceOptions, 'secret'> & {
		limits: Limits;
		usage: Map<number, Usage>;
		origin: () => string;
	};

declare module 'fastify' {
	interface FastifyRequest {
		record: RecordedRequest;
		isApi: boolean;
		/** The fault that applies to the request. */
		fault?: Fault;
		/** The account of the request's token. */
		account?: Account;
	}
}
