import { setTimeout } from 'node:timers/promises';
import { createFaultRegistry, type Fault } from './faults.mts';
import type { Usage } from './specification/limiter.mts';
import type { ReplyShapes } from './specification/lists.mts';
import { type Account, createStore } from './store.mts';

export type ServiceOptions = {
	/** How many requests of an account the service answers in a minute. */
	perMinute?: number;
	port?: number;
	token?: string;
	/** Whether the store starts with the demo's forms and responses. */
	seed?: boolean;
	now?: () => number;
	/** Waits in real or virtual time before a reply, or until the signal says that the client is gone. */
	wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
	/** The value of secret attributes in every record, such as `webhook_secret`. */
	secret?: string;
};

/** A request that the service received. */
export type RecordedRequest = {
	method: string;
	/** The path without the query; a path of the API starts after the base URL: `/forms`. */
	path: string;
	query: Record<string, unknown>;
	/** The status of the reply. 0 until the service replies. */
	status: number;
	token?: string;
	body?: unknown;
};

/** The data that all routes of a service share. */
export type Parts = ReturnType<typeof createParts>;

export function createParts(options: ServiceOptions) {
	const { now = Date.now, token = 'demo-access-token', perMinute = 60, secret } = options;
	return {
		/** The address of the running service. */
		url: '',
		...{ token, now, secret, perMinute },
		wait: options.wait ?? (async (milliseconds: number) => await setTimeout(milliseconds)),
		store: createStore(now),
		shapes: {} as ReplyShapes,
		faults: createFaultRegistry(),
		usage: new Map<number, Usage>(),
		requests: [] as RecordedRequest[],
		/** The requests for pages, PDFs and files. `requests` has the requests to the API. */
		visits: [] as RecordedRequest[],
	};
}

declare module 'fastify' {
	interface FastifyRequest {
		record: RecordedRequest;
		fault?: Fault;
		account?: Account;
	}
}
