import type { Socket } from 'node:net';
import type { Fault } from './faults/faultKinds.mts';
import type { Faults } from './faults/faults.mts';
import type { Limits, Usage } from './specification/limiter.mts';
import type { Shapes } from './specification/shapes.mts';
import type { Account, Store } from './store.mts';

export type ServiceOptions = Partial<Limits> & {
	port?: number;
	token?: string;
	/** whether the store gets the demo's forms and responses (default), or an account alone */
	seed?: boolean;
	now?: () => number;
	/**
	 * waits this many milliseconds with the request of this connection unanswered; the tests' time waits forever
	 * for an infinite number
	 */
	wait?: (milliseconds: number, connection: Socket) => Promise<void>;
	/**
	 * how many milliseconds each request to the API is on its way, asked for the request and again for its
	 * reply, so that requests act and replies arrive in another order than they were sent; none by default
	 */
	latency?: () => number;
	/** stands in every record as the value of attributes whose names say that they are secret */
	secret?: string;
};

/** What reached the service, for assertions. */
export type RecordedRequest = {
	at: number;
	method: string;
	/** below the base URL for the API (`/forms`), whole for pages and files; without the query */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** of the reply; 0 until the service has replied */
	status: number;
	token?: string;
	body?: unknown;
};

export type Service = {
	url: string;
	/** what a person enters as Base URL */
	baseUrl: string;
	token: string;
	requests: RecordedRequest[];
	/** what reached pages, PDFs and files */
	visits: RecordedRequest[];
	store: Store;
	faults: Faults;
	shapes: Shapes;
	/** ends it, and all that is under way; a second call changes nothing */
	close(): Promise<void>;
};

/** What the routes of one running service share. */
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
		/** what goes wrong with it */
		fault?: Fault;
		/** whose token it has */
		account?: Account;
	}
}
