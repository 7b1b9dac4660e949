import type { Socket } from 'node:net';
import type { Fault } from './faults.mts';
import type { Faults } from './faults.mts';
import type { Limits, Usage } from './specification/limiter.mts';
import type { ReplyShapes } from './specification/lists.mts';
import type { Account, Store } from './store.mts';

export type ServiceOptions = Partial<Limits> & {
	port?: number;
	token?: string;
	/** Whether the store starts with the demo's forms and responses. */
	seed?: boolean;
	now?: () => number;
	/** Waits in real or simulated time before a request or a reply of the connection continues. */
	wait?: (milliseconds: number, connection: Socket) => Promise<void>;
	/** Returns how many milliseconds the next request or reply of the API takes to arrive. */
	latency?: () => number;
	/** The value of secret attributes in every record, such as `webhook_secret`. */
	secret?: string;
};

/** A request that the service received. */
export type RecordedRequest = {
	at: number;
	method: string;
	/** The path without the query; a path of the API starts after the base URL: `/forms`. */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** The status of the reply. 0 until the service replies. */
	status: number;
	token?: string;
	body?: unknown;
};

export type Service = {
	url: string;
	/** The Base URL for a credential. */
	baseUrl: string;
	token: string;
	requests: RecordedRequest[];
	/** The requests for pages, PDFs and files. `requests` has the requests to the API. */
	visits: RecordedRequest[];
	store: Store;
	faults: Faults;
	shapes: ReplyShapes;
	/** Stops the service and ends all requests. A second call does nothing. */
	close(): Promise<void>;
};

/** The data that all routes of a service share. */
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
		fault?: Fault;
		account?: Account;
	}
}
