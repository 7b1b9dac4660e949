/** The faults of the service and of the way to it. */
import type { Sent } from './service.mts';

/** How the service and the way to it treat one poll. */
export type Treatment = {
	failWith?: (request: Sent) => Fault | undefined;
	/** Milliseconds that each reply takes. */
	latencyMs?: number;
};

export type Reply = { status: number; headers?: Record<string, string>; body: string };

/** How a request can fail: by a reply, by a broken connection, or by no reply at all. */
export type Fault = Reply | { code: string } | { hangs: true };

const message = (text: string) => JSON.stringify({ success: false, message: text });

/** A refusal for a minute's or a day's limit. */
const createRefusal = (limit: string, seconds: string) => {
	const headers = { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': '0' };
	const body = message('Too Many Attempts.');
	return { status: 429, headers: { ...headers, 'retry-after': seconds }, body };
};

/** The service is in maintenance for so many seconds. */
const createMaintenance = (seconds: string) => ({
	status: 503,
	headers: { 'retry-after': seconds },
	body: message('Service Unavailable'),
});

export const faults = {
	unauthorized: { status: 401, body: message('Unauthenticated.') },
	notFound: { status: 404, body: message('Not found') },
	minuteUsedUp: createRefusal('60', '20'),
	dayUsedUp: createRefusal('1440', '28800'),
	serverError: { status: 500, body: message('Server error') },
	maintenance: createMaintenance('600'),
	longMaintenance: createMaintenance('9000'),
	brokenConnection: { code: 'ECONNRESET' },
	noReply: { hangs: true },
	cutBody: { status: 200, body: '{"success":true,"data":[{"uuid":"A-1","numb' },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export const failAll = (name: FaultName): Treatment => ({ failWith: () => faults[name] });

/** The fault happens to one page of each form's list. */
export const failPage = (page: number, name: FaultName): Treatment => ({
	failWith: (request) =>
		request.kind === 'responses' && request.page === page ? faults[name] : undefined,
});
