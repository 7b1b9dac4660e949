import { setTimeout } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { createFaultRegistry, type Fault } from './faults.mts';
import type { Usage } from './specification/limiter.mts';
import { createReplyShapes } from './specification/lists.mts';
import { type Account, createStore } from './store.mts';

export type ServiceOptions = {
	/** How many requests of an account the service answers in a minute. */
	perMinute?: number;
	port?: number;
	token?: string;
	/** Whether the store starts with the demo's forms and responses. */
	seed?: boolean;
	now?: () => number;
	/** Waits in real or simulated time before a reply of the connection continues. */
	wait?: (milliseconds: number, connection: Socket) => Promise<void>;
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

/** The data that all routes of a service share. */
export type Parts = ReturnType<typeof createParts>;

export function createParts(options: ServiceOptions) {
	const { now = Date.now, token = 'demo-access-token', perMinute = 60 } = options;
	return {
		/** The address of the running service. */
		url: '',
		...{ token, now, secret: options.secret },
		wait: options.wait ?? (async (milliseconds: number) => await setTimeout(milliseconds)),
		store: createStore(now),
		shapes: createReplyShapes(),
		faults: createFaultRegistry(),
		perMinute,
		usage: new Map<number, Usage>(),
		requests: [] as RecordedRequest[],
		/** The requests for pages, PDFs and files. `requests` has the requests to the API. */
		visits: [] as RecordedRequest[],
	};
}

declare module 'fastify' {
	interface FastifyRequest {
		record: RecordedRequest;
		isApi: boolean;
		fault?: Fault;
		account?: Account;
	}
}
