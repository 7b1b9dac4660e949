import { setTimeout } from 'node:timers/promises';
import { Readable } from 'node:stream';
import {
	after,
	rawReply,
	type Fault,
	instead,
	type Exchange,
	redirect,
	status,
	tooMany,
} from './faultKinds.mts';

/** Waits forever without a reply, even if the client disconnects. */
const never = async ({ wait }: Exchange) => {
	await wait(Infinity);
	return await new Promise<never>(() => {});
};
const drop = ({ request }: Exchange) => void request.raw.socket.destroy();
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
	dropAfter: after((exchange) => {
		drop(exchange);
		return new Promise<never>(() => {});
	}),
	silentBefore: instead((exchange) => void never(exchange)),
	silentAfter: after(never),
	gatewayAfter: after(({ reply }) => {
		reply.code(502).removeHeader('content-length');
		return JSON.stringify({ success: false, message: 'Bad Gateway' });
	}),
	webPage: rawReply(200, 'text/html; charset=utf-8', page),
	failureWith200: status(200, 'The request could not be carried out.'),
	malformedJson: rawReply(200, 'application/json', '{"success":true,"data":[{"id":'),
	emptyBody: after(({ reply }) => {
		reply.removeHeader('content-length');
		return '';
	}),
	cutBody: after(({ reply }, body) => {
		reply.header('content-length', body.length + 100);
		return Readable.from(
			(async function* () {
				yield body.subarray(0, Math.ceil(body.length / 2));
				// wait until the first half is sent, because the error below discards unsent data
				await setTimeout(20);
				throw new Error('cut on purpose');
			})(),
		);
	}),
	loginPage: redirect('/login'),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faultTable;

type FaultRule = {
	fault: FaultName | Fault | (() => Fault | undefined);
	/** `path` matches a path with its query, of the API without the base URL; by default, the whole API. */
	match?: { method?: string; path?: RegExp };
	/** The number of further requests that get the fault. */
	times?: number;
};

export type Faults = ReturnType<typeof createFaultRegistry>;

/** The faults of a service. If several rules apply to a request, the first rule wins. */
export function createFaultRegistry() {
	let rules: FaultRule[] = [];
	return {
		set: (rule: FaultRule) => void rules.push({ ...rule }),
		clear: () => void (rules = []),
		pick(request: { method: string; path: string; isApi: boolean }): Fault | undefined {
			const rule = rules.find(({ match = {}, times = Infinity }) => {
				const isMethod = !match.method || match.method.toUpperCase() === request.method;
				const isPath = match.path ? request.path.search(match.path) >= 0 : request.isApi;
				return times > 0 && isMethod && isPath;
			});
			if (!rule) return undefined;
			if (rule.times !== undefined) rule.times--;
			if (typeof rule.fault === 'function') return rule.fault();
			return typeof rule.fault === 'string' ? faultTable[rule.fault] : rule.fault;
		},
	};
}
