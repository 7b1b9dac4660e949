import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createFaults, type Faults } from './faults/faults.mts';
import { API_PREFIX } from './hooks.mts';
import type { LimitControl, Parts, RecordedRequest } from './parts.mts';
import { DEMO_TOKEN, seed } from './demo/demoForms.mts';
import { buildFileServer, buildServer } from './server.mts';
import { createShapes, type Shapes } from './specification/shapes.mts';
import { createStore, type Store } from './store.mts';

export {
	answer,
	bodyOf,
	type Fault,
	redirect,
	slow,
	status,
	tooMany,
} from './faults/faultKinds.mts';
export type { FaultRule, Faults } from './faults/faults.mts';
export { type FaultName, faultTable } from './faults/faultTable.mts';
export type { LimitControl, RecordedRequest } from './parts.mts';
export { DEMO_TOKEN, demoForms } from './demo/demoForms.mts';
export type { Shapes } from './specification/shapes.mts';
export type {
	Account,
	Workspace,
	Field,
	Form,
	NewField,
	NewForm,
	Answer,
	Answers,
	NewResponse,
	Response,
	Store,
} from './store.mts';

export type ServiceOptions = {
	/** any free one when not given */
	port?: number;
	/** where what is stored stays between starts; in memory alone when not given */
	file?: string;
	perMinute?: number;
	perDay?: number;
	/** of the first account */
	token?: string;
	/** whether an empty database gets the demo's forms and responses (default), or an account alone */
	seed?: boolean;
	/** epoch milliseconds */
	now?: () => number;
	/** waits so many milliseconds, infinite ones for ever, with the request of this connection unanswered */
	wait?: (milliseconds: number, connection: Socket) => Promise<void>;
	/**
	 * how many milliseconds each request to the API is on its way, asked for the request and again for its
	 * reply, so that requests act and replies arrive in another order than they were sent; none by default
	 */
	latency?: () => number;
	/** stands in every record as the value of attributes whose names say that they are secret */
	secret?: string;
	/** whether PDFs and files are served from another port, which is another origin */
	filesApart?: boolean;
};

export type Service = {
	/** scheme, host and port */
	url: string;
	/** what a person enters as Base URL */
	baseUrl: string;
	/** where PDFs and files are */
	filesUrl: string;
	token: string;
	/** what reached the API */
	requests: RecordedRequest[];
	/** what reached pages, PDFs and files */
	visits: RecordedRequest[];
	store: Store;
	faults: Faults;
	shapes: Shapes;
	limits: LimitControl;
	/** ends it, and all that is under way; a second call changes nothing */
	close(): Promise<void>;
};

const HOST = '127.0.0.1';

async function waitReally(milliseconds: number): Promise<void> {
	if (Number.isFinite(milliseconds)) await setTimeout(milliseconds);
	else await new Promise<never>(() => {});
}

/** Starts the stand-in. It listens on this machine only. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { now = Date.now, wait = waitReally, token = DEMO_TOKEN } = options;
	const store = createStore(options.file, now);
	if (!store.firstAccount()) {
		if (options.seed ?? true) seed(store, token, now);
		else store.addAccount({ name: 'Workspace', tokens: [token] });
	} else if (!store.accountOfToken(token)) {
		store.addToken(store.firstAccount()!.id, token);
	}

	let url = '';
	let filesUrl = '';
	const shapes = createShapes();
	const usage: Parts['usage'] = new Map();
	const parts: Parts = {
		store,
		shapes,
		usage,
		now,
		wait,
		latency: options.latency ?? (() => 0),
		secret: options.secret,
		faults: createFaults(),
		limits: {
			perMinute: options.perMinute ?? 60,
			perDay: options.perDay ?? 1440,
			reset: () => usage.clear(),
		},
		requests: [],
		visits: [],
		origin: () => url,
		filesOrigin: () => shapes.filesOrigin ?? filesUrl,
	};

	const servers: FastifyInstance[] = [];
	const listen = async (server: FastifyInstance, port: number) => {
		servers.push(server);
		return await server.listen({ host: HOST, port });
	};
	let closing: Promise<unknown> | undefined;
	const close = async () => {
		closing ??= Promise.all(servers.map(async (server) => await server.close()));
		await closing;
		store.save();
	};
	try {
		url = await listen(buildServer(parts), options.port ?? 0);
		filesUrl = options.filesApart ? await listen(buildFileServer(parts), 0) : url;
		const { faults, limits, requests, visits } = parts;
		const addresses = { url, baseUrl: url + API_PREFIX, filesUrl };
		return { ...addresses, token, requests, visits, store, faults, shapes, limits, close };
	} catch (error) {
		await close();
		throw error;
	}
}
