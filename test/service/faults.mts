import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export type Exchange = {
	reply: FastifyReply;
	/** Waits in real or virtual time. Only virtual time can wait for `Infinity`. */
	wait: (milliseconds: number) => Promise<void>;
};

/** What goes wrong with a request after its limits were checked: instead of the work, or after it. */
export type Fault =
	| { stage: 'instead'; act(exchange: Exchange): void }
	| { stage: 'after'; spoil(exchange: Exchange, body: Buffer): unknown };

export const instead = (act: (exchange: Exchange) => void): Fault => ({ stage: 'instead', act });

const after = (spoil: (exchange: Exchange, body: Buffer) => unknown): Fault => ({
	stage: 'after',
	spoil,
});

export const status = (code: number, message: string, errors?: Record<string, string[]>) =>
	instead(({ reply }) => {
		reply.code(code).send({ success: false, message, ...(errors && { errors }) });
	});

/** Status 429, with these values of `X-RateLimit-Limit` and `Retry-After`. */
export const tooMany = (limit: number, retryAfter: number) =>
	instead(({ reply }) => {
		const headers = { 'x-ratelimit-limit': `${limit}`, 'x-ratelimit-remaining': '0' };
		reply.headers({ ...headers, 'retry-after': `${retryAfter}` });
		reply.code(429).send({ success: false, message: 'Too Many Attempts.' });
	});

/** Status 503, as during maintenance. */
export const unavailable = (retryAfter: number) =>
	instead(({ reply }) => {
		reply.header('retry-after', `${retryAfter}`);
		reply.code(503).send({ success: false, message: 'Service Unavailable' });
	});

/** The service acts immediately, and replies after this many milliseconds. */
export const slow = (milliseconds: number) =>
	after(async ({ wait }, body) => {
		await wait(milliseconds);
		return body;
	});

export const redirect = (url: string, code = 302) =>
	instead(({ reply }) => void reply.redirect(url, code));

export const rawReply = (code: number, type: string, body: string | Buffer) =>
	instead(({ reply }) => void reply.type(type).code(code).send(body));

/** The service does not act, but replies as if it had, with this data. */
export const success = (data: unknown) =>
	rawReply(200, 'application/json', JSON.stringify({ success: true, data }));

/** A list of about this many megabytes, in chunks without a `Content-Length`. */
export const largeList = (megabytes: number) =>
	instead(({ reply }) => {
		const records = Array<string>(megabytes).fill(`"${'x'.repeat(1_000_000)}",`);
		const pieces = ['{"success":true,"data":[', ...records, '""]}'];
		reply.type('application/json').send(Readable.from(pieces));
	});

/** The service acts, but another reply comes than its own. */
const replace = (code: number, body: string) =>
	after(({ reply }) => {
		reply.code(code).removeHeader('content-length');
		return body;
	});

const drop = ({ reply }: Exchange) => void reply.raw.socket?.destroy();
const sendNothing = async () => await new Promise<never>(() => {});
const page = '<!doctype html><title>Maintenance</title><p>We will be back shortly.</p>';

export const faultTable = {
	badRequest: status(400, 'The request is malformed.'),
	unauthorized: status(401, 'Unauthenticated.'),
	forbidden: status(403, 'You have no access to the requested resource.'),
	notFound: status(404, 'The requested resource was not found.'),
	unprocessable: status(422, 'The given data was invalid.', {
		name: ['The name setting must be a string.'],
		responses_limit: ['The responses_limit setting must be at least 1.'],
	}),
	serverError: status(500, 'Server Error'),
	badGateway: status(502, 'Bad Gateway'),
	unavailable: status(503, 'Service Unavailable'),
	tooManyDay: tooMany(1440, 4000),
	dropBefore: instead(drop),
	dropAfter: after(async (exchange) => {
		drop(exchange);
		return await sendNothing();
	}),
	silentBefore: instead(() => {}),
	silentAfter: after(sendNothing),
	gatewayAfter: replace(502, '{"success":false,"message":"Bad Gateway"}'),
	webPage: rawReply(200, 'text/html; charset=utf-8', page),
	failureWith200: status(200, 'The request could not be carried out.'),
	malformedJson: rawReply(200, 'application/json', '{"success":true,"data":[{"id":'),
	emptyBody: replace(200, ''),
	cutBody: after(async ({ reply: { raw } }, body) => {
		raw.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
		const half = body.subarray(0, Math.ceil(body.length / 2));
		raw.write(half, () => raw.destroy());
		return await sendNothing();
	}),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faultTable;

type FaultRule = {
	fault: FaultName | Fault | (() => Fault | undefined);
	/** `path` matches a path with its query, of the API without the base URL; by default, the whole API. */
	match?: { method?: string; path?: RegExp };
	/** The number of further requests that get the fault. */
	times?: number;
};

/** The faults of a service. If several rules apply to a request, the first rule wins. */
export function createFaultRegistry() {
	let rules: FaultRule[] = [];
	return {
		set: (rule: FaultRule) => void rules.push({ ...rule }),
		clear: () => void (rules = []),
		pick(request: { method: string; path: string; isApi: boolean }): Fault | undefined {
			const rule = rules.find(({ match = {}, times = Infinity }) => {
				const { method = request.method, path } = match;
				const isPath = path ? request.path.search(path) >= 0 : request.isApi;
				return times > 0 && method === request.method && isPath;
			});
			if (!rule) return undefined;
			if (rule.times !== undefined) rule.times--;
			if (typeof rule.fault === 'function') return rule.fault();
			return typeof rule.fault === 'string' ? faultTable[rule.fault] : rule.fault;
		},
	};
}
